/**
 * `meter/profile`: the last rows of a load profile. DLMS/COSEM reads it by its code (cosem/profile.ts). In other
 * protocols it is part of the readout (`P.01` of IEC 62056-21, VDEW 2.1.2): a head with the time of the first row, the
 * period in minutes, and the columns' codes and units; then rows of values.
 */

import { INVALID_FIELD } from "../../api/errors.js";
import type { Exchange } from "../../api/exchange.js";
import { hasOnly } from "../../bytes/ascii.js";
import type { Core } from "../../core/core.js";
import { MissingCursor } from "../../cosem/records.js";
import type { Cost } from "../../io/memory.js";
import { JSONStream, SPARE } from "../../json/stream.js";
import type { JSONWriter } from "../../json/writer.js";
import { BILLING_PERIOD_CURRENT, OBISCode } from "../../obis/code.js";
import { LANGUAGE_DE, LANGUAGE_EN, languageOf, NAME_LIMIT, OBISNames } from "../../obis/names.js";
import { NO_PROFILE } from "../../readout/failure.js";
import { type Readout, STATUS_CUT, STATUS_OK } from "../../readout/readout.js";
import { RecordCursor } from "../../readout/record-cursor.js";
import { HEAD_VALUES, ROWS_LIMIT } from "../../readout/record-writer.js";
import { daysOf } from "../../time/date.js";
import { localText } from "../../time/iso.js";
import { firstMomentOf } from "../../time/wall-clock.js";
import { FAILURE_PORT } from "../failures.js";
import type { Metering } from "../metering.js";
import type { ReadCallback } from "../pending-reads.js";
import { writeMissing } from "./missing.js";
import { failRead } from "./readout.js";

/** Memory for request and reply; the rows belong to the memory of the session. */
export const PROFILE_REPLY_COST: Cost = Object.freeze({ slots: 150, chunkBytes: 4096 });

const DEFAULT_OBIS = "1-0:99.1.0";
/** Number of quarter hours in a day. */
const DEFAULT_ENTRIES = "96";
const ENTRIES_DIGITS = 3;

/** Number of values before the columns of a row that has its own time: time and status. */
const OWN_VALUES = 2;
const DAY_S = 86_400;
/** A third of a year, ms: of three moments at this distance, at least one is in winter and one in summer. */
const THIRD_MS = 121 * DAY_S * 1000;
/** Time range of the API, Unix seconds. It leaves out the first two days, so that local time never precedes 1970. */
const TIME_FIRST_S = 2 * DAY_S;
const TIME_LIMIT_S = 4_102_444_799;
const YEAR_2000 = 2000 * 12;

const DOT = 0x2e;
const COMMA = 0x2c;
const DASH = 0x2d;
/** Length of a time `YY-MM-DD,hh:mm`. */
const STAMP_LENGTH = 14;
/** Index of the first dash in such a time. */
const STAMP_DASH = 2;
const DIGIT_0 = 0x30;
/** Season digit before a time (VDEW 2.1.2): winter time, summer time, or UTC. A time without a digit is local. */
const SEASON_NONE = -1;
const SEASON_WINTER = 0;
const SEASON_SUMMER = 1;

