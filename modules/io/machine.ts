/**
 * The sans-io contract: what every protocol machine looks like from outside. Types and output kinds only.
 * Bytes and the time go in, outputs come out; a machine touches no socket, clock or timer (models: h11, str0m).
 */
import type { SerialFormat } from "./host.js";

/** No more output until the next `receive` or `advance`. */
export const OUTPUT_NONE = 0;
/** Send `bytes[start..end)`. The bytes stay the machine's; they hold still until the next call into it. */
export const OUTPUT_TRANSMIT = 1;
/** Change the line to `baud` and `format` once everything transmitted before has left. */
export const OUTPUT_LINE = 2;
/** Something the owner wants to know: `code` is the machine's own, listed in its header. */
export const OUTPUT_EVENT = 3;

/** One output. A machine owns a single such object and fills it anew at each `poll`: copy what must last. */
export interface Output {
	kind: number;
	bytes: Uint8Array;
	start: number;
	end: number;
	baud: number;
	format: SerialFormat;
	code: number;
}

export interface Machine {
	/**
	 * Takes `bytes[start..end)` that arrived by `nowMs` (monotonic). Any split, any garbage; never throws.
	 * On a 7E1 line a byte of 0x80 or above is a character that arrived damaged.
	 */
	receive(bytes: Uint8Array, start: number, end: number, nowMs: number): void;
	/** Time has come to `nowMs`; acts on what is due. */
	advance(nowMs: number): void;
	/** The next output; ask until its kind is OUTPUT_NONE. */
	poll(): Output;
	/** When `advance` must be called next, monotonic ms; Infinity when nothing is due. */
	readonly deadlineMs: number;
}
