/**
 * Sans-I/O contract of protocol machines. A machine gets bytes and the time, and returns outputs; it uses no socket,
 * clock or timer. The Python library h11 and the Rust library str0m were the models.
 */
import { FORMAT_7E1, type LineSettings, type SerialFormat } from "./host.js";

/** No more output until the next `receive` or `advance`. */
export const OUTPUT_NONE = 0;
/**
 * Send `bytes[start..end)`. The machine owns the array and keeps it unchanged until the next call of one of its
 * methods.
 */
export const OUTPUT_TRANSMIT = 1;
/** Change the line to `baud` and `format`, after all earlier bytes were sent. */
export const OUTPUT_LINE = 2;
export const OUTPUT_EVENT = 3;

/** An output. Later calls of `poll()` reuse the object, so copy members that are needed longer. */
export interface Output {
	kind: number;
	bytes: Uint8Array;
	start: number;
	end: number;
	baud: number;
	format: SerialFormat;
	code: number;
}

export const NO_BYTES: Uint8Array = Object.freeze(new Uint8Array(0));

export const NO_OUTPUT: Output = Object.freeze(newOutput(OUTPUT_NONE));

export interface Timed {
	/** Acts if the deadline has passed. A call before the deadline is harmless. */
	advance(nowMs: number): void;
	/**
	 * Time of the next `advance()`, monotonic ms; Infinity if nothing is due. It changes only inside calls of the
	 * machine's methods.
	 */
	readonly deadlineMs: number;
}

export interface Machine extends Timed {
	/**
	 * Processes `bytes[start..end)`, the last of which arrived at `nowMs` (monotonic). The input may be split anywhere.
	 * Never throws. On a 7E1 line, bytes of 0x80 or above are damaged characters.
	 */
	receive(bytes: Uint8Array, start: number, end: number, nowMs: number): void;
	/** Returns the next output. Call it until it returns OUTPUT_NONE. */
	poll(): Output;
}

/** A machine with the settings that its line has at the beginning. */
export interface LinkMachine extends Machine {
	readonly line: LineSettings;
	/** True if a 7E1 line may also carry 8N1, and the link detects which one; default false. */
	readonly anyFraming?: boolean;
	/**
	 * Returns the bytes that a log may show: by default the array itself, otherwise a copy with the same offsets in which
	 * secrets are hidden.
	 */
	shown?(direction: number, bytes: Uint8Array, start: number, end: number): Uint8Array;
}

const QUEUE_LIMIT = 8;

interface Waiting extends Output {
	next: Waiting | undefined;
}

/** A linked list, because it takes almost no memory when empty. */
export class OutputQueue {
	#first: Waiting | undefined;

	clear(): void {
		this.#first = undefined;
	}

	transmit(bytes: Uint8Array, start: number, end: number): void {
		const output = this.add(OUTPUT_TRANSMIT);
		output.bytes = bytes;
		output.start = start;
		output.end = end;
	}

	line(baud: number, format: SerialFormat): void {
		const output = this.add(OUTPUT_LINE);
		output.baud = baud;
		output.format = format;
	}

	event(code: number): void {
		this.add(OUTPUT_EVENT).code = code;
	}

	poll(): Output {
		const output = this.#first;
		this.#first = output?.next;
		return output ?? NO_OUTPUT;
	}

	private add(kind: number): Output {
		const output: Waiting = newOutput(kind);
		let count = 1;
		let last = this.#first;
		if (last === undefined) this.#first = output;
		else {
			for (; last.next !== undefined; last = last.next) count++;
			if (count === QUEUE_LIMIT) throw new Error("a machine has more outputs waiting than it may have");
			last.next = output;
		}
		return output;
	}
}

function newOutput(kind: number): Waiting {
	return { kind, bytes: NO_BYTES, start: 0, end: 0, baud: 0, format: FORMAT_7E1, code: 0, next: undefined };
}
