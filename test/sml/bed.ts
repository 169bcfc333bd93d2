/** An SML listener with its records. */
import { OUTPUT_NONE } from "../../modules/io/machine.js";
import { EVENT_POOR, EVENT_READOUT } from "../../modules/readout/protocol.js";
import { RecordWriter } from "../../modules/readout/record-writer.js";
import { SML_BROKEN } from "../../modules/sml/failures.js";
import { SMLListener } from "../../modules/sml/listener.js";
import { Household, type HouseholdReading } from "../../tools/meter/household.js";
import { type SMLMake, type SMLTelegramFaults, smlTelegram } from "../../tools/meter/sml-telegram.js";
import { recordsOf } from "../meter/records.js";

const READING = new Household({ utcMs: Date.UTC(2026, 10, 20, 6), mode: "C", baud: 9600 }).reading(0);

/** A telegram from this make of meter, with this power, W. */
export function telegramOf(make: SMLMake, power = 356.24, faults: SMLTelegramFaults = {}): Uint8Array {
	const reading: HouseholdReading = { ...READING, power };
	return Uint8Array.from(smlTelegram(reading, make, faults));
}

/** Contents of an event. */
export interface ReportedEvent {
	readonly event: number;
	readonly code: string | undefined;
	readonly meterId: string;
	readonly records: string[];
}

export class Bed {
	readonly writer = new RecordWriter();
	readonly listener = new SMLListener(this.writer);

	/** Feeds the bytes in pieces of this size, as the link does; returns the events. */
	receive(bytes: Uint8Array, nowMs = 0, piece = bytes.length || 1): ReportedEvent[] {
		const events: ReportedEvent[] = [];
		for (let at = 0; at < bytes.length; at += piece) {
			this.listener.receive(bytes, at, Math.min(bytes.length, at + piece), nowMs);
			events.push(...this.take());
		}
		return events;
	}

	advance(nowMs: number): ReportedEvent[] {
		this.listener.advance(nowMs);
		return this.take();
	}

	take(): ReportedEvent[] {
		const events: ReportedEvent[] = [];
		for (;;) {
			const { kind, code: event } = this.listener.poll();
			if (kind === OUTPUT_NONE) return events;
			const { failure, meterId } = this.listener;
			const isRead = event === EVENT_READOUT || (event === EVENT_POOR && failure !== SML_BROKEN);
			const records = isRead ? recordsOf(this.writer.kept) : [];
			events.push({ event, code: failure?.code, meterId: Buffer.from(meterId).toString("latin1"), records });
		}
	}
}
