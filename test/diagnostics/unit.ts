/** The event log of a unit that can restart on the same flash. */

import { VirtualFlash } from "../../hosts/node/virtual-flash.js";
import { VirtualTime } from "../../hosts/node/virtual-time.js";
import { PARTS } from "../../modules/app/parts.js";
import { EventCursor, EventLog } from "../../modules/diagnostics/event-log.js";
import { countAt, detailEnd, UNIT } from "../../modules/diagnostics/event-record.js";
import { eventKind } from "../../modules/diagnostics/events.js";
import { noteFault } from "../faults.js";

export const START_MS = Date.UTC(2026, 10, 22, 7);

/** A log and its dependencies across restarts. */
export class Unit {
	readonly flash: VirtualFlash;
	readonly traces: string[] = [];
	time = new VirtualTime();
	log!: EventLog;

	constructor(flash = new VirtualFlash()) {
		this.flash = flash;
		this.start();
	}

	start(): void {
		this.time = new VirtualTime();
		this.time.setUTC(START_MS);
		const trace = (message: string) => {
			this.traces.push(message);
			noteFault(message);
		};
		this.log = new EventLog({ clock: this.time, trace }, this.flash.open("log"));
	}

	/** The events as `name detail xCount`, the oldest first. */
	get shown(): string[] {
		const texts: string[] = [];
		const cursor = new EventCursor(this.log.copy());
		while (cursor.next()) {
			const { bytes, at } = cursor;
			const detail = Buffer.from(bytes.subarray(at + UNIT, detailEnd(bytes, at))).toString("latin1");
			const count = countAt(bytes, at);
			texts.push(`${eventKind(PARTS, bytes[at]).name} ${detail}`.trim() + (count > 1 ? ` x${count}` : ""));
		}
		return texts;
	}
}
