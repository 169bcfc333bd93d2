/**
 * Row of Kamstrup's KMP in the table of meter protocols: heat, cooling and water meters with an optical port. Their
 * battery pays for each readout, so the gateway reads them once an hour at most by itself.
 */
import type { MeterProtocol, Opening, Probing } from "../readout/protocol.js";
import { KMPSession } from "./session.js";

/** Value of the protocol setting. */
export const PROTOCOL_KMP = "kmp";
const REST_MINUTES = 60;

export interface KMPSettings {
	readonly protocol: string;
}

/** Opens a session that ends after the serial number. */
export function probeKMP(opening: Opening<KMPSettings>): Probing {
	return new KMPSession(opening, true);
}

export const KMP: MeterProtocol<KMPSettings> = Object.freeze({
	isChosen: (settings: KMPSettings) => settings.protocol === PROTOCOL_KMP,
	restMinutes: REST_MINUTES,
	open: (opening: Opening<KMPSettings>) => new KMPSession(opening, false),
	probe: probeKMP,
});
