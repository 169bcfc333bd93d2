/**
 * Other protocols that a probe tries if the configured one receives nothing. Meters with unsolicited telegrams are
 * found by listening (recogniser.ts).
 */

import { ConnectionProbe, DLMS } from "../cosem/protocol.js";
import { OPENING_DIRECT } from "../cosem/settings.js";
import { probeIdent } from "../iec62056-21/protocol.js";
import type { SessionContext, Suggestion } from "../readout/protocol.js";
import { PROTOCOL_IEC62056 } from "../readout/protocol-names.js";
import { FAILURE_HDLC_INSTEAD, FAILURE_SIGN_ON_INSTEAD } from "./failures.js";
import { isChosen, PROTOCOLS } from "./protocols.js";
import type { MeterSettings } from "./settings.js";

export type SuggestedProtocol = Suggestion<MeterSettings>;

const SIGN_ON: SuggestedProtocol = Object.freeze({
	failure: FAILURE_SIGN_ON_INSTEAD,
	limitMs: 2800,
	probe: probeIdent,
});
const HDLC: SuggestedProtocol = Object.freeze({
	failure: FAILURE_HDLC_INSTEAD,
	limitMs: 950,
	probe: (context: SessionContext<MeterSettings>) => new ConnectionProbe(context),
});

/**
 * Returns the protocols to try. Protocols with a `suggestion` in PROTOCOLS are tried only in the last round, because
 * they take long, and because a request could disturb a telegram that a meter pushes.
 */
export function suggestionsFor(settings: MeterSettings, isLastRound: boolean): readonly SuggestedProtocol[] {
	const suggestions: SuggestedProtocol[] = [];
	const isDLMS = isChosen(DLMS, settings);
	const signsOn = isDLMS
		? settings.dlms.opening !== OPENING_DIRECT
		: settings.protocol === PROTOCOL_IEC62056 && !settings.modeD;
	if (!signsOn) suggestions.push(SIGN_ON);
	if (!isDLMS) suggestions.push(HDLC);
	if (!isLastRound) return suggestions;
	for (const row of PROTOCOLS) {
		const { suggestion } = row;
		if (suggestion !== undefined && !suggestion.calls && !isChosen(row, settings)) suggestions.push(suggestion);
	}
	return suggestions;
}

/**
 * Returns the protocol of meters that only call from time to time; undefined if it is the configured one, or missing in
 * this firmware.
 */
export function unsolicitedProtocol(settings: MeterSettings): SuggestedProtocol | undefined {
	return PROTOCOLS.find((row) => row.suggestion?.calls && !isChosen(row, settings))?.suggestion;
}