export function getProfile(exchange: Exchange<Metering>): void {
	const { core, part, request, response } = exchange;
	const { reader } = part;
	const { ledger, text, writer } = core;
	const language = languageOf(exchange.language);
	const obis = text.encode(request.query("obis") ?? DEFAULT_OBIS);
	const asked = request.query("entries") ?? DEFAULT_ENTRIES;
	const entries = asked.length <= ENTRIES_DIGITS && hasOnly(asked, "09") ? Number(asked) : 0;
	const code = new OBISCode();
	if (!code.parse(obis, 0, obis.length)) {
		exchange.fail(400, INVALID_FIELD, "obis must be a code such as 1-0:99.1.0.", "obis");
		return;
	}
	if (entries < 1 || entries > ROWS_LIMIT) {
		exchange.fail(400, INVALID_FIELD, `entries must be 1 to ${ROWS_LIMIT}.`, "entries");
		return;
	}
	if (!ledger.claim(PROFILE_REPLY_COST)) {
		exchange.busy();
		return;
	}
	const { a, b, c, d, e, f } = code;
	const groups = [a < 0 ? 1 : a, Math.max(0, b), c, d, Math.max(0, e), f < 0 ? BILLING_PERIOD_CURRENT : f];
	const release = () => ledger.release(PROFILE_REPLY_COST);
	const callback: ReadCallback = {
		finished: (readout, failure) => {
			const body =
				readout === undefined ? undefined : new Profile(core, part.names, readout, groups, entries, language);
			// A readout that failed its check has no valid profile.
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
	reader.read(callback, { code: new Uint8Array(groups), entries });
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

/** Profile for JSONStream: unit 0 is everything before the rows, then one unit per row, then the end. */
class Profile {
	readonly isThere: boolean;
	readonly #core: Core;
	readonly #names: Uint8Array | undefined;
	readonly #readout: Readout;
	readonly #cursor: RecordCursor;
	readonly #groups: readonly number[];
	/** LANGUAGE_… of the column names. */
	readonly #language: number;
	/** Number of rows before the requested ones. */
	#skipped: number;
	#unit = 0;
	#hasRow = false;
	/** True if the last head belongs to the requested profile. */
	#isOurs = false;
	/** Period of the last head, s; 0 if unknown. */
	#periodS = 0;
	/** Number of columns of the last head. */
	#columns = 0;
	/** Status in the last head. */
	#status: Uint8Array = new Uint8Array(0);
	/** True if each row begins with its own time and status. */
	#hasOwnTimes = false;
	/** True if rows were omitted because they have a wrong number of values. */
	#isCut = false;
	/** False if the rows have no head (Makel meters). */
	#hasHead = true;
	/** Number of values in the record before those of the row; the first row may share the record of the head. */
	#before = 0;
	/** True between a head and its first row. */
	#isFirst = false;
	/** Time of the row, Unix s; NaN if unknown. */
	#timeS = Number.NaN;

	constructor(
		core: Core,
		names: Uint8Array | undefined,
		readout: Readout,
		groups: readonly number[],
		entries: number,
		language: number,
	) {
		this.#core = core;
		this.#names = names;
		this.#readout = readout;
		this.#groups = groups;
		this.#language = language;
		this.#cursor = new RecordCursor(readout.records);
		this.isThere = this.findHead();
		this.#cursor.toStart();
		let rows = 0;
		while (this.isThere && this.next()) rows++;
		this.#skipped = Math.max(0, rows - entries);
	}

	produce(writer: JSONWriter, unit: number): boolean {
		if (unit === 0) {
			this.writeHead(writer);
			return true;
		}
		if (unit !== this.#unit) {
			if (unit === 1) {
				this.#cursor.toStart();
				this.#isOurs = false;
				for (let i = 0; i < this.#skipped; i++) this.next();
			}
			this.#unit = unit;
			this.#hasRow = this.next();
		}
		if (this.#hasRow) this.writeRow(writer);
		else {
			writer.endArray();
			writer.endObject();
		}
		return this.#hasRow;
	}

	/** Moves to the profile's first head and reads it; returns false if there is none. */
	private findHead(): boolean {
		const cursor = this.#cursor;
		cursor.toStart();
		while (cursor.nextRecord()) {
			if (cursor.isRow || !this.isHead()) continue;
			this.takeHead();
			return true;
		}
		return false;
	}

	/** True if the record is the head of the requested profile. A group that the meter omits matches any request. */
	private isHead(): boolean {
		const { a, b, c, d, e } = this.#cursor.code;
		const groups = this.#groups;
		const isGiven = (a < 0 || a === groups[0]) && (b < 0 || b === groups[1]) && (e < 0 || e === groups[4]);
		return isGiven && c === groups[2] && d === groups[3];
	}

	/**
	 * Moves to the next row. A row with a wrong number of values is omitted, with all rows up to the next head, because
	 * their columns and times are unknown.
	 */
	private next(): boolean {
		const cursor = this.#cursor;
		while (cursor.nextRecord()) {
			if (cursor.isRow) {
				if (!this.#isOurs) continue;
				this.#before = this.#hasOwnTimes ? OWN_VALUES : 0;
				// If the head has no period, only the first row has a time.
				if (!this.#isFirst) this.#timeS += this.#periodS || Number.NaN;
				if (this.#hasOwnTimes && cursor.nextValue()) {
					const timeS = this.momentOf(cursor.text, cursor.length);
					if (!Number.isNaN(timeS)) this.#timeS = timeS;
				}
			} else {
				this.#isOurs = this.isHead();
				if (!this.#isOurs) continue;
				if (this.isRowAlone()) this.#before = 1;
				else {
					this.takeHead();
					if (this.#hasOwnTimes || !cursor.nextValue()) continue;
					this.#before = HEAD_VALUES + 2 * this.#columns;
				}
			}
			this.#isFirst = false;
			this.#isOurs = this.isWhole();
			if (this.#isOurs) return true;
			this.#isCut = true;
		}
		return false;
	}

	/** Returns true if the record has one value per column. */
	private isWhole(): boolean {
		const cursor = this.#cursor;
		let values = -this.#before;
		for (cursor.rewind(); cursor.nextValue(); values++);
		return values === this.#columns;
	}

	/** Reads the time of a row that has one but no head (Makel meters). Returns false for other records. */
	private isRowAlone(): boolean {
		const cursor = this.#cursor;
		const isAlone = cursor.nextValue() && isStamp(cursor.text, cursor.length);
		if (isAlone) this.#timeS = this.momentOf(cursor.text, cursor.length);
		cursor.rewind();
		return isAlone;
	}

	/** Reads the head at the cursor, up to the first value of a row. */
	private takeHead(): void {
		const cursor = this.#cursor;
		if (this.isRowAlone()) {
			// The first row only defines the number of columns.
			this.#hasHead = false;
			for (this.#columns = -1; cursor.nextValue(); this.#columns++);
			return;
		}
		cursor.nextValue();
		this.#hasOwnTimes = cursor.length === 0;
		this.#timeS = this.momentOf(cursor.text, cursor.length);
		this.#isFirst = true;
		this.#status = cursor.nextValue() ? cursor.text.slice(0, cursor.length) : new Uint8Array(0);
		// The period is in minutes, unless its unit is seconds.
		const period = cursor.nextValue() ? digitsOf(cursor.text, 0, cursor.length) : 0;
		this.#periodS = period >= 0 ? period * (cursor.unit === "s" ? 1 : 60) : 0;
		this.#columns = cursor.nextValue() ? Math.max(0, digitsOf(cursor.text, 0, cursor.length)) : 0;
		if (this.#hasOwnTimes) return;
		for (let i = 0; i < 2 * this.#columns && cursor.nextValue(); i++);
	}

	private writeHead(writer: JSONWriter): void {
		this.findHead();
		const cursor = this.#cursor;
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
		writer.number(status === STATUS_OK && this.#isCut ? STATUS_CUT : status);
		writer.key("period_secs");
		writer.number(this.#periodS);
		writer.key("columns");
		writer.beginArray();
		cursor.rewind();
		for (let i = 0; i < HEAD_VALUES; i++) cursor.nextValue();
		for (let i = 0; this.#hasHead && i < this.#columns && cursor.nextValue(); i++) {
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
		const cursor = this.#cursor;
		const { zone, text } = this.#core;
		const isKnown = this.#timeS >= TIME_FIRST_S && this.#timeS <= TIME_LIMIT_S;
		const utcMs = isKnown ? this.#timeS * 1000 : 0;
		cursor.rewind();
		writer.beginObject();
		writer.key("timestamp");
		writer.number(utcMs / 1000);
		writer.key("localtime");
		writer.string(isKnown ? localText(utcMs, zone.offsetMinutes(utcMs), text) : "");
		writer.key("status");
		for (let i = 0; i < this.#before; i++) cursor.nextValue();
		if (this.#hasOwnTimes) this.text(writer, cursor.text, cursor.length);
		else this.text(writer, this.#status, this.#status.length);
		writer.key("values");
		writer.beginArray();
		while (cursor.nextValue()) this.text(writer, cursor.text, cursor.length);
		writer.endArray();
		writer.endObject();
	}

	/** Writes a value as text; null if it is empty. */
	private text(writer: JSONWriter, bytes: Uint8Array, length: number): void {
		if (length === 0) writer.null();
		else writer.ascii(bytes, 0, length);
	}

	/** Converts a time in the records to Unix s; NaN for any other text. */
	private momentOf(text: Uint8Array, length: number): number {
		if (text[0] === DOT) return digitsOf(text, 1, length);
		if (text[0] === COMMA) return this.utcOf(digitsOf(text, 1, length), SEASON_NONE);
		if (isStamp(text, length)) {
			const digits = text.slice(0, length).filter((byte) => byte >= DIGIT_0 && byte < DIGIT_0 + 10);
			return this.momentOf(digits, digits.length);
		}
		const first = length % 2;
		if (length < 10 || length > 13) return Number.NaN;
		const minute = digitsOf(text, first + 8, first + 10);
		const second = length - first > 10 ? digitsOf(text, first + 10, first + 12) : 0;
		const days = daysOf(
			YEAR_2000 + 12 * digitsOf(text, first, first + 2) + digitsOf(text, first + 2, first + 4) - 1,
			digitsOf(text, first + 4, first + 6),
		);
		const localS = days * DAY_S + digitsOf(text, first + 6, first + 8) * 3600 + minute * 60 + second;
		return this.utcOf(localS, first === 0 ? SEASON_NONE : text[0] - DIGIT_0);
	}

	/** Converts a clock time to Unix s; NaN outside the API's range. */
	private utcOf(localS: number, season: number): number {
		if (!(localS >= TIME_FIRST_S && localS <= TIME_LIMIT_S)) return Number.NaN;
		const { zone } = this.#core;
		if (season === SEASON_NONE) return firstMomentOf(zone, Math.floor(localS / 60)) / 1000 + (localS % 60);
		let winter = 0;
		let summer = 0;
		for (let i = 0; i < 3; i++) {
			const offset = zone.offsetMinutes(localS * 1000 - i * THIRD_MS);
			if (i === 0 || offset < winter) winter = offset;
			if (i === 0 || offset > summer) summer = offset;
		}
		if (season === SEASON_WINTER) return localS - winter * 60;
		return season === SEASON_SUMMER ? localS - summer * 60 : localS;
	}
}

function isStamp(text: Uint8Array, length: number): boolean {
	return length === STAMP_LENGTH && text[STAMP_DASH] === DASH;
}

/** Returns the number in `text[from..to)`; NaN unless all are digits. */
function digitsOf(text: Uint8Array, from: number, to: number): number {
	let number = from < to ? 0 : Number.NaN;
	for (let i = from; i < to; i++) {
		const digit = text[i] - DIGIT_0;
		number = digit >= 0 && digit <= 9 ? number * 10 + digit : Number.NaN;
	}
	return number;
}
