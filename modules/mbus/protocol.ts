/**
 * Entry for M-Bus in the table of meter protocols. The gateway is the master, and an optical head or a level converter
 * connects it to the slaves.
 */

import type { MeterProtocol, SessionContext } from "../readout/protocol.js";
import { MBUS_INSTEAD, PROTOCOL_MBUS } from "./failures.js";
import { ANY_ADDRESS, MBusSession, type Slaves } from "./session.js";

const USUAL: Slaves = Object.freeze({ baud: 2400, address: ANY_ADDRESS, count: 1, secondary: Object.freeze([]) });

export interface MBusSettings {
	readonly mbus: Slaves;
}

export const MBUS: MeterProtocol<MBusSettings> = Object.freeze({
	name: PROTOCOL_MBUS,
	open: (context: SessionContext<MBusSettings>) => new MBusSession(context, context.settings.mbus, true, false),
	probe: (context: SessionContext<MBusSettings>) => new MBusSession(context, context.settings.mbus, true, true),
	// A reset takes 0.2 s, and the longest telegram takes 1.4 s. The probe sends no wake-up, because that would take too
	// long and disturb telegrams that a meter pushes.
	suggestion: Object.freeze({
		failure: MBUS_INSTEAD,
		limitMs: 1600,
		probe: (context: SessionContext<MBusSettings>) => new MBusSession(context, USUAL, false, true),
	}),
});
