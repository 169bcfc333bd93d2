/**
 * A readout as JSON, a record at a time (API text, "Meter readout"; decisions 20 to 24), so that 340 readings never
 * exist as objects. Unit 0 is the head, then one unit a record, then the end of the list; with DLMS/COSEM one a missing
 * object and another end follow.
 */
import type { TextCodec } from "../io/host.js";
import type { JSONWriter } from "../json/writer.js";
import { MissingCursor } from "../meter/dlms-records.js";
import type { OBISCode } from "../obis/code.js";
import { mappingOf } from "../obis/mapping.js";
import { LANGUAGE_DE, LANGUAGE_EN, languageOf, NAME_LIMIT, OBISNames } from "../obis/names.js";
import { putNumber } from "../readout/number.js";
import { PROTOCOL_OF_NONE, type Readout, STATUS_NONE } from "../readout/readout.js";
import { RecordCursor } from "../readout/record-cursor.js";
import { VALUE_LIMIT } from "../readout/record-writer.js";
import { localText } from "../time/iso.js";
import type { TimeZone } from "../time/zone.js";
import { writeMissing } from "./missing.js";

/** What `GET last` shows beside the readout; fixed when the reply begins. */
export interface AttemptState {
	readonly running: boolean;
	/** Unix time of the last attempt in seconds; 0 for none. */
	readonly lastAttempt: number;
	/** Stable code of what went wrong in it; "" for nothing. */
	readonly lastError: string;
}

/** What a unit is. */
const PART_RECORDS = 0;
const PART_BETWEEN = 1;
const PART_MISSING = 2;
const PART_END = 3;

const NO_RECORDS = Object.freeze([]);

/** Names of a reading's members, in their order; `KEY_…` are their positions. */
const READING_MEMBERS = Object.freeze([
	"obis_long",
	"obis",
	"value1",
	"value2",
	"value1_number",
	"value1_unit",
	"medium",
	"channel",
	"billing_period",
	"mapping_id",
	"en",
]);
const KEY_OBIS_LONG = 0;
const KEY_OBIS = 1;
const KEY_VALUE1 = 2;
const KEY_VALUE2 = 3;
const KEY_NUMBER = 4;
const KEY_UNIT = 5;
const KEY_MEDIUM = 6;
const KEY_CHANNEL = 7;
const KEY_BILLING_PERIOD = 8;
const KEY_MAPPING = 9;
const KEY_EN = 10;

/** The members' names as bytes, made once for all replies. */
export function prepareReadingKeys(writer: JSONWriter): readonly Uint8Array[] {
	return READING_MEMBERS.map((name, i) => writer.prepareKey(name, i === 0));
}

export interface ReadoutBodyOptions {
	/** As in the query. */
	readonly language: string;
	/** Table of OBIS names. */
	readonly names: Uint8Array | undefined;
	/** From prepareReadingKeys. */
	readonly keys: readonly Uint8Array[];
	readonly text: TextCodec;
	/** Of `localtime`. */
	readonly zone: TimeZone;
	/** Table of the Zigbee attributes (obis/mapping.ts). */
	readonly map: Uint8Array;
	readonly attempt?: AttemptState;
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
	/** Holds a number's or a name's text on its way. */
	readonly #scratch = new Uint8Array(Math.max(VALUE_LIMIT + 1, NAME_LIMIT));
	/** Undefined: a readout of another protocol, where nothing is asked for by name. */
	readonly #missing: MissingCursor | undefined;
	#unit = 0;
	#part = PART_RECORDS;

	/** `readout` undefined: there is none yet. */
	constructor(readout: Readout | undefined, options: ReadoutBodyOptions) {
		this.#keys = options.keys;
		this.#map = options.map;
		this.#readout = readout;
		this.#attempt = options.attempt;
		this.#language = languageOf(options.language);
		this.#names = options.names === undefined ? undefined : new OBISNames(options.names);
		this.#localtime =
			readout === undefined || readout.utcMs === 0
				? ""
				: localText(readout.utcMs, options.zone.offsetMinutes(readout.utcMs), options.text);
		this.#cursor = new RecordCursor(readout?.records ?? new Uint8Array(NO_RECORDS));
		this.#names?.beginReadout();
		if (readout?.missing !== undefined) this.#missing = new MissingCursor(readout.missing);
	}

