/**
 * Text of the diagnostic report. Each section begins with its name in brackets (docs/diagnostic-report.md). Except in
 * the session log, the text contains no secrets, names, addresses or digits of the meter's number.
 */
import { encodeHex } from "../../bytes/hex.js";
import { settingLine } from "../../config/report.js";
import type { Core } from "../../core/core.js";
import { EventCursor } from "../../diagnostics/event-log.js";
import { countAt, detailEnd, timeAt, UNIT, uptimeAt } from "../../diagnostics/event-record.js";
import { eventKind } from "../../diagnostics/events.js";
import { LOG_LINE, LOG_TRANSMITTED, LogCursor } from "../../meter/line-log.js";
import type { Part } from "../../part/part.js";
import { utcText } from "../../time/iso.js";
import { METER } from "../meter/part.js";
import { printable } from "../meter/report.js";
import { metricsOf } from "./metrics.js";

export const REPORT_SECTIONS: readonly string[] = Object.freeze([
	"report",
	"device",
	"update",
	"start",
	"network",
	"meter",
	"settings",
	"counters",
	"events",
	"conversation",
]);
/** Sections that consist of several texts. The section "counters" has the metrics. */
const SETTINGS = "settings";
const COUNTERS = "counters";
const EVENTS = "events";
const CONVERSATION = "conversation";

export class ReportLines {
	readonly #core: Core;
	readonly #parts: readonly Part[];
	#section = 0;
	/** Index of the next text in the section; -1 for the section's name. */
	#index = -1;
	/** Position in the event log, which is needed because new events arrive while the report is read. */
	#events: EventCursor | undefined;
	#conversation: LogCursor | undefined;

	constructor(core: Core, parts: readonly Part[]) {
		this.#core = core;
		this.#parts = parts;
	}

	/** Returns the next lines without the final line end; undefined after the last ones. */
	next(): string | undefined {
		while (this.#section < REPORT_SECTIONS.length) {
			const index = this.#index++;
			if (index < 0) return `[${REPORT_SECTIONS[this.#section]}]`;
			const text = this.text(REPORT_SECTIONS[this.#section], index);
			if (text !== undefined) return text;
			this.#section++;
			this.#index = -1;
		}
		return undefined;
	}

	private text(section: string, index: number): string | undefined {
		const { config, text } = this.#core;
		if (section === SETTINGS) return settingLine(config, text, index);
		if (section === EVENTS) return this.event(index);
		if (section === CONVERSATION) return this.sessionLogText(index);
		return index === 0 ? this.sectionText(section) : undefined;
	}

	private sectionText(section: string): string {
		const core = this.#core;
		const texts: string[] = [];
		for (const part of this.#parts) {
			const text = section === COUNTERS ? metricsOf(part, core).trimEnd() : part.report(core.find(part), core, section);
			if (text !== "") texts.push(text);
		}
		return texts.join("\n");
	}

	private event(index: number): string | undefined {
		const { events, text } = this.#core;
		if (index === 0) this.#events = new EventCursor(events.copy());
		const cursor = this.#events!;
		if (!cursor.next()) {
			this.#events = undefined;
			return undefined;
		}
		const { bytes, at } = cursor;
		const { name, isPlain } = eventKind(this.#parts, bytes[at]);
		const timeS = timeAt(bytes, at);
		const when = timeS === 0 ? "-" : utcText(timeS * 1000, text);
		const end = detailEnd(bytes, at);
		const hidden = end === at + UNIT ? "" : " ***";
		const detail = isPlain && hidden !== "" ? ` ${text.decode(bytes, at + UNIT, end)}` : hidden;
		return `${when} ${uptimeAt(bytes, at)} s ${name}${detail} x${countAt(bytes, at)}`;
	}

	private sessionLogText(index: number): string | undefined {
		const { text } = this.#core;
		const { log } = this.#core.find(METER).reader;
		if (index === 0) {
			this.#conversation = new LogCursor(log?.copy() ?? new Uint8Array(0));
			return log === undefined ? "not recorded: log_en is off" : `dropped: ${log.dropped}`;
		}
		const cursor = this.#conversation!;
		if (!cursor.next()) {
			this.#conversation = undefined;
			return undefined;
		}
		const { bytes, start, end, kind, timeMs } = cursor;
		if (kind === LOG_LINE)
			return `${timeMs} ms: ${bytes[start] + bytes[start + 1] * 256 + bytes[start + 2] * 65_536} Bd`;
		const part = bytes.slice(start, end);
		const hex = text.decode(encodeHex(part));
		return `${timeMs} ms ${kind === LOG_TRANSMITTED ? "sent" : "received"}: ${hex} ${text.decode(printable(part))}`;
	}
}
