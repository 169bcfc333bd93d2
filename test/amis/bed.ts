/** A session for AMIS meters with its records, for the tests in this folder. */
import { NodeCrypto } from "../../hosts/node/platform.js";
import { AMISSession } from "../../modules/amis/session.js";
import { OUTPUT_EVENT, OUTPUT_NONE, OUTPUT_TRANSMIT } from "../../modules/io/machine.js";
import type { SessionContext } from "../../modules/readout/protocol.js";
import { EVENT_READOUT } from "../../modules/readout/protocol.js";
import { RecordWriter } from "../../modules/readout/record-writer.js";
import { AMIS_KEY, type AMISValues, amisTelegram } from "../../tools/meter/amis-meter.js";
import { longFrame } from "../../tools/meter/mbus-meter.js";
import { textOf } from "../latin1.js";
import { recordsOf } from "../meter/records.js";

export const VALUES: AMISValues = {
	utcMs: Date.UTC(2026, 10, 20, 6, 7, 8),
	energyImport: 12_572_239,
	energyExport: 3_276_118,
	reactiveImport: 1_904_500,
	reactiveExport: 380_900,
	powerImport: 1234,
	powerExport: 0,
	reactivePowerImport: 148,
	reactivePowerExport: 0,
	balance: -20_123,
};

/** Readings of VALUES, without the meter's number and status. */
export const READINGS = [
	"0-0:1.0.0*255: 261120070708W",
	"1-0:1.8.0*255: 12572239*Wh",
	"1-0:2.8.0*255: 3276118*Wh",
	"1-0:3.8.1*255: 1904500*varh",
	"1-0:4.8.1*255: 380900*varh",
	"1-0:1.7.0*255: 1234*W",
	"1-0:2.7.0*255: 0*W",
	"1-0:3.7.0*255: 148*var",
	"1-0:4.7.0*255: 0*var",
	"1-0:1.128.0*255: -20123*Wh",
];

/** The telegram with this access number; odd ones have the frame count bit. */
export function telegram(access: number, values: Partial<AMISValues> = {}, key: Uint8Array = AMIS_KEY): Uint8Array {
	return longFrame(amisTelegram({ ...VALUES, ...values }, key, access, (access & 1) << 5));
}

export interface ReportedEvent {
	readonly code: string | undefined;
	readonly meterId: string;
	readonly records: readonly string[];
}

export class Bed {
	/** Number of acknowledgements. */
	acknowledged = 0;
	readonly session: AMISSession;
	readonly #writer = new RecordWriter();

	constructor(encryptionKey: Uint8Array = AMIS_KEY) {
		const settings = { protocol: "amis", dlms: { encryptionKey } };
		const opening = { settings, records: this.#writer, crypto: new NodeCrypto() };
		this.session = new AMISSession(opening as SessionContext<typeof settings>);
	}

	/** Feeds each array as a whole. Returns the events. */
	receive(...pieces: readonly Uint8Array[]): ReportedEvent[] {
		return pieces.flatMap((bytes) => this.take(bytes, 0, bytes.length, 0));
	}

	take(bytes: Uint8Array, start: number, end: number, nowMs: number): ReportedEvent[] {
		this.session.receive(bytes, start, end, nowMs);
		return this.poll();
	}

	/** Lets a silence end a frame. */
	silence(): void {
		this.session.advance(Number.MAX_VALUE);
	}

	poll(): ReportedEvent[] {
		const events: ReportedEvent[] = [];
		for (;;) {
			const { kind, bytes, start, end, code } = this.session.poll();
			if (kind === OUTPUT_NONE) return events;
			if (kind === OUTPUT_TRANSMIT) {
				if (end - start !== 1 || bytes[start] !== 0xe5) throw new Error("something other than E5 was sent");
				this.acknowledged++;
			}
			if (kind !== OUTPUT_EVENT) continue;
			const { failure, meterId } = this.session;
			const records = code === EVENT_READOUT ? recordsOf(this.#writer.kept) : [];
			events.push({ code: failure?.code, meterId: textOf(meterId), records });
		}
	}
}
