/**
 * Entry for Kamstrup's KMP in the table of meter protocols. Heat, cooling and water meters with an optical port use it.
 * Each readout drains the meter's battery, so automatic readouts are at least an hour apart.
 */

import type { MeterProtocol, Probing, SessionContext } from "../readout/protocol.js";
import { PROTOCOL_KMP } from "../readout/protocol-names.js";
import { KMP_INSTEAD } from "./failures.js";
import { KMPSession } from "./session.js";

const REST_MINUTES = 60;

export interface KMPSettings {
	readonly protocol: string;
}

function probe(context: SessionContext<KMPSettings>): Probing {
	return new KMPSession(context, true);
}

export const KMP: MeterProtocol<KMPSettings> = Object.freeze({
	isChosen: (settings: KMPSettings) => settings.protocol === PROTOCOL_KMP,
	restMinutes: REST_MINUTES,
	open: (context: SessionContext<KMPSettings>) => new KMPSession(context, false),
	probe,
	// An answer takes 0.45 s. `limitMs` is shorter than the session's wait for an answer, so that only one request is
	// sent: a request can disturb a telegram that a meter pushes.
	suggestion: Object.freeze({ failure: KMP_INSTEAD, limitMs: 950, probe }),
});
