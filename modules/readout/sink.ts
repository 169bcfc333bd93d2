/**
 * Receiver of the data sets of a meter, implemented by record-writer.ts. It uses the terms of IEC 62056-21 (lines of data
 * sets with an address and values with units), because the data of all other protocols fits them.
 */

/** Maximum address length; the standard allows 16. */
export const ADDRESS_LIMIT = 64;

/** Receiver of data sets. Byte offsets are valid only during the call. */
export interface RecordSink {
	/** Begins a new or repeated transmission and discards all previous data. */
	begin(): void;
	/**
	 * Begins another part of the transmission, at the start of a line. `isAgain`: repeats the last part, so its data is
	 * discarded.
	 */
	beginPart(isAgain: boolean): void;
	/** Begins a line; `discardLine` returns to this point. */
	beginLine(): void;
	/** Begins a data set; its address and then its values follow. */
	beginSet(): void;
	/**
	 * Begins a value of the current set. Before the first set of a line, the value belongs to the previous set; if that is
	 * a load profile, the line is a row of it.
	 */
	beginValue(): void;
	/** Adds a piece of the current address, value or unit. */
	text(part: number, bytes: Uint8Array, start: number, end: number): void;
	/** Completes a valid value. */
	endValue(): void;
	/** Discards the current value because of a syntax error; also its set if that has no complete value. */
	discardSet(): void;
	/** Discards all data since `beginLine`. */
	discardLine(): void;
	/** Completes the block; `good` tells whether its checks passed. Keep the data at once: `begin` may follow immediately. */
	endBlock(good: boolean): void;
}

/** Values of `part` in `RecordSink.text`. */
export const PART_ADDRESS = 0;
export const PART_VALUE = 1;
export const PART_UNIT = 2;
