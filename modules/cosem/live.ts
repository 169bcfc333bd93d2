/** Opens the sessions of live mode, which read the power again and again (meter/live-mode.ts). */
import { POLL_ENTRY_SIZE } from "../dlms/poll-list.js";
import type { ReadSession, SessionContext } from "../readout/protocol.js";
import type { Readout } from "../readout/readout.js";
import { RecordCursor } from "../readout/record-cursor.js";
import { DLMS_COSEM, DLMSReadSession } from "./read-session.js";
import type { COSEMSettings } from "./settings.js";

/** Maximum number of registers: import, export and net power, each in total and for three phases. */
const POWERS_LIMIT = 12;
const PHASE_STEP = 20;

/**
 * Opens a session that reads the registers 1-b:c.7.0 of the last readout. In these, c is 1 (import), 2 (export) or 16
 * (net), plus 20, 40 or 60 for a phase (IEC 62056-6-1).
 */
export function openLive(
	context: SessionContext<COSEMSettings>,
	{ protocol, records }: Readout,
	periodMs: number,
): ReadSession | undefined {
	const list = new Uint8Array(1 + POWERS_LIMIT * POLL_ENTRY_SIZE);
	const cursor = new RecordCursor(records);
	let at = 1;
	while (cursor.nextRecord() && at < list.length) {
		const { a, b, c, d, e } = cursor.code;
		const kind = c < 4 * PHASE_STEP ? c % PHASE_STEP : 0;
		const isPower = a === 1 && d === 7 && e === 0 && cursor.attribute === 0;
		if (!isPower || (kind !== 1 && kind !== 2 && kind !== 16)) continue;
		list.set([a, b, c, d, e, 255, 3, 2], at);
		at += POLL_ENTRY_SIZE;
	}
	list[0] = at >> 3;
	if (protocol !== DLMS_COSEM || at === 1) return undefined;
	return new DLMSReadSession({ ...context, live: list.slice(0, at), periodMs });
}
