/** All that the meter can be read by: the one place where protocols are named to the reader. A new one is a row more. */
import { MODE_D_PUSH } from "../iec62056-21/protocol.js";
import { type Cost, LISTEN_COST, READOUT_COST } from "../io/memory.js";
import type { ProtocolRow } from "../readout/protocol.js";
import { SML } from "../sml/protocol.js";
import { DLMS, DLMS_AFTER_SIGN_ON } from "./dlms-protocol.js";
import { DLMS_PUSH } from "./dlms-push.js";
import { IEC } from "./iec-profile.js";
import type { MeterSettings } from "./settings.js";
import { SIMULATED } from "./simulator.js";

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
