/** Meter routes of the API text: readouts, settings, simulator and log, protocol; and `meter/probe`, `iec62056/log`. */
import {
	CONTROL,
	CONTROL_LOG_EN,
	CONTROL_SIMULATOR_EN,
	IEC62056,
	IEC62056_BATTERY,
	IEC62056_BAUDRATE_MAX,
	IEC62056_DEVICE_ADDRESS,
	IEC62056_MODE_D_BAUDRATE,
	IEC62056_MODE_D_ENABLED,
	IEC62056_MODE_E_DLMS,
	METER,
	METER_PROTOCOL,
	PROTOCOL_DLMS,
} from "../config/meter-fields.js";
import type { Entry } from "../config/schema.js";
import { ZIGBEE_MAPPING } from "../config/zigbee-fields.js";
import {
	RESULT_CHECK_WRONG,
	RESULT_CUT,
	RESULT_ECHO_ONLY,
	RESULT_IDENT,
	RESULT_METER_ERROR,
	RESULT_NO_BLOCK,
	RESULT_NO_IDENT,
	RESULT_NONE,
	RESULT_SILENCE,
} from "../iec62056-21/session.js";
import type { JSONWriter } from "../json/writer.js";
import { LOG_LINE, LOG_TRANSMITTED, LogCursor } from "../meter/conversation-log.js";
import type { ProbeResult } from "../meter/probe.js";
import { FAILURE_BUSY, FAILURE_NO_TELEGRAM, FAILURE_PORT, FAILURE_WAIT } from "../meter/reader.js";
import type { Readout } from "../meter/readout.js";
import type { ReadWaiter } from "../meter/waiters.js";
import { mapOf } from "../zigbee/mapping.js";
import { BUSY, METER_ERROR, METER_TIMEOUT } from "./errors.js";
import type { Exchange } from "./exchange.js";
import { ReadoutBody } from "./readings.js";
import { BODY_LIMIT, type BodyTable, type Value } from "./validate.js";

const NOTHING_REQUIRED = Object.freeze([]);

export const PROTOCOL_BODY: BodyTable = Object.freeze({
	fields: METER.fields,
	required: Object.freeze([METER_PROTOCOL.name]),
	limit: BODY_LIMIT,
});
export const IEC62056_BODY: BodyTable = Object.freeze({
	fields: IEC62056.fields,
	required: NOTHING_REQUIRED,
	limit: BODY_LIMIT,
});
export const CONTROL_BODY: BodyTable = Object.freeze({
	fields: CONTROL.fields,
	required: NOTHING_REQUIRED,
	limit: BODY_LIMIT,
});

export function getRead(exchange: Exchange): void {
	const { reader, config } = exchange.services;
	if (config.get(METER_PROTOCOL) === PROTOCOL_DLMS && !config.get(CONTROL_SIMULATOR_EN)) {
		exchange.fail(500, METER_ERROR, "This firmware can't read DLMS/COSEM meters; choose the protocol iec62056.");
		return;
	}
	const waiter: ReadWaiter = {
		finished: (readout, failure) => {
			if (readout !== undefined) streamReadout(exchange, readout);
			else failRead(exchange, failure);
		},
	};
	exchange.response.onCancelled = () => reader.cancel(waiter);
	reader.read(waiter);
}

export function getLast(exchange: Exchange): void {
	const { reader, names, text, zone, readingKeys: keys } = exchange.services;
	const attempt = {
		running: reader.running,
		lastAttempt: Math.floor(reader.lastAttemptUtcMs / 1000),
		lastError: errorOf(reader.lastResult),
	};
	const map = mapOf(exchange.services.config.get(ZIGBEE_MAPPING));
	const body = new ReadoutBody(reader.last, { language: exchange.language, names, keys, text, zone, map, attempt });
	exchange.stream((writer, unit) => body.produce(writer, unit));
}

export function getProtocol(exchange: Exchange): void {
	const protocol = exchange.services.config.get(METER_PROTOCOL);
	exchange.object((writer) => {
		writer.key(METER_PROTOCOL.name);
		writer.string(protocol);
	});
}

