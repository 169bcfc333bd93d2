/**
 * The sans-io contract: what every protocol machine looks like from outside, and the queue they answer `poll` with.
 * Bytes and the time go in, outputs come out; a machine touches no socket, clock or timer (models: h11, str0m).
 */
import { FORMAT_7E1, type SerialFormat } from "./host.js";

/** No more output until the next `receive` or `advance`. */
export const OUTPUT_NONE = 0;
/** Send `bytes[start..end)`. The bytes stay the machine's; they hold still until the next call into it. */
export const OUTPUT_TRANSMIT = 1;
/** Change the line to `baud` and `format` once everything transmitted before has left. */
export const OUTPUT_LINE = 2;
/** Something the owner wants to know: `code` is the machine's own, listed in its header. */
export const OUTPUT_EVENT = 3;

/** One output. It may be used again after later `poll`s: copy what must last. */
export interface Output {
	kind: number;
	bytes: Uint8Array;
	start: number;
	end: number;
	baud: number;
	format: SerialFormat;
	code: number;
}

/** Shared empty array. */
export const NO_BYTES: Uint8Array = Object.freeze(new Uint8Array(0));

/** The output of kind OUTPUT_NONE. */
export const NO_OUTPUT: Output = Object.freeze(newOutput(OUTPUT_NONE));

/** What time moves: protocol machines, and the policies that decide when something is done (io/driver.ts). */
export interface Timed {
	/** Time has come to `nowMs` (monotonic); acts on what is due. Being called too early is no mistake. */
	advance(nowMs: number): void;
	/** When `advance` must be called next, monotonic ms; Infinity when nothing is due. Only a change moves it. */
	readonly deadlineMs: number;
}

export interface Machine extends Timed {
	/**
	 * Takes `bytes[start..end)` that arrived by `nowMs` (monotonic). Any split, any garbage; never throws.
	 * On a 7E1 line a byte of 0x80 or above is a character that arrived damaged.
	 */
	receive(bytes: Uint8Array, start: number, end: number, nowMs: number): void;
	/** The next output; ask until its kind is OUTPUT_NONE. */
	poll(): Output;
}

/** The most outputs a machine may have waiting at once. */
const QUEUE_LIMIT = 8;

interface Waiting extends Output {
	next: Waiting | undefined;
}

/** Outputs waiting to be polled, in order: a chain, so that one at rest takes next to no memory. */
export class OutputQueue {
	#first: Waiting | undefined;

	/** Forgets what is waiting. */
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
