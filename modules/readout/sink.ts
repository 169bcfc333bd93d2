/**
 * Receiver of a meter's data sets (record-writer.ts), in the terms of IEC 62056-21. A line consists of data sets, and a
 * data set has an address and values with units.
 */

/** Maximum length of an address; in the standard it is 16. */
export const ADDRESS_LIMIT = 64;

/** Receiver of data sets. Byte offsets in its parameters are valid only during the call. */
export interface RecordSink {
	/** Begins a readout, and discards earlier data. */
	begin(): void;
	/** Begins a part of a block, and a line. If `isAgain`, the part repeats the last part, which is discarded. */
	beginPart(isAgain: boolean): void;
	/** Begins a line, which `discardLine` can discard. */
	beginLine(): void;
	beginSet(): void;
	/**
	 * Begins a value. A value before the first set of a line belongs to the previous set; in a load profile, such a line
	 * is a row.
	 */
	beginValue(): void;
	text(part: number, bytes: Uint8Array, start: number, end: number): void;
	endValue(): void;
	/** Discards a value because of a syntax error. If the set has no complete value, discards the set too. */
	discardSet(): void;
	discardLine(): void;
	/** Ends a block. `good`: true if its checks passed. Copy the data immediately, because `begin` may follow. */
	endBlock(good: boolean): void;
}

export const PART_ADDRESS = 0;
export const PART_VALUE = 1;
export const PART_UNIT = 2;
