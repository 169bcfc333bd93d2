/** Route `meter/profile`: the last rows of a load profile (meter/profile-rows.ts). */

import { INVALID_FIELD } from "../../../api/errors.js";
import type { Exchange } from "../../../api/exchange.js";
import { wholeNumber } from "../../../bytes/ascii.js";
import type { Core } from "../../../core/core.js";
import { MissingCursor } from "../../../cosem/records.js";
import type { Cost } from "../../../io/memory.js";
import { JSONStream, SPARE } from "../../../json/stream.js";
import type { JSONWriter } from "../../../json/writer.js";
import { FAILURE_PORT } from "../../../meter/failures.js";
import type { ReadCallback } from "../../../meter/pending-reads.js";
import { ProfileRows, profileGroups, TIME_FIRST_S, TIME_LIMIT_S } from "../../../meter/profile-rows.js";
import { OBISCode } from "../../../obis/code.js";
import { LANGUAGE_DE, LANGUAGE_EN, languageOf, NAME_LIMIT, OBISNames } from "../../../obis/names.js";
import { NO_PROFILE } from "../../../readout/failure.js";
import { type Readout, STATUS_CUT, STATUS_OK } from "../../../readout/readout.js";
import { HEAD_VALUES, ROWS_LIMIT } from "../../../readout/record-writer.js";
import { localText } from "../../../time/iso.js";
import type { Metering } from "../metering.js";
import { writeMissing } from "./missing.js";
import { failRead } from "./readout.js";

export const PROFILE_REPLY_COST: Cost = Object.freeze({ slots: 150, chunkBytes: 4096 });

const DEFAULT_OBIS = "1-0:99.1.0";
/** Number of quarter hours of a day. */
const DEFAULT_ENTRIES = "96";

export function getProfile(exchange: Exchange<Metering>): void {
	const { core, part, request, response } = exchange;
	const { reader } = part;
	const { ledger, text, writer } = core;
	const language = languageOf(exchange.language);
	const obis = text.encode(request.query("obis") ?? DEFAULT_OBIS);
	const entries = wholeNumber(request.query("entries") ?? DEFAULT_ENTRIES, ROWS_LIMIT);
	const code = new OBISCode();
	if (!code.parse(obis, 0, obis.length)) {
		exchange.fail(400, INVALID_FIELD, "obis must be a code such as 1-0:99.1.0.", "obis");
		return;
	}
	if (!(entries >= 1)) {
		exchange.fail(400, INVALID_FIELD, `entries must be 1 to ${ROWS_LIMIT}.`, "entries");
		return;
	}
	if (!ledger.claim(PROFILE_REPLY_COST)) {
		exchange.busy();
		return;
	}
	const groups = profileGroups(code);
	const release = () => ledger.release(PROFILE_REPLY_COST);
	const callback: ReadCallback = {
		finished: (readout, failure) => {
			const body =
				readout === undefined ? undefined : new Profile(core, part.names, readout, groups, entries, language);
			if (body === undefined || failure !== undefined) failRead(exchange, failure ?? FAILURE_PORT);
			else if (body.isThere) {
				response.lines("Content-Type: application/json\r\n");
				const stream = new JSONStream(writer, (into, unit) => body.produce(into, unit), SPARE);
				response.send(200, { read: (into, start, end) => stream.read(into, start, end), close: release });
				return;
			} else failMissing(exchange, readout?.missing);
			release();
		},
	};
	response.onCancelled = () => {
		reader.cancel(callback);
		release();
	};
	reader.read(callback, { code: groups, entries });
}

function failMissing(exchange: Exchange, missing: Uint8Array = new Uint8Array(0)): void {
	const cursor = new MissingCursor(missing);
	const isTold = cursor.next();
	exchange.fail(404, NO_PROFILE, "The meter has no such load profile.", undefined, (writer) => {
		if (!isTold) return;
		writer.key("missing");
		writeMissing(writer, cursor);
	});
}

/** Unit 0 is everything before the rows. Then follow one unit per row and one for the end. */
class Profile {
	readonly isThere: boolean;
	readonly #core: Core;
	readonly #names: Uint8Array | undefined;
	readonly #readout: Readout;
	readonly #rows: ProfileRows;
	readonly #language: number;
	#skipped: number;
	#unit = 0;
	#hasRow = false;