export function postProtocol(exchange: Exchange, values: readonly (Value | undefined)[]): void {
	change(exchange, METER, values);
	getProtocol(exchange);
}

export function getConfig(exchange: Exchange): void {
	const { config } = exchange.services;
	exchange.object((writer) => {
		writer.key(IEC62056_MODE_D_ENABLED.name);
		writer.boolean(config.get(IEC62056_MODE_D_ENABLED));
		writer.key(IEC62056_MODE_D_BAUDRATE.name);
		writer.number(config.get(IEC62056_MODE_D_BAUDRATE));
		writer.key(IEC62056_BAUDRATE_MAX.name);
		writer.number(config.get(IEC62056_BAUDRATE_MAX));
		writer.key(IEC62056_BATTERY.name);
		writer.boolean(config.get(IEC62056_BATTERY));
		writer.key(IEC62056_MODE_E_DLMS.name);
		writer.boolean(config.get(IEC62056_MODE_E_DLMS));
		writer.key(IEC62056_DEVICE_ADDRESS.name);
		writer.string(config.get(IEC62056_DEVICE_ADDRESS));
	});
}

export function postConfig(exchange: Exchange, values: readonly (Value | undefined)[]): void {
	const { config, reader, device } = exchange.services;
	if (config.set(IEC62056, values)) {
		reader.forgetSpeed();
		device.meterChanged();
	}
	getConfig(exchange);
}

export function getControl(exchange: Exchange): void {
	const { config } = exchange.services;
	exchange.object((writer) => {
		writer.key(CONTROL_SIMULATOR_EN.name);
		writer.boolean(config.get(CONTROL_SIMULATOR_EN));
		writer.key(CONTROL_LOG_EN.name);
		writer.boolean(config.get(CONTROL_LOG_EN));
	});
}

export function postControl(exchange: Exchange, values: readonly (Value | undefined)[]): void {
	change(exchange, CONTROL, values);
	getControl(exchange);
}

/** The raw conversation, an entry a unit: times in ms since start, characters as text and as hex. */
export function getLog(exchange: Exchange): void {
	const { reader, clock, config } = exchange.services;
	const enabled = config.get(CONTROL_LOG_EN);
	const dropped = reader.log?.dropped ?? 0;
	const nowMs = Math.floor(clock.monotonicMs());
	const cursor = new LogCursor(reader.log?.copy() ?? new Uint8Array(0));
	let current = 0;
	let hasEntry = false;
	exchange.stream((writer, unit) => {
		if (unit === 0) {
			writer.beginObject();
			writer.key(CONTROL_LOG_EN.name);
			writer.boolean(enabled);
			writer.key("now_ms");
			writer.number(nowMs);
			writer.key("dropped");
			writer.number(dropped);
			writer.key("entries");
			writer.beginArray();
			return true;
		}
		if (unit !== current) {
			current = unit;
			hasEntry = cursor.next();
		}
		if (hasEntry) writeLogEntry(writer, cursor);
		else {
			writer.endArray();
			writer.endObject();
		}
		return hasEntry;
	});
}

export function postProbe(exchange: Exchange): void {
	const started = exchange.services.reader.probe({ finished: (result) => answerProbe(exchange, result) });
	if (started) return;
	exchange.response.header("Retry-After", "5");
	exchange.fail(503, BUSY, "A conversation with the meter is going on; try again when it has ended.");
}

function change(exchange: Exchange, entry: Entry, values: readonly (Value | undefined)[]): void {
	if (exchange.services.config.set(entry, values)) exchange.services.device.meterChanged();
}

function streamReadout(exchange: Exchange, readout: Readout): void {
	const { names, text, zone, readingKeys: keys } = exchange.services;
	const map = mapOf(exchange.services.config.get(ZIGBEE_MAPPING));
	const body = new ReadoutBody(readout, { language: exchange.language, names, keys, text, zone, map });
	exchange.stream((writer, unit) => body.produce(writer, unit));
}

