/**
 * The sans-io contract of protocol machines: bytes and the time go in, outputs come out; a machine uses no socket,
 * clock or timer (models: h11, str0m).
 */
import { FORMAT_7E1, type SerialFormat } from "./host.js";

/** No more output until the next `receive` or `advance`. */
export const OUTPUT_NONE = 0;
/** Send `bytes[start..end)`, which the machine owns and keeps until the next call into it. */
export const OUTPUT_TRANSMIT = 1;
/** Change to `baud` and `format`, after earlier bytes have left. */
export const OUTPUT_LINE = 2;
export const OUTPUT_EVENT = 3;

/** An output, reused by later `poll()` calls: copy what must last. */
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
	/** A call before the deadline is harmless. */
	advance(nowMs: number): void;
	/** Next `advance()`, monotonic ms; Infinity when nothing is due. It changes only when the machine changes. */
	readonly deadlineMs: number;
}

export interface Machine extends Timed {
	/**
	 * `bytes[start..end)` arrived until `nowMs` (monotonic). Input may be split anywhere. Never throws. On a 7E1 line,
	 * bytes of 0x80 or above are damaged.
	 */
	receive(bytes: Uint8Array, start: number, end: number, nowMs: number): void;
	/** Returns the next output; call it until OUTPUT_NONE. */
	poll(): Output;
}

const QUEUE_LIMIT = 8;

interface Waiting extends Output {
	next: Waiting | undefined;
}

/** Linked list: when empty it takes almost no memory. */
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
