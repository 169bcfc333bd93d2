/** Puts newer values into the records of a readout (record-writer.ts), whose other values stay. */
import { RecordCursor } from "./record-cursor.js";

/**
 * Returns a copy of `records` with the values of `newer`, which has some of the same records in the same order. Undefined
 * if a record of `newer` has no counterpart.
 */
export function replaceValues(records: Uint8Array, newer: Uint8Array): Uint8Array | undefined {
	const into = new Uint8Array(records.length + newer.length);
	const [old, next] = [new RecordCursor(records), new RecordCursor(newer)];
	let from = 0;
	let to = 0;
	let isLeft = next.nextRecord();
	while (isLeft && old.nextRecord()) {
		const isSame = old.code.quantity === next.code.quantity && old.attribute === 0 && old.code.billingPeriod === null;
		if (!isSame) continue;
		const { valuesStart } = old;
		into.set(records.subarray(from, valuesStart), to);
		to += valuesStart - from;
		into.set(newer.subarray(next.valuesStart, next.valuesEnd), to);
		to += next.valuesEnd - next.valuesStart;
		from = old.valuesEnd;
		isLeft = next.nextRecord();
	}
	if (isLeft) return undefined;
	into.set(records.subarray(from), to);
	return into.slice(0, to + records.length - from);
}
