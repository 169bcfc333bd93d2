/**
 * Other protocols that a probe tries if the configured one receives nothing. Meters with unsolicited telegrams are
 * found by listening (recogniser.ts).
 */

import { ConnectionProbe, DLMS } from "../cosem/protocol.js";
import { OPENING_DIRECT } from "../cosem/settings.js";
import { probeIdent } from "../iec62056-21/protocol.js";
import { KMP, probeKMP } from "../kmp/protocol.js";
import { MBUS, probeMBus } from "../mbus/protocol.js";
import type { Failure } from "../readout/failure.js";
import type { Opening, Probing } from "../readout/protocol.js";
import { SML } from "../sml/protocol.js";
import { TIC } from "../tic/protocol.js";
import {
	FAILURE_HDLC_INSTEAD,
	FAILURE_KMP_INSTEAD,
	FAILURE_MBUS_INSTEAD,
	FAILURE_SIGN_ON_INSTEAD,
} from "./failures.js";
import type { MeterSettings } from "./settings.js";

/** A protocol to try; `failure` is reported if the meter answers in this protocol. */
export interface SuggestedProtocol {
	readonly failure: Failure;
	/** Time limit for the answer to one request, ms. */
	readonly limitMs: number;
	probe(opening: Opening<MeterSettings>): Probing;
}

const SIGN_ON: SuggestedProtocol = Object.freeze({
	failure: FAILURE_SIGN_ON_INSTEAD,
	limitMs: 2800,
	probe: probeIdent,
});
const HDLC: SuggestedProtocol = Object.freeze({
	failure: FAILURE_HDLC_INSTEAD,
	limitMs: 950,
	probe: (opening: Opening<MeterSettings>) => new ConnectionProbe(opening),
});

/** An answer takes 0.45 s. The limit is below the wait for it, so that only one request hides what a meter pushes. */
const KAMSTRUP: SuggestedProtocol = Object.freeze({ failure: FAILURE_KMP_INSTEAD, limitMs: 950, probe: probeKMP });
/** A reset takes 0.2 s, and the longest telegram 1.4 s. */
const SLAVE: SuggestedProtocol = Object.freeze({ failure: FAILURE_MBUS_INSTEAD, limitMs: 1600, probe: probeMBus });

/**
 * Returns the protocols to try, in order. Those of heat meters are left for the last round, because they take long, and
 * meanwhile a push could arrive that is hidden by a request.
 */
export function suggestionsFor(settings: MeterSettings, isLastRound: boolean): readonly SuggestedProtocol[] {
	const suggestions: SuggestedProtocol[] = [];
	const isDLMS = DLMS.isChosen(settings);
	const isKMP = KMP.isChosen(settings);
	const isMBus = MBUS.isChosen(settings);
	const listens = settings.modeD || SML.isChosen(settings) || TIC.isChosen(settings);
	if (listens || isKMP || isMBus || (isDLMS && settings.dlms.opening === OPENING_DIRECT)) suggestions.push(SIGN_ON);
	if (!isDLMS) suggestions.push(HDLC);
	if (!isKMP && isLastRound) suggestions.push(KAMSTRUP);
	if (!isMBus && isLastRound) suggestions.push(SLAVE);
	return suggestions;
}
