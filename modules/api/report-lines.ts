/**
 * What stands in the diagnostic report, as readable text, a line or a few at a time: sections, each under its name in
 * brackets. Nothing of it names a person or a place, but for the conversation with the meter, which is there only where
 * the owner has it recorded: no secret, no name, no address, of the meter's number no digits. docs/diagnostic-report.md
 * tells the owner so, and the page, section by section; a test holds both against REPORT_SECTIONS.
 */
import { encodeHex } from "../bytes/hex.js";
import { settingLine } from "../config/report.js";
import { EventCursor } from "../diagnostics/event-log.js";
import { countAt, detailEnd, timeAt, UNIT, uptimeAt } from "../diagnostics/event-record.js";
import { eventKind } from "../diagnostics/events.js";
import type { Update } from "../io/flash.js";
import { LOG_LINE, LOG_TRANSMITTED, LogCursor } from "../meter/conversation-log.js";
import { localText, utcText } from "../time/iso.js";
import type { Services } from "./exchange.js";
import { stateMetrics } from "./metrics.js";
import { errorOf, timeErrorOf } from "./network.js";
import { stateOf } from "./state.js";

/** Digits in a row of which an identification shows none: a meter's number has more, its type fewer. */
const NUMBER_DIGITS = 4;
const ZERO = 0x30;
const NINE = 0x39;
const HASH = 0x23;
const DOT = 0x2e;
const FIRST_PRINTABLE = 0x20;
const LAST_PRINTABLE = 0x7e;

interface Section {
	readonly name: string;
	/** The text at this place, lines with `\n` between; undefined: the section is over. */
	text(report: ReportLines, index: number): string | undefined;
}

/** A section of one text. */
function once(name: string, make: (report: ReportLines) => string): Section {
	return Object.freeze({
		name,
		text: (report: ReportLines, index: number) => (index === 0 ? make(report) : undefined),
	});
}

const SECTIONS: readonly Section[] = Object.freeze([
	once("report", (report) => report.moment()),
	once("device", (report) => report.device()),
	once("update", (report) => report.update()),
	once("start", (report) => report.start()),
	once("network", (report) => report.network()),
	once("meter", (report) => report.meter()),
	Object.freeze({ name: "settings", text: (report: ReportLines, index: number) => report.setting(index) }),
	once("counters", (report) => report.counters()),
	Object.freeze({ name: "events", text: (report: ReportLines, index: number) => report.event(index) }),
	Object.freeze({ name: "conversation", text: (report: ReportLines, index: number) => report.said(index) }),
]);

/** Names of the sections, in their order. */
export const REPORT_SECTIONS: readonly string[] = Object.freeze(SECTIONS.map(({ name }) => name));

export class ReportLines {
	readonly #services: Services;
	readonly #update: Update | undefined;
	#section = 0;
	/** -1: its name is due. */
	#index = -1;
	/** A copy of what a section walks through: events come while the report is read. */
	#events: EventCursor | undefined;
	#conversation: LogCursor | undefined;

	/** `update` undefined: this host has no slots. */
	constructor(services: Services, update: Update | undefined) {
		this.#services = services;
		this.#update = update;
	}

