/**
 * The values of live mode: active power, import, export and net, of all phases and of each phase (IEC 62056-6-1), as far
 * as the last readout has them.
 */
import { entryAt } from "../dlms/plan.js";
import { ATTRIBUTE_VALUE, POLL_ATTRIBUTE, POLL_CLASS } from "../dlms/poll-list.js";
import { BILLING_PERIOD_CURRENT, type OBISCode } from "../obis/code.js";
import { RecordCursor } from "../readout/record-cursor.js";

export interface LiveRounds {
	/** Positions of the poll list, as bits (dlms/plan.ts). */
	readonly positions: number;
	/** Time from the beginning of one round to the next, ms. */
	readonly periodMs: number;
}

const CLASS_REGISTER = 3;
const ELECTRICITY = 1;
/** Groups C of all phases together; those of phase n are 20 n higher. */
const IMPORT = 1;
const EXPORT = 2;
const NET = 16;
const PHASE_STEP = 20;
const HIGHEST = NET + 3 * PHASE_STEP;
const MOMENTARY = 7;

/** Returns the positions of the poll list whose power is in `records`, as bits. */
export function powerPositions(list: Uint8Array, records: Uint8Array): number {
	const cursor = new RecordCursor(records);
	let positions = 0;
	while (cursor.nextRecord()) {
		if (cursor.attribute !== 0) continue;
		for (let i = 0; i < list[0]; i++) if (isPower(list, entryAt(i), cursor.code)) positions |= 1 << i;
	}
	return positions;
}

/** Returns true if the object at `list[at]` is the register of a power, and has this code. */
function isPower(list: Uint8Array, at: number, { a, b, c, d, e, billingPeriod }: OBISCode): boolean {
	const kind = c % PHASE_STEP;
	if (a !== ELECTRICITY || c > HIGHEST || (kind !== IMPORT && kind !== EXPORT && kind !== NET)) return false;
	if (d !== MOMENTARY || e !== 0 || billingPeriod !== null) return false;
	if (list[at + POLL_CLASS] !== CLASS_REGISTER || list[at + POLL_ATTRIBUTE] !== ATTRIBUTE_VALUE) return false;
	const isSame = list[at] === a && list[at + 1] === b && list[at + 2] === c && list[at + 3] === d;
	return isSame && list[at + 4] === e && list[at + 5] === BILLING_PERIOD_CURRENT;
}
