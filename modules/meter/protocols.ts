/** All meter protocols. */

import { AMIS } from "../amis/protocol.js";
import { DLMS, DLMS_AFTER_SIGN_ON, SignOnSession } from "../cosem/protocol.js";
import { DLMS_PUSH } from "../cosem/push.js";
import { Attempts } from "../iec62056-21/attempts.js";
import { openProfile } from "../iec62056-21/profile.js";
import { MODE_D_PUSH, SIGN_ON } from "../iec62056-21/protocol.js";
import type { Cost } from "../io/memory.js";
import { KMP } from "../kmp/protocol.js";
import { MBUS } from "../mbus/protocol.js";
import type { MeterProtocol, ProtocolRow, SessionContext } from "../readout/protocol.js";
import { SML } from "../sml/protocol.js";
import { TIC } from "../tic/protocol.js";
import type { MeterSettings } from "./settings.js";
import { SIMULATED } from "./simulator.js";

/** Memory of a session. DLMS with keys, after a sign-on in mode E, needs the most. */
export const READOUT_COST: Cost = Object.freeze({ slots: 500, chunkBytes: 8192 });
/**
 * Memory that a live session may still take after its first round. It has taken the rest of READOUT_COST by then: 461
 * slots with keys, measured in XS on Linux, and 3 more in each of the next rounds.
 */
export const LIVE_COST: Cost = Object.freeze({ slots: 100, chunkBytes: 4096 });
/** Memory for listening. The last readout stays in memory while the next one is received. */
export const LISTEN_COST: Cost = Object.freeze({ slots: 300, chunkBytes: 8192 });

/**
 * IEC 62056-21 with a sign-on. It is used if the settings match no earlier entry. A load profile that is not in the
 * readout is read in programming mode.
 */
export const IEC: MeterProtocol<MeterSettings> = Object.freeze({
	...SIGN_ON,
	hasProfiles: true,
	open: (context: SessionContext<MeterSettings>) => {
		const { profile } = context;
		return profile === undefined ? new SignOnSession(context, new Attempts(context)) : openProfile(context, profile);
	},
});

/** Entries in the order in which they are compared with the settings. The last entry matches all settings. */
export const PROTOCOLS: readonly ProtocolRow<MeterSettings>[] = Object.freeze([
	SIMULATED,
	MODE_D_PUSH,
	DLMS_PUSH,
	DLMS,
	SML,
	TIC,
	KMP,
	MBUS,
	AMIS,
	DLMS_AFTER_SIGN_ON,
	IEC,
]);

/** Values of the setting `protocol`. */
export const PROTOCOL_NAMES: readonly string[] = Object.freeze(
	PROTOCOLS.map(({ name }) => name).filter(
		(name, i, names): name is string => name !== undefined && names.indexOf(name) === i,
	),
);

export function isChosen(row: ProtocolRow<MeterSettings>, settings: MeterSettings): boolean {
	return row.isChosen?.(settings) ?? row.name === settings.protocol;
}

export function protocolOf(settings: MeterSettings): ProtocolRow<MeterSettings> {
	let i = 0;
	while (i < PROTOCOLS.length - 1 && !isChosen(PROTOCOLS[i], settings)) i++;
	return PROTOCOLS[i];
}

/** Returns the memory that the protocol needs; undefined for a simulated meter. */
export function costOf({ simulate, listenBaud }: ProtocolRow<MeterSettings>): Cost | undefined {
	if (simulate !== undefined) return undefined;
	return listenBaud === undefined ? READOUT_COST : LISTEN_COST;
}
