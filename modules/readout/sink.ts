/**
 * Where a protocol puts what a meter tells: the sink of its data sets, which record-writer.ts is. It is in the words of
 * IEC 62056-21 (lines of data sets, of an address and values with units each), since all others fit into them.
 */

/** The longest address that is taken; 16 by the standard. */
export const ADDRESS_LIMIT = 64;

/** Where the parts of data sets go. Offsets are only valid during the call. */
export interface RecordSink {
	/** A new transmission (or the repetition of one) begins: forget everything. */
	begin(): void;
	/** At the begin of a line, another part of the transmission begins; `isAgain`: the last one once more, forget what came of it. */
	beginPart(isAgain: boolean): void;
	/** A line begins; `discardLine` comes back to here. */
	beginLine(): void;
	/** A new data set begins, its address follows; the values after it belong to it. */
	beginSet(): void;
	/**
	 * A value of the current set begins. Before the first set of a line it belongs to the last set before; where that is a
	 * load profile, the line is a row of it.
	 */
	beginValue(): void;
	/** Piece of the address, the value, or the unit that was begun last. */
	text(part: number, bytes: Uint8Array, start: number, end: number): void;
	/** The value is complete and good. */
	endValue(): void;
	/** The current value, and its set if it has no complete value, breaks the grammar. */
	discardSet(): void;
	/** Everything since `beginLine` is not to be trusted. */
	discardLine(): void;
	/** The block is whole; `good` tells whether its checks were passed. Keep it now: `begin` may follow at once. */
	endBlock(good: boolean): void;
}

/** Parts given to `RecordSink.text`. */
export const PART_ADDRESS = 0;
export const PART_VALUE = 1;
export const PART_UNIT = 2;
