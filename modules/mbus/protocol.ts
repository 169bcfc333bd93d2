/** Row of M-Bus in the table of meter protocols: the gateway is the master, over an optical head or a level converter. */
import type { MeterProtocol, Opening, Probing } from "../readout/protocol.js";
import { ANY_ADDRESS, MBusSession, type Slaves } from "./session.js";

/** Value of the protocol setting. */
export const PROTOCOL_MBUS = "mbus";
/** A meter with any settings, at the usual speed. */
const USUAL: Slaves = Object.freeze({ mbusBaud: 2400, mbusAddress: ANY_ADDRESS, mbusSlaves: 1 });

export interface MBusSettings extends Slaves {
	readonly protocol: string;
}

/** Opens a session that looks for a single slave at the usual speed. A wake-up would take too long, and hide pushes. */
export function probeMBus(opening: Opening<MBusSettings>): Probing {
	return new MBusSession(opening, USUAL, false, true);
}

export const MBUS: MeterProtocol<MBusSettings> = Object.freeze({
	isChosen: (settings: MBusSettings) => settings.protocol === PROTOCOL_MBUS,
	open: (opening: Opening<MBusSettings>) => new MBusSession(opening, opening.settings, true, false),
	probe: (opening: Opening<MBusSettings>) => new MBusSession(opening, opening.settings, true, true),
});
