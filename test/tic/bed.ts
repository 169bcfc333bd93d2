/** A TIC listener with its records, for the tests in this folder. */
import { OUTPUT_EVENT, OUTPUT_LINE, OUTPUT_NONE } from "../../modules/io/machine.js";
import { EVENT_READOUT } from "../../modules/readout/protocol.js";
import { RecordWriter } from "../../modules/readout/record-writer.js";
import { TICListener } from "../../modules/tic/listener.js";
import { Household } from "../../tools/meter/household.js";
import { type TICMode, ticFrame } from "../../tools/meter/tic-telegram.js";
import { recordsOf } from "../meter/records.js";

export const READING = new Household({ utcMs: Date.UTC(2026, 10, 20, 6), mode: "C", baud: 9600 }).reading(0);

export function frameOf(mode: TICMode): Uint8Array {
	return ticFrame(READING, mode);
}

/** Contents of an event. */
export interface ReportedEvent {
	readonly event: number;
	readonly code: string | undefined;
	readonly meterId: string;
	readonly isCut: boolean;
	readonly records: string[];
}

export class Bed {
	readonly writer = new RecordWriter();
	readonly listener = new TICListener(this.writer);
	/** Speeds that the listener has changed to. */
	readonly bauds: number[] = [];

	/** Feeds the bytes one at a time, so that the events of each frame are seen. */
	receive(bytes: Uint8Array, nowMs = 0): ReportedEvent[] {
		const events: ReportedEvent[] = [];
		for (let at = 0; at < bytes.length; at++) {
			this.listener.receive(bytes, at, at + 1, nowMs);
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
			const output = this.listener.poll();
			if (output.kind === OUTPUT_NONE) return events;
			if (output.kind === OUTPUT_LINE) this.bauds.push(output.baud);
			if (output.kind !== OUTPUT_EVENT) continue;
			const { failure, meterId, isCut } = this.listener;
			const records = output.code === EVENT_READOUT ? recordsOf(this.writer.kept) : [];
			const id = Buffer.from(meterId).toString("latin1");
			events.push({ event: output.code, code: failure?.code, meterId: id, isCut, records });
		}
	}
}