	/** The next lines, without the last line end; undefined: that was all. */
	next(): string | undefined {
		while (this.#section < SECTIONS.length) {
			const section = SECTIONS[this.#section];
			const index = this.#index++;
			if (index < 0) return `[${section.name}]`;
			const text = section.text(this, index);
			if (text !== undefined) return text;
			this.#section++;
			this.#index = -1;
		}
		return undefined;
	}

	moment(): string {
		const { clock, text, zone, startedMs } = this.#services;
		const utcMs = clock.utcMs();
		const now = utcMs === undefined ? "the clock is not set" : localText(utcMs, zone.offsetMinutes(utcMs), text);
		return `time: ${now}\nuptime_s: ${Math.floor((clock.monotonicMs() - startedMs) / 1000)}`;
	}

	device(): string {
		const { info, text } = this.#services;
		const { board, chip, model, deviceId, firmwareVersion, builtUtcMs, serial } = info;
		const built = utcText(builtUtcMs, text);
		return `firmware: ${firmwareVersion}, built ${built}\nboard: ${board}, ${chip}, ${model}, device_id ${deviceId}\nserial: ${serial}`;
	}

	update(): string {
		const update = this.#update;
		if (update === undefined) return "no slots";
		const { state, givenUp, slot, keys, securityLevel } = update;
		const trial = state === 0 ? "confirmed" : "on trial";
		return `state: ${trial}\ngiven_up: ${givenUp}\nslot_bytes: ${slot.size}\nsecurity_level: ${securityLevel}\nkeys: ${keys.length}\nlast_error: ${this.#services.updater?.lastError ?? ""}`;
	}

	start(): string {
		const { ending, device } = this.#services;
		const fault = ending?.isFault ? " (a fault)" : "";
		return `cause: ${ending?.cause ?? "unknown"}${fault}\nsafe_mode: ${device.safeMode}`;
	}

	network(): string {
		const { network, time } = this.#services;
		const { hub, mqtt } = stateOf(this.#services);
		const { station } = network ?? {};
		const wifi = station && `rssi ${station.rssi}, channel ${station.channel}, authmode ${station.authmode}`;
		const error = errorOf(network?.lastError ?? 0);
		return `wifi: ${wifi ?? "not joined"}\nwifi_error: ${error}\naccess_point: ${network?.accessPointOn ?? false}, ${
			network?.clients ?? 0
		} clients\ntime_error: ${timeErrorOf(time?.lastError ?? 0)}\nhub: ${hub}\nmqtt: ${mqtt}`;
	}

	/** No value that was read: only how it was. */
	meter(): string {
		const { reader, text, clock } = this.#services;
		const { meter, readouts, scheduleError } = stateOf(this.#services);
		const { last } = reader.outcomes;
		let lines = `state: ${meter}\nreadouts: ${readouts}\nschedule_error: ${scheduleError}`;
		if (last === undefined) return lines;
		const { protocol, mode, baud, status, records, missing, meterId, utcMs } = last;
		const nowMs = clock.utcMs();
		const age = utcMs > 0 && nowMs !== undefined ? `, ${Math.floor((nowMs - utcMs) / 1000)} s ago` : "";
		lines += `\nlast: ${protocol}, mode ${mode === 0 ? "-" : String.fromCharCode(mode)}, ${baud} Bd, status ${status}${age}`;
		lines += `\nrecord_bytes: ${records.length}\nmissing_bytes: ${missing?.length ?? 0}`;
		return `${lines}\nidentification: ${text.decode(withoutNumber(meterId))}`;
	}

	setting(index: number): string | undefined {
		return settingLine(this.#services.config, this.#services.text, index);
	}

	/** As `metrics`, without readings. */
	counters(): string {
		return stateMetrics(this.#services, 0).trimEnd();
	}

	event(index: number): string | undefined {
		const { events, text } = this.#services;
		if (index === 0) this.#events = new EventCursor(events.copy());
		const cursor = this.#events!;
		if (!cursor.next()) {
			this.#events = undefined;
			return undefined;
		}
		const { bytes, at } = cursor;
		const { name, isPlain } = eventKind(bytes[at]);
		const timeS = timeAt(bytes, at);
		const when = timeS === 0 ? "-" : utcText(timeS * 1000, text);
		const end = detailEnd(bytes, at);
		const hidden = end === at + UNIT ? "" : " ***";
		const detail = isPlain && hidden !== "" ? ` ${text.decode(bytes, at + UNIT, end)}` : hidden;
		return `${when} ${uptimeAt(bytes, at)} s ${name}${detail} x${countAt(bytes, at)}`;
	}

	said(index: number): string | undefined {
		const { reader, text } = this.#services;
		const { log } = reader;
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

/** Changes the bytes in place: a dot for all that can't be shown. */
function printable(bytes: Uint8Array): Uint8Array {
	for (let i = 0; i < bytes.length; i++) if (bytes[i] < FIRST_PRINTABLE || bytes[i] > LAST_PRINTABLE) bytes[i] = DOT;
	return bytes;
}

/** An identification whose numbers are hashes: NUMBER_DIGITS digits and more in a row. */
function withoutNumber(ident: Uint8Array): Uint8Array {
	const shown = printable(ident.slice());
	let digits = 0;
	for (let i = 0; i <= shown.length; i++) {
		if (shown[i] >= ZERO && shown[i] <= NINE) digits++;
		else {
			if (digits >= NUMBER_DIGITS) shown.fill(HASH, i - digits, i);
			digits = 0;
		}
	}
	return shown;
}
