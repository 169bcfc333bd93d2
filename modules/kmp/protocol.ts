/**
 * Row of Kamstrup's KMP in the table of meter protocols: heat, cooling and water meters with an optical port. Their
 * battery pays for each readout, so the gateway reads them once an hour at most by itself.
 */
import type { LineSettings } from "../io/host.js";
import { NO_BYTES } from "../io/machine.js";
import type { MeterProtocol, Opening, Probing, ReadSession } from "../readout/protocol.js";
import { type Readout, statusOf } from "../readout/readout.js";
import { KMP_LINE, KMPSession } from "./session.js";

/** Protocol name in the API. */
const PROTOCOL = "KMP";
/** Value of the protocol setting. */
export const PROTOCOL_KMP = "kmp";
const REST_MINUTES = 60;

export interface KMPSettings {
	readonly protocol: string;
}

class KMPReadSession extends KMPSession implements ReadSession, Probing {
	readonly #opening: Opening<KMPSettings>;

	constructor(opening: Opening<KMPSettings>, identOnly: boolean) {
		super(opening.records, identOnly, opening.quietMs, opening.nowMs);
		this.#opening = opening;
	}

	get line(): LineSettings {
		return KMP_LINE;
	}

	readout(_event: number, utcMs: number): Readout | undefined {
		if (this.failure !== undefined) return undefined;
		const { meterId } = this;
		const { kept: records = NO_BYTES, overflow } = this.#opening.records;
		return { protocol: PROTOCOL, meterId, mode: 0, baud: KMP_LINE.baud, utcMs, status: statusOf(overflow), records };
	}
}

/** Opens a session that ends after the serial number. */
export function probeKMP(opening: Opening<KMPSettings>): Probing {
	return new KMPReadSession(opening, true);
}

export const KMP: MeterProtocol<KMPSettings> = Object.freeze({
	isChosen: (settings: KMPSettings) => settings.protocol === PROTOCOL_KMP,
	restMinutes: REST_MINUTES,
	open: (opening: Opening<KMPSettings>) => new KMPReadSession(opening, false),
	probe: probeKMP,
});
