/** The objects that live mode reads, made from the last readout. */
import { POLL_ENTRY_SIZE } from "../dlms/poll-list.js";
import { RecordCursor } from "../readout/record-cursor.js";

/** Import, export and net power, of all phases together and of each. */
const POWERS_LIMIT = 12;
const PHASE_STEP = 20;

/**
 * Returns the poll list (dlms/poll-list.ts) of the active powers in `records`: registers 1-b:c.7.0, in which c is 1
 * (import), 2 (export) or 16 (net), plus 20, 40 or 60 for a phase (IEC 62056-6-1).
 */
export function powersOf(records: Uint8Array): Uint8Array {
	const list = new Uint8Array(1 + POWERS_LIMIT * POLL_ENTRY_SIZE);
	const cursor = new RecordCursor(records);
	const { code } = cursor;
	let at = 1;
	while (cursor.nextRecord() && at < list.length) {
		const { a, b, c, d, e } = code;
		const kind = c < 4 * PHASE_STEP ? c % PHASE_STEP : 0;
		if (a !== 1 || d !== 7 || e !== 0 || cursor.attribute !== 0) continue;
		if (kind !== 1 && kind !== 2 && kind !== 16) continue;
		list.set([a, b, c, d, e, 255, 3, 2], at);
		at += POLL_ENTRY_SIZE;
	}
	list[0] = at >> 3;
	return list.slice(0, at);
}
