/**
 * Row of M-Bus in the table of meter protocols: the gateway is the master, over an optical head or a level converter.
 * If no slave answers at first, another session begins with the wake-up of optical ports.
 */
import { FORMAT_8E1, type LineSettings } from "../io/host.js";
import { NO_BYTES } from "../io/machine.js";
import type { MeterProtocol, Opening, Probing, ReadSession } from "../readout/protocol.js";
import { type Readout, statusOf } from "../readout/readout.js";
import { MBUS_BROKEN, MBUS_SILENCE } from "./failures.js";
import { MBusSession } from "./session.js";

/** Protocol name in the API. */
const PROTOCOL = "M-Bus";
/** Value of the protocol setting. */
export const PROTOCOL_MBUS = "mbus";
/** Speed and address of a meter that is looked for. */
const USUAL_BAUD = 2400;
const ANY_ADDRESS = 254;

export interface MBusSettings {
	readonly protocol: string;
	/** Bd. */
	readonly mbusBaud: number;
	/** Primary address of the first slave, and number of slaves, whose addresses follow it. */
	readonly mbusAddress: number;
	readonly mbusSlaves: number;
}

type Line = Pick<MBusSettings, "mbusBaud" | "mbusAddress" | "mbusSlaves">;

const USUAL: Line = Object.freeze({ mbusBaud: USUAL_BAUD, mbusAddress: ANY_ADDRESS, mbusSlaves: 1 });

class MBusReadSession extends MBusSession implements ReadSession, Probing {
	readonly line: LineSettings;
	readonly #opening: Opening<MBusSettings>;
	readonly #settings: Line;
	readonly #identOnly: boolean;
	readonly #wakesUp: boolean;

	constructor(opening: Opening<MBusSettings>, settings: Line, identOnly: boolean, wakesUp = false) {
		const { records, quietMs, nowMs } = opening;
		const { mbusBaud: baud, mbusAddress: address, mbusSlaves } = settings;
		const slaves = address === ANY_ADDRESS ? 1 : mbusSlaves;
		super({ records, baud, address, slaves, wakesUp, identOnly, quietMs, nowMs });
		this.line = { baud, format: FORMAT_8E1 };
		this.#opening = opening;
		this.#settings = settings;
		this.#identOnly = identOnly;
		this.#wakesUp = wakesUp;
	}

	next(quietMs: number, nowMs: number): MBusReadSession | undefined {
		const isSilent = this.failure === MBUS_SILENCE;
		if (this.#wakesUp || (!isSilent && this.failure !== MBUS_BROKEN)) return undefined;
		const opening = { ...this.#opening, quietMs: isSilent ? 0 : quietMs, nowMs };
		return new MBusReadSession(opening, this.#settings, this.#identOnly, true);
	}

	nextProbe(nowMs: number): Probing | undefined {
		return this.next(0, nowMs);
	}

	readout(_event: number, utcMs: number): Readout | undefined {
		if (this.failure !== undefined) return undefined;
		const { meterId, line, isCut } = this;
		const { kept: records = NO_BYTES, overflow } = this.#opening.records;
		const status = statusOf(isCut || overflow);
		return { protocol: PROTOCOL, meterId, mode: 0, baud: line.baud, utcMs, status, records };
	}
}

/** Opens a session that looks for a single slave at the usual speed. A wake-up would take too long, and hide pushes. */
export function probeMBus(opening: Opening<MBusSettings>): Probing {
	return new MBusReadSession(opening, USUAL, true);
}

export const MBUS: MeterProtocol<MBusSettings> = Object.freeze({
	isChosen: (settings: MBusSettings) => settings.protocol === PROTOCOL_MBUS,
	open: (opening: Opening<MBusSettings>) => new MBusReadSession(opening, opening.settings, false),
	probe: (opening: Opening<MBusSettings>) => new MBusReadSession(opening, opening.settings, true),
});
