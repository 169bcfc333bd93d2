/** Routes of readouts, `meter/probe`, `meter/pin` and `iec62056/log`. */

import { BODY_LIMIT, type BodyTable, type BodyValues, needed } from "../../../api/body.js";
import { BUSY } from "../../../api/errors.js";
import type { Exchange } from "../../../api/exchange.js";
import { numberMember } from "../../../api/members.js";
import { BOOLEAN, bodyField, INTEGER, TEXT } from "../../../config/schema.js";
import type { Core } from "../../../core/core.js";
import type { Cost } from "../../../io/memory.js";
import type { JSONWriter } from "../../../json/writer.js";
import { FAILURE_PORT } from "../../../meter/failures.js";
import { LOG_LINE, LOG_TRANSMITTED, LogCursor } from "../../../meter/line-log.js";
import type { ReadCallback } from "../../../meter/pending-reads.js";
import { PINEntry } from "../../../meter/pin.js";
import type { ProbeCallback, ProbeResult } from "../../../meter/probe.js";
import { mapOf } from "../../../obis/mapping.js";
import { type Failure, NO_PROFILE } from "../../../readout/failure.js";
import type { Readout } from "../../../readout/readout.js";
import { DLMS_PUSH_BAUDRATE } from "../dlms-fields.js";
import {
	CONTROL_LOG_EN,
	CONTROL_SIMULATOR_EN,
	IEC62056_MODE_D_BAUDRATE,
	IEC62056_MODE_D_ENABLED,
	METER_PROTOCOL,
	METER_RX_INVERTED,
} from "../fields.js";
import { MAPPING } from "../mapping-fields.js";
import type { Metering } from "../metering.js";
import { type AttemptState, ReadoutBody } from "./readings.js";

/** Memory of a probe. It is less than that of a readout, because a probe stores none. */
export const PROBE_COST: Cost = Object.freeze({ slots: 500, chunkBytes: 4096 });
export const READOUT_REPLY_COST: Cost = Object.freeze({ slots: 100, chunkBytes: 1536 });
export const LOG_REPLY_COST: Cost = Object.freeze({ slots: 100, chunkBytes: 5120 });

/** PIN to enter at the meter's display; it is never stored. */
const PIN = bodyField<string>({ name: "pin", kind: TEXT, minimum: 4, maximum: 8, characters: "09" });
const FLASHES = bodyField<number>({ name: "flashes", kind: INTEGER, maximum: 3 });
const FLASHES_USUAL = 2;
const INF = bodyField<number>({ name: "inf", kind: INTEGER, maximum: 15 });
export const PIN_BODY: BodyTable = Object.freeze({
	fields: Object.freeze([PIN, FLASHES, INF]),
	required: Object.freeze([PIN.name]),
	limit: BODY_LIMIT,
});

const QUICK = bodyField<boolean>({ name: "quick", kind: BOOLEAN });
export const PROBE_BODY: BodyTable = Object.freeze({
	fields: Object.freeze([QUICK]),
	required: Object.freeze([]),
	limit: BODY_LIMIT,
	mayBeMissing: true,
});

export function getRead(exchange: Exchange<Metering>): void {
	const { reader } = exchange.part;
	const { ledger } = exchange.core;
	if (!exchange.claim(READOUT_REPLY_COST)) return;
	const callback: ReadCallback = {
		finished: (readout, failure) => {
			if (readout !== undefined) streamReadout(exchange, readout);
			else {
				ledger.release(READOUT_REPLY_COST);
				failRead(exchange, failure ?? FAILURE_PORT);
			}
		},
	};
	exchange.response.onCancelled = () => {
		reader.cancel(callback);
		ledger.release(READOUT_REPLY_COST);
	};
	reader.read(callback);
}

export function getLast(exchange: Exchange<Metering>): void {
	const { outcomes, running } = exchange.part.reader;
	if (!exchange.claim(READOUT_REPLY_COST)) return;
	streamReadout(exchange, outcomes.last, {
		running,
		lastAttempt: Math.floor(outcomes.attemptUtcMs / 1000),
		lastError: outcomes.failure?.code ?? "",
		isOld: outcomes.isOld,
	});
}

/**
 * Replies with the log. Each unit of the JSON stream is one entry: ms since the start, and the characters as text and
 * as hex.
 */
export function getLog(exchange: Exchange<Metering>): void {
	const { reader } = exchange.part;
	const { clock, config } = exchange.core;
	if (!exchange.claim(LOG_REPLY_COST)) return;
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
	}, LOG_REPLY_COST);
}

export function postProbe(exchange: Exchange<Metering>, values: BodyValues): void {
	const { reader } = exchange.part;
	const { ledger } = exchange.core;
	if (!exchange.claim(PROBE_COST)) return;
	const finished: ProbeCallback["finished"] = (result) => {
		ledger.release(PROBE_COST);
		replyToProbe(exchange, result);
	};
	if (reader.probe({ finished }, values.get(QUICK))) return;
	ledger.release(PROBE_COST);
	failBusy(exchange, 503);
}

