/**
 * Readout as JSON (API text, "Meter readout"). It is written record by record, because objects for 340 readings would
 * take too much memory. Unit 0 is the head; then follow one unit per record and one for the end of the list. With
 * DLMS/COSEM, one unit per missing object and one for the end of their list follow.
 */

import { MissingCursor } from "../../../cosem/records.js";
import type { TextCodec } from "../../../io/host.js";
import type { JSONWriter } from "../../../json/writer.js";
import { isMomentary, type OBISCode, putDecimal } from "../../../obis/code.js";
import { pairOf, pairText, UNMAPPED } from "../../../obis/mapping.js";
import { LANGUAGE_DE, LANGUAGE_EN, languageOf, NAME_LIMIT, OBISNames } from "../../../obis/names.js";
import { channelsOf, mediumOf, NEVER_READ, stateOf } from "../../../readout/channels.js";
import { putNumber } from "../../../readout/number.js";
import { PROTOCOL_IEC62056_21, type Readout, STATUS_NONE } from "../../../readout/readout.js";
import { RecordCursor } from "../../../readout/record-cursor.js";
import { VALUE_LIMIT } from "../../../readout/record-writer.js";
import { localText } from "../../../time/iso.js";
import type { TimeZone } from "../../../time/zone.js";
import { writeMissing } from "./missing.js";

/** State of the meter reader at the beginning of the reply. */
export interface AttemptState {
	readonly running: boolean;
	/** Unix s; 0 if there was no attempt. */
	readonly lastAttempt: number;
	/** Code of the failure, as in the API; "" after a success. */
	readonly lastError: string;
	/** True if the momentary values are too old (value-age.ts). Their numbers are then null. */
	readonly isOld: boolean;
}

const PART_RECORDS = 0;
const PART_BETWEEN = 1;
const PART_MISSING = 2;
const PART_END = 3;

/** Number of bytes up to which a text is copied by native code. */
const SHORT = 32;

const QUOTE = 0x22;

const NO_RECORDS = Object.freeze([]);

const PIECES = Object.freeze([
	'"obis_long":"',
	'","obis":"',
	'","value1":"',
	'","value2":"',
	'","value1_number":',
	',"value1_unit":',
	',"medium":',
	',"channel":',
	',"billing_period":',
	`,"mapping_id":"${UNMAPPED}","en":`,
]);
const PIECE_OBIS_LONG = 0;
const PIECE_OBIS = 1;
const PIECE_VALUE1 = 2;
const PIECE_VALUE2 = 3;
const PIECE_NUMBER = 4;
const PIECE_UNIT = 5;
const PIECE_MEDIUM = 6;
const PIECE_CHANNEL = 7;
const PIECE_BILLING_PERIOD = 8;
const PIECE_UNMAPPED = 9;

export function prepareReadingKeys(writer: JSONWriter): readonly Uint8Array[] {
	return PIECES.map((piece) => writer.prepare(piece));
}

export interface ReadoutBodyOptions {
	readonly language: string;
	readonly names: Uint8Array | undefined;
	readonly keys: readonly Uint8Array[];
	readonly text: TextCodec;
	readonly zone: TimeZone;
	readonly map: Uint8Array;
	readonly attempt?: AttemptState | undefined;
}

export class ReadoutBody {
	readonly #readout: Readout | undefined;
	readonly #attempt: AttemptState | undefined;
	readonly #keys: readonly Uint8Array[];
	readonly #map: Uint8Array;
	readonly #localtime: string;
	readonly #language: number;
	readonly #names: OBISNames | undefined;
	readonly #cursor: RecordCursor;
	readonly #channels: Uint8Array;
	readonly #null: Uint8Array;
	readonly #scratch = new Uint8Array(VALUE_LIMIT + 1);
	/** Beginning of `#scratch`, for texts that are copied by native code. Most numbers fit into it. */
	readonly #shortScratch = this.#scratch.subarray(0, SHORT);
	/** English name of the reading, in quotes. */
	readonly #name = new Uint8Array(NAME_LIMIT + 2);
	/** Name in the language of the reply, in quotes. If that is English, it is the same array as `#name`. */
	readonly #translation: Uint8Array;
	/** Lengths of these two names; 0 if there is no name. */
	#nameEnd = 0;
	#translationEnd = 0;
	#hasNames = false;
	readonly #missing: MissingCursor | undefined;
	#unit = 0;
	/** Number of the present record, from 1 on. */
	#record = 0;
	#part = PART_RECORDS;

