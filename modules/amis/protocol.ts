/**
 * Entry for Siemens AMIS meters in the table of meter protocols (meter/protocols.ts). A session runs until it is
 * aborted.
 */

import type { MeterProtocol, SessionContext } from "../readout/protocol.js";
import { AMIS_INSTEAD, AMIS_SILENCE, PROTOCOL_AMIS } from "./failures.js";
import { AMISSession, type AMISSettings, LINE } from "./session.js";

/** Time within which a meter calls and then sends two telegrams, ms. */
const CALL_MS = 63_000;
/**
 * Longest time for which a probe listens for a call if this protocol is configured, ms. Afterwards it tries other
 * protocols.
 */
const LISTEN_MS = 50_000;

function listen(context: SessionContext<AMISSettings>): AMISSession {
	return new AMISSession(context);
}

export const AMIS: MeterProtocol<AMISSettings> = Object.freeze({
	name: PROTOCOL_AMIS,
	listenBaud: () => LINE.baud,
	listenMs: LISTEN_MS,
	late: AMIS_SILENCE,
	open: listen,
	probe: listen,
	suggestion: Object.freeze({ failure: AMIS_INSTEAD, limitMs: CALL_MS, calls: true, probe: listen }),
});