/** Starts the entry of a PIN and replies immediately. A simulated meter needs no PIN. */
export function postPIN(exchange: Exchange<Metering>, values: BodyValues): void {
	const { reader } = exchange.part;
	const { config } = exchange.core;
	const isSimulated = config.get(CONTROL_SIMULATOR_EN);
	const pin = needed(values, PIN);
	const flashes = values.get(FLASHES) ?? FLASHES_USUAL;
	const inf = values.get(INF);
	let entry: PINEntry | undefined;
	let times = [0];
	const isFree =
		isSimulated ||
		reader.lend((driver, port, { nowMs }, over) => {
			entry = new PINEntry({ pin, flashes, inf, litMs: reader.litMs }, driver, port, nowMs, over);
			times = entry.timesMs;
			if (entry.isRunning) reader.litMs = nowMs + times[times.length - 1];
			return entry;
		});
	if (!isFree) failBusy(exchange, 409);
	else if (!isSimulated && !entry?.isRunning) failRead(exchange, FAILURE_PORT);
	else
		exchange.object((writer) => {
			numberMember(writer, "duration_ms", times[times.length - 1]);
			writer.key("digits_ms");
			writer.beginArray();
			for (let i = 0; i < times.length - 1; i++) writer.number(times[i]);
			writer.endArray();
		});
}

/** Aborts the entry of a PIN. It also succeeds if no entry is in progress. */
export function deletePIN(exchange: Exchange<Metering>): void {
	const { borrower } = exchange.part.reader;
	if (borrower instanceof PINEntry) borrower.end();
	exchange.empty();
}

export function failBusy(exchange: Exchange, status: number): void {
	exchange.response.header("Retry-After", "5");
	exchange.fail(status, BUSY, "A session with the meter is running; try again when it has ended.");
}

function streamReadout(exchange: Exchange<Metering>, readout: Readout | undefined, attempt?: AttemptState): void {
	const { language } = exchange;
	const { names, readingKeys: keys } = exchange.part;
	const { config, text, zone } = exchange.core;
	const map = mapOf(config.get(MAPPING));
	const body = new ReadoutBody(readout, { language, names, keys, text, zone, map, attempt });
	exchange.stream((writer, unit) => body.produce(writer, unit), READOUT_REPLY_COST);
}

export function failRead(exchange: Exchange, failure: Failure): void {
	const { error, message } = failure;
	if (error === BUSY) exchange.response.header("Retry-After", "5");
	const status = error === BUSY ? 503 : error === NO_PROFILE ? 404 : 500;
	exchange.fail(status, error, message, undefined, (writer) => {
		if (failure.code !== "") {
			writer.key("code");
			writer.string(failure.code);
		}
		if (failure.finding !== undefined || failure.advice !== undefined) writeFinding(writer, failure, exchange.core);
	});
}

/** Writes the kind of data that was found; null if unknown. */
function writeFinding(writer: JSONWriter, failure: Failure | undefined, { config }: Core): void {
	const { finding, advice } = failure ?? {};
	writer.key("unasked");
	if (finding === undefined) writer.null();
	else {
		writer.beginObject();
		writer.key("kind");
		writer.string(finding.kind);
		writer.key("baudrate");
		writer.number(finding.baud);
		writer.key("framing");
		writer.string(finding.framing);
		writer.key("supported");
		writer.boolean(finding.isSupported);
		writer.endObject();
	}
	writer.key("settings");
	if (advice === undefined) writer.null();
	else {
		writer.beginObject();
		writer.key(METER_PROTOCOL.name);
		writer.string(advice.protocol);
		if (advice.isFlipped) {
			writer.key(METER_RX_INVERTED.name);
			writer.boolean(!config.get(METER_RX_INVERTED));
		}
		if (advice.modeD !== undefined) {
			writer.key(IEC62056_MODE_D_ENABLED.name);
			writer.boolean(advice.modeD);
		}
		if (advice.modeDBaud !== undefined) {
			writer.key(IEC62056_MODE_D_BAUDRATE.name);
			writer.number(advice.modeDBaud);
		}
		if (advice.pushBaud !== undefined) {
			writer.key(DLMS_PUSH_BAUDRATE.name);
			writer.number(advice.pushBaud);
		}
		writer.endObject();
	}
}

function replyToProbe(exchange: Exchange<Metering>, result: ProbeResult): void {
	const { failure } = result;
	exchange.object((writer) => {
		writer.key("ok");
		writer.boolean(failure === undefined);
		writer.key("meter_id");
		writer.ascii(result.ident, 0, result.ident.length);
		writer.key("error");
		if (failure === undefined) writer.null();
		else writer.string(failure.code);
		writer.key("message");
		writer.string(failure?.message ?? "The meter answered.");
		writer.key("received");
		writer.number(result.received);
		writer.key("damaged");
		writer.number(result.damaged);
		writeCharacters(writer, result.bytes, 0, result.bytes.length);
		writeFinding(writer, failure, exchange.core);
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

/** Writes characters as text and as hex. A character of 0x80 or above is damaged. */
function writeCharacters(writer: JSONWriter, bytes: Uint8Array, start: number, end: number): void {
	writer.key("text");
	writer.ascii(bytes, start, end);
	writer.key("hex");
	writer.hex(bytes, start, end);
}