	/** For JSONStream. */
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

	/** Goes to what the next unit is. */
	private advance(): void {
		if (this.#part === PART_RECORDS) {
			if (!this.#cursor.nextRecord()) this.#part = this.#missing === undefined ? PART_END : PART_BETWEEN;
		} else this.#part = this.#missing?.next() ? PART_MISSING : PART_END;
	}

	private head(writer: JSONWriter): void {
		const readout = this.#readout;
		writer.beginObject();
		writer.key("protocol");
		writer.string(readout?.protocol ?? PROTOCOL_OF_NONE);
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
		}
		writer.key("readings");
		writer.beginArray();
	}

	private record(writer: JSONWriter): void {
		const { address, addressLength, code } = this.#cursor;
		const keys = this.#keys;
		const isCode = code.c >= 0;
		writer.beginObject();
		writer.preparedKey(keys[KEY_OBIS_LONG]);
		if (isCode) writer.plain(address, 0, code.longEnd);
		else writer.ascii(address, 0, addressLength);
		writer.preparedKey(keys[KEY_OBIS]);
		if (isCode) writer.plain(address, code.shortStart, code.shortEnd);
		else writer.ascii(address, 0, addressLength);
		this.values(writer);
		putNullable(writer, keys[KEY_MEDIUM], code.medium);
		putNullable(writer, keys[KEY_CHANNEL], code.channel);
		putNullable(writer, keys[KEY_BILLING_PERIOD], code.billingPeriod);
		writer.preparedKey(keys[KEY_MAPPING]);
		writer.string(mappingOf(code, this.#map));
		writer.preparedKey(keys[KEY_EN]);
		this.name(writer, code, LANGUAGE_EN);
		if (this.#language === LANGUAGE_EN) {
			writer.endObject();
			return;
		}
		writer.key(this.#language === LANGUAGE_DE ? "de" : "pl");
		this.name(writer, code, this.#language);
		writer.endObject();
	}

	private values(writer: JSONWriter): void {
		const cursor = this.#cursor;
		const keys = this.#keys;
		cursor.nextValue();
		writer.preparedKey(keys[KEY_VALUE1]);
		this.text(writer);
		const digits = putNumber(cursor.text, cursor.length, this.#scratch);
		const { unit } = cursor;
		writer.preparedKey(keys[KEY_VALUE2]);
		const hasSecond = cursor.nextValue();
		if (hasSecond) this.text(writer);
		else writer.plain(this.#scratch, 0, 0);
		writer.preparedKey(keys[KEY_NUMBER]);
		if (digits === 0) writer.null();
		else writer.rawNumber(this.#scratch, 0, digits);
		writer.preparedKey(keys[KEY_UNIT]);
		writer.string(unit);
		if (!hasSecond) return;
		if (cursor.unit !== "") {
			writer.key("value2_unit");
			writer.string(cursor.unit);
		}
		if (!cursor.nextValue()) return;
		writer.key("values");
		writer.beginArray();
		do this.text(writer);
		while (cursor.nextValue());
		writer.endArray();
	}

	/** The cursor's value as text. */
	private text(writer: JSONWriter): void {
		const { text, length, isPlain } = this.#cursor;
		if (isPlain) writer.plain(text, 0, length);
		else writer.ascii(text, 0, length);
	}

	private name(writer: JSONWriter, code: OBISCode, language: number): void {
		if (this.#names === undefined || code.c < 0 || !this.#names.find(code, language)) writer.null();
		else writer.plain(this.#scratch, 0, this.#names.write(this.#scratch, 0));
	}
}

function putNullable(writer: JSONWriter, key: Uint8Array, value: number | null): void {
	writer.preparedKey(key);
	if (value === null) writer.null();
	else writer.number(value);
}