function failRead(exchange: Exchange, failure: number): void {
	if (failure === FAILURE_BUSY) {
		exchange.response.header("Retry-After", "5");
		exchange.fail(503, BUSY, "Too many clients wait for the meter already; try again later.");
		return;
	}
	const timeOut =
		failure === RESULT_SILENCE ||
		failure === RESULT_ECHO_ONLY ||
		failure === RESULT_NO_BLOCK ||
		failure === RESULT_CUT ||
		failure === FAILURE_WAIT ||
		failure === FAILURE_NO_TELEGRAM;
	exchange.fail(500, timeOut ? METER_TIMEOUT : METER_ERROR, messageOf(failure));
}

/** Stable code of a failure for `last_error`; "" when there was none. */
export function errorOf(result: number): string {
	switch (result) {
		case RESULT_SILENCE:
			return "iec62056-21/silence";
		case RESULT_ECHO_ONLY:
			return "iec62056-21/echo-only";
		case RESULT_NO_IDENT:
			return "iec62056-21/no-ident";
		case RESULT_NO_BLOCK:
			return "iec62056-21/no-block";
		case RESULT_CUT:
			return "iec62056-21/cut";
		case RESULT_CHECK_WRONG:
			return "iec62056-21/check";
		case RESULT_METER_ERROR:
			return "iec62056-21/meter-error";
		case FAILURE_NO_TELEGRAM:
			return "iec62056-21/no-telegram";
		case FAILURE_PORT:
			return "port";
		default:
			return "";
	}
}

/** What happened, and what to do about it. */
function messageOf(result: number): string {
	switch (result) {
		case RESULT_SILENCE:
			return "The meter did not answer. Check that the head sits on the meter's optical port, and its direction.";
		case RESULT_ECHO_ONLY:
			return "Only the echo of our own request came back: the head works, the meter is silent. Move the head.";
		case RESULT_NO_IDENT:
			return "Characters came back, but no identification. Turn the head, shade it from light, or try a device address.";
		case RESULT_NO_BLOCK:
			return "The meter gave its identification, but no data. Try a lower baudrate_max.";
		case RESULT_CUT:
			return "The meter stopped in the middle of its data. Check that the head sits firmly.";
		case RESULT_CHECK_WRONG:
			return "The data arrived damaged, again and again. Check the head's position, or lower baudrate_max.";
		case RESULT_METER_ERROR:
			return "The meter answered with an error message instead of data.";
		case RESULT_IDENT:
			return "The meter answered.";
		case FAILURE_NO_TELEGRAM:
			return "No whole telegram came within a minute. Check mode_d_baudrate, and that this meter sends by itself.";
		case FAILURE_WAIT:
			return "The readout takes longer than a minute. It goes on; ask for the last readout later.";
		default:
			return "The serial port of the optical head could not be used.";
	}
}

function answerProbe(exchange: Exchange, result: ProbeResult): void {
	exchange.object((writer) => {
		writer.key("ok");
		writer.boolean(result.result === RESULT_IDENT);
		writer.key("meter_id");
		writer.ascii(result.ident, 0, result.ident.length);
		writer.key("error");
		const error = result.result === RESULT_NONE ? "port" : errorOf(result.result);
		if (error === "") writer.null();
		else writer.string(error);
		writer.key("message");
		writer.string(messageOf(result.result));
		writer.key("received");
		writer.number(result.received);
		writer.key("damaged");
		writer.number(result.damaged);
		writeCharacters(writer, result.bytes, 0, result.bytes.length);
	});
}

function writeLogEntry(writer: JSONWriter, entry: LogCursor): void {
	writer.beginObject();
	writer.key("ms");
	writer.number(entry.timeMs);
	const { bytes, start, end } = entry;
	writer.key("kind");
	if (entry.kind === LOG_LINE) {
		writer.string("line");
		writer.key("baud");
		writer.number(bytes[start] + bytes[start + 1] * 256 + bytes[start + 2] * 65_536);
	} else {
		writer.string(entry.kind === LOG_TRANSMITTED ? "sent" : "received");
		writeCharacters(writer, bytes, start, end);
	}
	writer.endObject();
}

/** Characters from the line as text and as hex; one of 0x80 and above arrived damaged. */
function writeCharacters(writer: JSONWriter, bytes: Uint8Array, start: number, end: number): void {
	writer.key("text");
	writer.ascii(bytes, start, end);
	writer.key("hex");
	writer.hex(bytes, start, end);
}
