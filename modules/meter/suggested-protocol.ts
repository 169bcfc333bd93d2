/**
 * Alternative protocols that a probe tries when the chosen one receives nothing. Listening (recogniser.ts) finds meters
 * with unsolicited telegrams.
 */

import { ConnectionProbe, DLMS } from "../cosem/protocol.js";
import { OPENING_DIRECT } from "../cosem/settings.js";
import { probeIdent } from "../iec62056-21/protocol.js";
import type { Failure } from "../readout/failure.js";
import type { Opening, Probing } from "../readout/protocol.js";
import { SML } from "../sml/protocol.js";
import { TIC } from "../tic/protocol.js";
import { FAILURE_HDLC_INSTEAD, FAILURE_SIGN_ON_INSTEAD } from "./failures.js";
import type { MeterSettings } from "./settings.js";

/** `failure` is reported when the meter answers. */
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

/** Returns the alternatives in order. */
export function suggestionsFor(settings: MeterSettings): readonly SuggestedProtocol[] {
	if (DLMS.isChosen(settings)) return settings.dlms.opening === OPENING_DIRECT ? [SIGN_ON] : [];
	return settings.modeD || SML.isChosen(settings) || TIC.isChosen(settings) ? [SIGN_ON, HDLC] : [HDLC];
}
