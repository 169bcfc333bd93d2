/** All that the meter can be read by: the one place where protocols are named to the reader. A new one is a row more. */

import { DLMS, DLMS_AFTER_SIGN_ON, SignOnSession } from "../cosem/protocol.js";
import { DLMS_PUSH } from "../cosem/push.js";
import { Attempts } from "../iec62056-21/attempts.js";
import { openProfile } from "../iec62056-21/profile.js";
import { MODE_D_PUSH, SIGN_ON } from "../iec62056-21/protocol.js";
import type { Cost } from "../io/memory.js";
import type { MeterProtocol, Opening, ProtocolRow } from "../readout/protocol.js";
import { SML } from "../sml/protocol.js";
import type { MeterSettings } from "./settings.js";
import { SIMULATED } from "./simulator.js";

/** A conversation with the meter: DLMS with keys after mode E takes most. */
export const READOUT_COST: Cost = Object.freeze({ slots: 500, chunkBytes: 8192 });
/** Listening to a meter that sends by itself: the next readout is there beside the last one. */
export const LISTEN_COST: Cost = Object.freeze({ slots: 300, chunkBytes: 8192 });

/**
 * IEC 62056-21 by a sign-on, and a profile that its readout does not have in programming mode. A meter that has mode E alone
 * is read in DLMS/COSEM. Takes all settings.
 */
export const IEC: MeterProtocol<MeterSettings> = Object.freeze({
	...SIGN_ON,
	asksForProfiles: true,
	open: (opening: Opening<MeterSettings>) => {
		const { profile } = opening;
		return profile === undefined ? new SignOnSession(opening, new Attempts(opening)) : openProfile(opening, profile);
	},
});

/** Asked in this order; the last one takes all settings. */
export const PROTOCOLS: readonly ProtocolRow<MeterSettings>[] = Object.freeze([
	SIMULATED,
	MODE_D_PUSH,
	SML,
	DLMS_PUSH,
	DLMS,
	DLMS_AFTER_SIGN_ON,
	IEC,
]);

/** The one that the settings choose. */
export function protocolOf(settings: MeterSettings): ProtocolRow<MeterSettings> {
	let i = 0;
	while (i < PROTOCOLS.length - 1 && !PROTOCOLS[i].isChosen(settings)) i++;
	return PROTOCOLS[i];
}

/** Memory that a conversation claims; undefined: a simulated one takes none. */
export function costOf({ simulate, listenBaud }: ProtocolRow<MeterSettings>): Cost | undefined {
	if (simulate !== undefined) return undefined;
	return listenBaud === undefined ? READOUT_COST : LISTEN_COST;
}
