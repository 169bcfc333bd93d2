/**
 * A readout as JSON, a record at a time (API text, "Meter readout"; decisions 20 to 24), so that 340 readings never
 * exist as objects. Unit 0 is the head, then one unit a record, then the tail.
 */
import type { TextCodec } from "../io/host.js";
import type { JSONWriter } from "../json/writer.js";
import { putNumber } from "../meter/number.js";
import type { Readout } from "../meter/readout.js";
import { RecordCursor } from "../meter/record-cursor.js";
import { VALUE_LIMIT } from "../meter/record-writer.js";
import type { OBISCode } from "../obis/code.js";
import { LANGUAGE_DE, LANGUAGE_EN, LANGUAGE_PL, languageOf, NAME_LIMIT, OBISNames } from "../obis/names.js";
import { localText } from "../time/iso.js";
import { mappingOf } from "../zigbee/mapping.js";

/** What `GET last` shows beside the readout; fixed when the reply begins. */
export interface AttemptState {
	readonly running: boolean;
	/** Unix time of the last attempt in seconds; 0 for none. */
	readonly lastAttempt: number;
	/** Stable code of what went wrong in it; "" for nothing. */
	readonly lastError: string;
}

const NO_RECORDS = Object.freeze([]);

export class ReadoutBody {
	readonly #readout: Readout | undefined;
	readonly #attempt: AttemptState | undefined;
	readonly #localtime: string;
	readonly #language: number;
	readonly #names: OBISNames | undefined;
	readonly #cursor: RecordCursor;
	/** Holds a number's or a name's text on its way. */
	readonly #scratch = new Uint8Array(Math.max(VALUE_LIMIT + 1, NAME_LIMIT));
	#unit = 0;
	#hasRecord = false;

	/** `readout` undefined: there is none yet. `language` as in the query; `names` is the table of OBIS names. */
	constructor(
		readout: Readout | undefined,
		options: { language: string; names: Uint8Array | undefined; text: TextCodec; attempt?: AttemptState },
	) {
		this.#readout = readout;
		this.#attempt = options.attempt;
		this.#language = languageOf(options.language);
		this.#names = options.names === undefined ? undefined : new OBISNames(options.names);
		this.#localtime = readout === undefined || readout.utcMs === 0 ? "" : localText(readout.utcMs, 0, options.text);
		this.#cursor = new RecordCursor(readout?.records ?? new Uint8Array(NO_RECORDS));
		this.#names?.beginReadout();
	}

	/** For JSONStream. */
	produce(writer: JSONWriter, unit: number): boolean {
		if (unit === 0) {
			this.#head(writer);
			return true;
		}
		if (unit === this.#unit) this.#cursor.rewind();
		else {
			this.#unit = unit;
			this.#hasRecord = this.#cursor.nextRecord();
		}
		if (this.#hasRecord) this.#record(writer);
		else {
			writer.endArray();
			writer.endObject();
		}
		return this.#hasRecord;
	}

	#head(writer: JSONWriter): void {
		const readout = this.#readout;
		writer.beginObject();
		writer.key("protocol");
		writer.string("IEC62056-21");
		writer.key("meter_id");
		if (readout === undefined) writer.string("");
		else writer.ascii(readout.meterId, 0, readout.meterId.length);
		writer.key("mode");
		writer.string(readout === undefined ? "" : String.fromCharCode(readout.mode));
		writer.key("baudrate");
		writer.number(readout?.baud ?? 0);
		writer.key("timestamp");
		writer.number(Math.floor((readout?.utcMs ?? 0) / 1000));
		writer.key("localtime");
		writer.string(this.#localtime);
		writer.key("status");
		writer.number(readout?.status ?? 1);
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

	#record(writer: JSONWriter): void {
		const { address, addressLength, code } = this.#cursor;
		writer.beginObject();
		writer.key("obis_long");
		writer.ascii(address, 0, code.c < 0 ? addressLength : code.longEnd);
		writer.key("obis");
		if (code.c < 0) writer.ascii(address, 0, addressLength);
		else writer.ascii(address, code.shortStart, code.shortEnd);
		this.#values(writer);
		putNullable(writer, "medium", code.medium);
		putNullable(writer, "channel", code.channel);
		putNullable(writer, "billing_period", code.billingPeriod);
		writer.key("mapping_id");
		writer.string(mappingOf(code));
		this.#name(writer, "en", code, LANGUAGE_EN);
		if (this.#language === LANGUAGE_DE) this.#name(writer, "de", code, LANGUAGE_DE);
		if (this.#language === LANGUAGE_PL) this.#name(writer, "pl", code, LANGUAGE_PL);
		writer.endObject();
	}

	#values(writer: JSONWriter): void {
		const cursor = this.#cursor;
		const { text } = cursor;
		cursor.nextValue();
		writer.key("value1");
		writer.ascii(text, 0, cursor.length);
		const digits = putNumber(text, cursor.length, this.#scratch);
		const { unit } = cursor;
		writer.key("value2");
		if (cursor.nextValue()) writer.ascii(text, 0, cursor.length);
		else writer.string("");
		writer.key("value1_number");
		if (digits === 0) writer.null();
		else writer.rawNumber(this.#scratch, 0, digits);
		writer.key("value1_unit");
		writer.string(unit);
		if (!cursor.nextValue()) return;
		writer.key("values");
		writer.beginArray();
		do writer.ascii(text, 0, cursor.length);
		while (cursor.nextValue());
		writer.endArray();
	}

	#name(writer: JSONWriter, key: string, code: OBISCode, language: number): void {
		writer.key(key);
		if (this.#names === undefined || code.c < 0 || !this.#names.find(code, language)) writer.null();
		else writer.utf8(this.#scratch, 0, this.#names.write(this.#scratch, 0));
	}
}

function putNullable(writer: JSONWriter, key: string, value: number | null): void {
	writer.key(key);
	if (value === null) writer.null();
	else writer.number(value);
}
