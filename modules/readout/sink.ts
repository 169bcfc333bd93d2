/**
 * Receiver of a meter's data sets (record-writer.ts), in the terms of IEC 62056-21: lines of data sets, which have an
 * address and values with units.
 */

/** Maximum address length; the standard allows 16. */
export const ADDRESS_LIMIT = 64;

/** Byte offsets are valid only during the call. */
export interface RecordSink {
	/** Discards previous data. */
	begin(): void;
	/** A part begins a line. `isAgain`: it repeats the last part, which is discarded. */
	beginPart(isAgain: boolean): void;
	/** `discardLine` may discard the line. */
	beginLine(): void;
	beginSet(): void;
	/** A value before a line's first set belongs to the previous set; in a load profile such a line is a row. */
	beginValue(): void;
	text(part: number, bytes: Uint8Array, start: number, end: number): void;
	endValue(): void;
	/** Discards the value because of a syntax error, and the set too if it has no complete value. */
	discardSet(): void;
	discardLine(): void;
	/** `good`: its checks passed. Copy the data at once: `begin` may follow. */
	endBlock(good: boolean): void;
}

export const PART_ADDRESS = 0;
export const PART_VALUE = 1;
export const PART_UNIT = 2;