	constructor(
		core: Core,
		names: Uint8Array | undefined,
		readout: Readout,
		groups: Uint8Array,
		entries: number,
		language: number,
	) {
		this.#core = core;
		this.#names = names;
		this.#readout = readout;
		this.#language = language;
		const rows = new ProfileRows(core.zone, readout.records, groups);
		this.#rows = rows;
		this.isThere = rows.isThere;
		let count = 0;
		while (this.isThere && rows.next()) count++;
		this.#skipped = Math.max(0, count - entries);
	}

	produce(writer: JSONWriter, unit: number): boolean {
		if (unit === 0) {
			this.writeHead(writer);
			return true;
		}
		if (unit !== this.#unit) {
			if (unit === 1) {
				this.#rows.toStart();
				for (let i = 0; i < this.#skipped; i++) this.#rows.next();
			}
			this.#unit = unit;
			this.#hasRow = this.#rows.next();
		}
		if (this.#hasRow) this.writeRow(writer);
		else {
			writer.endArray();
			writer.endObject();
		}
		return this.#hasRow;
	}

	private writeHead(writer: JSONWriter): void {
		const rows = this.#rows;
		const { cursor } = rows;
		rows.findHead();
		const { protocol, meterId, status } = this.#readout;
		const table = this.#names;
		const names = table === undefined ? undefined : new OBISNames(table);
		const name = new Uint8Array(NAME_LIMIT);
		const code = new OBISCode();
		writer.beginObject();
		writer.key("protocol");
		writer.string(protocol);
		writer.key("meter_id");
		writer.ascii(meterId, 0, meterId.length);
		writer.key("obis");
		writer.ascii(cursor.address, 0, cursor.code.longEnd);
		writer.key("status");
		writer.number(status === STATUS_OK && rows.isCut ? STATUS_CUT : status);
		writer.key("period_secs");
		writer.number(rows.periodS);
		writer.key("columns");
		writer.beginArray();
		cursor.rewind();
		for (let i = 0; i < HEAD_VALUES; i++) cursor.nextValue();
		for (let i = 0; rows.hasHead && i < rows.columns && cursor.nextValue(); i++) {
			writer.beginObject();
			writer.key("obis");
			writer.ascii(cursor.text, 0, cursor.length);
			const isNamed = code.parse(cursor.text, 0, cursor.length) && names?.find(code, LANGUAGE_EN) === true;
			writer.key("unit");
			if (cursor.nextValue()) writer.ascii(cursor.text, 0, cursor.length);
			else writer.string("");
			for (let language = LANGUAGE_EN; ; language = this.#language) {
				writer.key(language === LANGUAGE_EN ? "en" : language === LANGUAGE_DE ? "de" : "pl");
				names?.translate(language);
				if (isNamed) writer.utf8(name, 0, names.write(name, 0));
				else writer.null();
				if (language === this.#language) break;
			}
			writer.endObject();
		}
		writer.endArray();
		writer.key("rows");
		writer.beginArray();
	}

	private writeRow(writer: JSONWriter): void {
		const rows = this.#rows;
		const { cursor, timeS } = rows;
		const { zone, text } = this.#core;
		const isKnown = timeS >= TIME_FIRST_S && timeS <= TIME_LIMIT_S;
		const utcMs = isKnown ? timeS * 1000 : 0;
		rows.toValues();
		writer.beginObject();
		writer.key("timestamp");
		writer.number(utcMs / 1000);
		writer.key("localtime");
		writer.string(isKnown ? localText(utcMs, zone.offsetMinutes(utcMs), text) : "");
		writer.key("status");
		if (rows.hasOwnTimes) this.text(writer, cursor.text, cursor.length);
		else this.text(writer, rows.status, rows.status.length);
		writer.key("values");
		writer.beginArray();
		while (cursor.nextValue()) this.text(writer, cursor.text, cursor.length);
		writer.endArray();
		writer.endObject();
	}

	private text(writer: JSONWriter, bytes: Uint8Array, length: number): void {
		if (length === 0) writer.null();
		else writer.ascii(bytes, 0, length);
	}
}