	/** `readout` is undefined if there was no readout yet. */
	constructor(readout: Readout | undefined, options: ReadoutBodyOptions) {
		this.#keys = options.keys;
		this.#null = options.text.encode("null");
		this.#map = options.map;
		this.#readout = readout;
		this.#attempt = options.attempt;
		this.#language = languageOf(options.language);
		this.#translation = this.#language === LANGUAGE_EN ? this.#name : new Uint8Array(NAME_LIMIT + 2);
		this.#names = options.names === undefined ? undefined : new OBISNames(options.names);
		this.#localtime =
			readout === undefined || readout.utcMs === 0
				? ""
				: localText(readout.utcMs, options.zone.offsetMinutes(readout.utcMs), options.text);
		const records = readout?.records ?? new Uint8Array(NO_RECORDS);
		this.#cursor = new RecordCursor(records);
		this.#channels = channelsOf(records);
		this.#names?.beginReadout();
		if (readout?.missing !== undefined) this.#missing = new MissingCursor(readout.missing);
	}

	produce(writer: JSONWriter, unit: number): boolean {
		if (unit === 0) {
			this.head(writer);
			return true;
		}
		if (unit === this.#unit) this.#cursor.rewind();
		else {
			this.#unit = unit;
			this.advance();
		}
		if (this.#part === PART_RECORDS) this.record(writer);
		else if (this.#part === PART_MISSING && this.#missing !== undefined) writeMissing(writer, this.#missing);
		else {
			writer.endArray();
			if (this.#part === PART_BETWEEN) {
				writer.key("missing");
				writer.beginArray();
			} else writer.endObject();
		}
		return this.#part !== PART_END;
	}

	private advance(): void {
		if (this.#part === PART_RECORDS) {
			const cursor = this.#cursor;
			const hasNext = cursor.nextRecord();
			this.#record++;
			// Records with the same code have the same names, unless C is 0, because F may then determine the name too.
			this.#hasNames = cursor.isSameCode && cursor.code.c > 0;
			if (!hasNext) this.#part = this.#missing === undefined ? PART_END : PART_BETWEEN;
		} else this.#part = this.#missing?.next() ? PART_MISSING : PART_END;
	}

	private head(writer: JSONWriter): void {
		const readout = this.#readout;
		writer.beginObject();
		writer.key("protocol");
		writer.string(readout?.protocol ?? PROTOCOL_IEC62056_21);
		writer.key("meter_id");
		if (readout === undefined) writer.string("");
		else writer.ascii(readout.meterId, 0, readout.meterId.length);
		writer.key("mode");
		writer.string(readout === undefined || readout.mode === 0 ? "" : String.fromCharCode(readout.mode));
		writer.key("baudrate");
		writer.number(readout?.baud ?? 0);
		writer.key("timestamp");
		writer.number(Math.floor((readout?.utcMs ?? 0) / 1000));
		writer.key("localtime");
		writer.string(this.#localtime);
		if (readout?.liveUtcMs !== undefined) {
			writer.key("live_timestamp");
			writer.number(Math.floor(readout.liveUtcMs / 1000));
		}
		writer.key("status");
		writer.number(readout?.status ?? STATUS_NONE);
		if (this.#attempt !== undefined) {
			writer.key("running");
			writer.boolean(this.#attempt.running);
			writer.key("last_attempt");
			writer.number(this.#attempt.lastAttempt);
			writer.key("last_error");
			if (this.#attempt.lastError === "") writer.null();
			else writer.string(this.#attempt.lastError);
			writer.key("momentary_valid");
			writer.boolean(!this.#attempt.isOld);
		}
		writer.key("readings");
		writer.beginArray();
	}

	private record(writer: JSONWriter): void {
		const { address, addressLength, code, attribute } = this.#cursor;
		const pieces = this.#keys;
		const isCode = code.c >= 0;
		writer.beginObject();
		writer.raw(pieces[PIECE_OBIS_LONG]);
		if (isCode) writer.rawPart(address, 0, code.longEnd);
		else writer.rawASCII(address, 0, addressLength);
		writer.raw(pieces[PIECE_OBIS]);
		if (isCode) writer.rawPart(address, code.shortStart, code.shortEnd);
		else writer.rawASCII(address, 0, addressLength);
		this.values(writer);
		if (attribute !== 0) {
			writer.key("attribute");
			writer.number(attribute);
		}
		if (this.#readout?.unconfirmed?.includes(this.#record)) {
			writer.key("unconfirmed");
			writer.boolean(true);
		}
		this.numberOrNull(writer, PIECE_MEDIUM, code.medium);
		this.numberOrNull(writer, PIECE_CHANNEL, code.channel);
		this.numberOrNull(writer, PIECE_BILLING_PERIOD, code.billingPeriod);
		const pair = attribute === 0 ? pairOf(code, this.#map) : 0;
		if (pair === 0) writer.raw(pieces[PIECE_UNMAPPED]);
		else {
			writer.key("mapping_id");
			writer.word(pairText(pair));
			writer.key("en");
		}
		this.names(writer, code);
		writer.endObject();
	}

	private values(writer: JSONWriter): void {
		const cursor = this.#cursor;
		const pieces = this.#keys;
		const scratch = this.#scratch;
		cursor.nextValue();
		writer.raw(pieces[PIECE_VALUE1]);
		this.text(writer);
		const isUnread = (stateOf(this.#channels, cursor.code) & NEVER_READ) !== 0;
		const isUnknown = isUnread || (this.#attempt?.isOld === true && isMomentary(cursor.code.d));
		const digits = isUnknown ? 0 : putNumber(cursor.text, cursor.length, scratch);
		const { unit, isPlainUnit } = cursor;
		writer.raw(pieces[PIECE_VALUE2]);
		const hasSecond = cursor.nextValue();
		if (hasSecond) this.text(writer);
		writer.raw(pieces[PIECE_NUMBER]);
		if (digits === 0) writer.raw(this.#null);
		else writer.rawPart(digits > SHORT ? scratch : this.#shortScratch, 0, digits);
		writer.raw(pieces[PIECE_UNIT]);
		if (isPlainUnit) writer.rawWord(unit);
		else writer.rawString(unit);
		if (hasSecond) this.moreValues(writer);
	}

	/**
	 * Writes the unit of the second value. If there are more values, also writes a list of all values, and a list of the
	 * units from the third value on.
	 */
	private moreValues(writer: JSONWriter): void {
		const cursor = this.#cursor;
		if (cursor.unit !== "") {
			writer.key("value2_unit");
			writer.string(cursor.unit);
		}
		if (!cursor.nextValue()) return;
		writer.key("values");
		writer.beginArray();
		let hasUnit = false;
		do {
			if (cursor.isPlain) writer.plain(cursor.text, 0, cursor.length);
			else writer.ascii(cursor.text, 0, cursor.length);
			if (cursor.unit !== "") hasUnit = true;
		} while (cursor.nextValue());
		writer.endArray();
		if (!hasUnit) return;
		writer.key("values_units");
		writer.beginArray();
		cursor.rewind();
		for (let i = 0; cursor.nextValue(); i++) if (i > 1) writer.string(cursor.unit);
		writer.endArray();
	}

	private text(writer: JSONWriter): void {
		const { text, shortText, length, isPlain } = this.#cursor;
		if (isPlain) writer.rawPart(length > shortText.length ? text : shortText, 0, length);
		else writer.rawASCII(text, 0, length);
	}

	private names(writer: JSONWriter, code: OBISCode): void {
		if (!this.#hasNames) this.findNames(code);
		this.name(writer, this.#name, this.#nameEnd);
		if (this.#language === LANGUAGE_EN) return;
		writer.key(this.#language === LANGUAGE_DE ? "de" : "pl");
		this.name(writer, this.#translation, this.#translationEnd);
	}

	private name(writer: JSONWriter, name: Uint8Array, end: number): void {
		if (end === 0) writer.raw(this.#null);
		else writer.rawPart(name, 0, end);
	}

	private findNames(code: OBISCode): void {
		const names = this.#names;
		this.#hasNames = true;
		this.#nameEnd = this.#translationEnd = 0;
		if (
			names === undefined ||
			code.c < 0 ||
			!names.find(code, LANGUAGE_EN, mediumOf(stateOf(this.#channels, code), code))
		)
			return;
		this.#nameEnd = this.quotedName(names, this.#name);
		if (this.#language === LANGUAGE_EN) return;
		names.translate(this.#language);
		this.#translationEnd = this.quotedName(names, this.#translation);
	}

	private numberOrNull(writer: JSONWriter, piece: number, value: number | null): void {
		writer.raw(this.#keys[piece]);
		if (value === null) writer.raw(this.#null);
		else writer.rawPart(this.#shortScratch, 0, putDecimal(this.#scratch, 0, value));
	}

	/**
	 * Writes the name that was found last, and the name of its attribute, in quotes. Returns the end, or 0 if the
	 * attribute is unknown.
	 */
	private quotedName(names: OBISNames, into: Uint8Array): number {
		const { classId, attribute } = this.#cursor;
		into[0] = QUOTE;
		const nameEnd = names.write(into, 1);
		const end = attribute === 0 ? nameEnd : names.writeAttribute(classId, attribute, into, nameEnd);
		if (attribute !== 0 && end === nameEnd) return 0;
		into[end] = QUOTE;
		return end + 1;
	}
}
