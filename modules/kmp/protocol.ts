/**
 * Entry for Kamstrup's KMP in the table of meter protocols. Heat, cooling and water meters with an optical port use it.
 * Each readout drains the meter's battery, so automatic readouts are at least an hour apart.
 */

import type { MeterProtocol, Probing, SessionContext } from "../readout/protocol.js";
import { KMP_INSTEAD, PROTOCOL_KMP } from "./failures.js";
import { KMPSession } from "./session.js";

const REST_MINUTES = 60;

function probe(context: SessionContext<unknown>): Probing {
	return new KMPSession(context, true);
}

export const KMP: MeterProtocol<unknown> = Object.freeze({
	name: PROTOCOL_KMP,
	restMinutes: REST_MINUTES,
	open: (context: SessionContext<unknown>) => new KMPSession(context, false),
	probe,
	// An answer takes 0.45 s. `limitMs` is shorter than the session's wait for an answer, so that only one request is
	// sent: a request can disturb a telegram that a meter pushes.
	suggestion: Object.freeze({ failure: KMP_INSTEAD, limitMs: 950, probe }),
});
