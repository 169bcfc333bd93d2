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
import { ethernetErrorOf } from "../wifi/routes/ethernet.js";
import type { Services } from "./exchange.js";
import { stateMetrics } from "./metrics.js";
import { errorOf, timeErrorOf } from "../wifi/routes/status.js";
import { stateOf } from "./state.js";

/** Digits in a row of which an identification shows none: a meter's number has more, its type fewer. */
const NUMBER_DIGITS = 4;
const ZERO = 0x30;
const NINE = 0x39;
const HASH = 0x23;
const DOT = 0x2e;
const FIRST_PRINTABLE = 0x20;
const LAST_PRINTABLE = 0x7e;

/** Names of the sections, in their order. */
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
/** Places there of those that are more than one text. */
const SETTINGS = 6;
const EVENTS = 8;
const CONVERSATION = 9;

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
		while (this.#section < REPORT_SECTIONS.length) {
			const index = this.#index++;
			if (index < 0) return `[${REPORT_SECTIONS[this.#section]}]`;
			const text = this.text(this.#section, index);
			if (text !== undefined) return text;
			this.#section++;
			this.#index = -1;
		}
		return undefined;
	}

	/** The lines at this place of a section; undefined: it is over. */
	private text(section: number, index: number): string | undefined {
		const { config, text } = this.#services;
		if (section === SETTINGS) return settingLine(config, text, index);
		if (section === EVENTS) return this.event(index);
		if (section === CONVERSATION) return this.said(index);
		return index === 0 ? this.state(section) : undefined;
	}

	/** A section that is one text. */
	private state(section: number): string {
		const services = this.#services;
		const { clock, ending, device, info, network, text, time, zone, startedMs, updater } = services;
		const utcMs = clock.utcMs();
		switch (section) {
			case 0: {
				const now = utcMs === undefined ? "not known" : localText(utcMs, zone.offsetMinutes(utcMs), text);
				return `time: ${now}\nuptime_s: ${Math.floor((clock.monotonicMs() - startedMs) / 1000)}`;
			}
			case 1: {
				const { board, chip, model, deviceId, firmwareVersion, builtUtcMs, serial } = info;
				const built = utcText(builtUtcMs, text);
				return `firmware: ${firmwareVersion}, built ${built}\nboard: ${board}, ${chip}, ${model}, device_id ${deviceId}\nserial: ${serial}`;
			}
			case 2: {
				const { state, givenUp, securityLevel } = this.#update ?? {};
				return `on_trial: ${state}\ngiven_up: ${givenUp}\nsecurity_level: ${securityLevel}\nlast_error: ${updater?.lastError}`;
			}
			case 3:
				return `cause: ${ending?.cause}\nfault: ${ending?.isFault}\nsafe_mode: ${device.safeMode}`;
			case 4: {
				const { station, accessPointOn, clients, cable } = network ?? {};
				const { hub, mqtt, zigbee } = stateOf(services);
				const { rssi, channel, authmode } = station ?? {};
				return `wifi: rssi ${rssi}, channel ${channel}, authmode ${authmode}\nwifi_error: ${errorOf(
					network?.lastError ?? 0,
				)}\nethernet: link ${cable?.isLinked}, ${cable?.speed} Mbit/s, address ${cable && cable.address !== undefined}\nethernet_error: ${ethernetErrorOf(
					cable?.lastError,
				)}\naccess_point: ${accessPointOn}, ${clients} clients\ntime_error: ${timeErrorOf(
					time?.lastError ?? 0,
				)}\nhub: ${hub}\nmqtt: ${mqtt}\nzigbee: ${zigbee}, ${services.zigbee?.status().coprocessor}`;
			}
			case 5:
				return this.meter();
			default:
				return stateMetrics(services, 0).trimEnd();
		}
	}

	/** No value that was read: only how it was. */
	private meter(): string {
		const { meter, readouts, scheduleError } = stateOf(this.#services);
		const { last } = this.#services.reader.outcomes;
		const state = `state: ${meter}\nreadouts: ${readouts}\nschedule_error: ${scheduleError}`;
		if (last === undefined) return state;
		const { protocol, mode, baud, status, records, missing, meterId, utcMs } = last;
		const ident = this.#services.text.decode(withoutNumber(meterId));
		return `${state}\nlast: ${protocol}, mode ${mode && String.fromCharCode(mode)}, ${baud} Bd, status ${status}, at ${Math.floor(utcMs / 1000)}\nrecord_bytes: ${records.length}\nmissing_bytes: ${missing?.length}\nidentification: ${ident}`;
	}

	private event(index: number): string | undefined {
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

	private said(index: number): string | undefined {
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
