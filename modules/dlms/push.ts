/**
 * Decodes data-notifications (IEC 62056-5-3, 9.5; IEC 62056-6-2, 5.3.8). Meters send several kinds of bodies:
 *
 * | body | decoding |
 * |---|---|
 * | code and value, maybe scaler and unit; one structure per object, or one for all | by the codes (6 bytes) |
 * | class, code, attribute, value | by the codes |
 * | list of objects (class, code, attribute, …), then their values | by position (Landis+Gyr, Iskraemeco, Energomera) |
 * | enum, then an array of class, code and attribute without tags, and value | by the codes (EG.D, Sagemcom XT211) |
 * | only values | by the first row (lists.ts) that fits, among the user's rows and then the known rows |
 *
 * If no row fits a body with only values, `isNameless` is true.
 *
 * If a value has no scaler and unit, those in the maker's documentation are used (MAKERS). The time in the head of a
 * notification is reported as the clock, 0-0:1.0.0. A text without a code at the end is reported as the meter number
 * (Netz Niederösterreich). Limits: axdr.ts, render.ts.
 */
import { TEXT_LIMIT } from "../bytes/octets.js";
import { NO_BYTES } from "../io/machine.js";
import type { RecordWriter } from "../readout/record-writer.js";
import {
	DataWalker,
	STACK_SIZE,
	TAG_ARRAY,
	TAG_DATE_TIME,
	TAG_ENUM,
	TAG_INT8,
	TAG_OCTET_STRING,
	TAG_STRUCTURE,
	TAG_UINT16,
} from "./axdr.js";
import type { Cursor } from "./cursor.js";
import { DATE_TIME_LENGTH } from "./date-time.js";
import { ANY_LENGTH, GROUPS, KNOWN_LISTS, ROW_ELEMENT, ROW_MAKER, ROW_MAY_END, ROW_WRONG, RowReader } from "./lists.js";
import { ATTRIBUTE_VALUE, POLL_ATTRIBUTE, POLL_CLASS, POLL_CODE_LENGTH, POLL_ENTRY_SIZE } from "./poll-list.js";
import { AS_DATE_TIME, AS_TEXT, isNumber, render } from "./render.js";
import { UNIT_NONE } from "./scaler-cache.js";

export const DATA_NOTIFICATION = 0x0f;
const INVOKE_ID_LENGTH = 4;
const CLASS_REGISTER = 3;
const CLASS_CLOCK = 8;
const CLASS_PUSH_SETUP = 40;
/** Value group C in the code of the push setup, 0-b:25.9.0. */
const GROUP_PUSH_SETUP = 25;

/** Units of IEC 62056-6-2, table 4. */
const UNIT_W = 27;
const UNIT_VAR = 29;
const UNIT_WH = 30;
const UNIT_VARH = 32;
const UNIT_A = 33;
const UNIT_V = 35;

/** Makers: the first three letters of a system title, of a device name or of the name of a list. */
const MAKERS = "KFM KAM LGZ ISK";
const MAKER_SIZE = 4;
/**
 * Indexes in MAKERS. Values without a unit are in W, var, Wh and varh. Kaifa meters send current in mA, and voltage in
 * 0.1 V. Kamstrup meters send energy in 10 Wh and 10 varh, current in 0.01 A, voltage in V, and power factors in 0.01.
 * Other makers use various units for current and voltage. Values that are decoded by a row (lists.ts) have the units of
 * Kaifa, but the scalers in the row.
 */
const KAIFA = 0;
const KAMSTRUP = 1;
/**
 * First index of the makers whose units of current and voltage vary. It is also used for a list of objects whose maker
 * is unknown.
 */
const OTHER_MAKER = 2;
const NO_MAKER = -1;
const SCALER_CURRENT = -3;
const SCALER_VOLTAGE = -1;
const SCALER_POWER_FACTOR = -2;
/** Value group C of the total power factor. For the power factor of a phase it is higher by 20, 40 or 60. */
const POWER_FACTOR = 13;

/**
 * Upper limit of value group A in a code, which is one of the media of IEC 62056-6-1. A text of six characters is no
 * code, because it begins with a larger byte.
 */
const MEDIUM_LIMIT = 0x10;

const STACK_AT = TEXT_LIMIT;
const CODE_AT = STACK_AT + STACK_SIZE;

export class PushReading {
	/** Logical device name or meter number in ASCII; empty if the push has none. */
	meterId: Uint8Array = NO_BYTES;
	readonly cursor: Cursor;
	body = 0;
	readonly #walker: DataWalker;
	readonly #work = new Uint8Array(CODE_AT + POLL_ENTRY_SIZE);
	readonly #records: RecordWriter;
	#maker = NO_MAKER;
	#hasTime = false;
	#objects = 0;
	#numbers = 0;
	/** Number of numeric values without an OBIS code. */
	#nameless = 0;
	#isOpen = false;
	#scaler = 0;
	#unit = UNIT_NONE;

	constructor(cursor: Cursor, records: RecordWriter) {
		this.cursor = cursor;
		this.#records = records;
		this.#walker = new DataWalker(cursor, this.#work, STACK_AT);
	}

	/**
	 * Decodes the notification at the cursor into records. `title` is the sender's system title, or empty. `rows` are
	 * the user's rows for lists without codes. Returns false if the cursor does not have exactly one notification in
	 * valid A-XDR, with one value for each listed object. The records are invalid then.
	 */
	decode(title: Uint8Array, rows = ""): boolean {
		const { cursor } = this;
		const walker = this.#walker;
		cursor.expect(DATA_NOTIFICATION);
		cursor.skip(INVOKE_ID_LENGTH);
		let length = cursor.u8();
		if (length === TAG_OCTET_STRING) length = cursor.u8();
		if (length !== 0 && length !== DATE_TIME_LENGTH) return false;
		const time = cursor.skip(length);
		const body = cursor.at;
		this.body = body;
		const { bytes } = cursor;
		const isContainer = bytes[body] === TAG_STRUCTURE || bytes[body] === TAG_ARRAY;
		this.findMaker(title, 0, title.length);
		if (!isContainer || !walker.skip() || cursor.left > 0) return this.decodeUntagged(body);
		if (length > 0 && bytes[time] !== 0xff) {
			walker.tag = TAG_DATE_TIME;
			walker.start = time;
			this.writeClock();
		}
		cursor.at = body + 1;
		const count = cursor.length();
		const first = cursor.at;
		if (bytes[first] === TAG_ARRAY && this.isObject(first + 2)) return this.decodeListed(count);
		const isRead =
			this.decodeByRows(new RowReader(rows), title, body) ||
			this.decodeByRows(new RowReader(KNOWN_LISTS, GROUPS), title, body);
		if (!isRead) {
			cursor.at = body;
			walker.begin();
			this.decodeCodes();
		}
		return true;
	}

	/** True if the push has no OBIS codes and fits no row. At most the clock was decoded. */
	get isNameless(): boolean {
		return this.#numbers === 0 && (this.#nameless > 0 || (this.#hasTime && this.#objects === 0));
	}

	/** True if an object of a list is at `at`: 02 n, 12 class, 09 06 code, 0F. */
	private isObject(at: number): boolean {
		const { bytes } = this.cursor;
		return (
			bytes[at] === TAG_STRUCTURE &&
			bytes[at + 2] === TAG_UINT16 &&
			bytes[at + 5] === TAG_OCTET_STRING &&
			bytes[at + 6] === POLL_CODE_LENGTH &&
			bytes[at + 13] === TAG_INT8
		);
	}

	/**
	 * Decodes a list of objects with a value for each. If the first object is the push setup that describes this list,
	 * it has no value.
	 */
	private decodeListed(count: number): boolean {
		const { cursor } = this;
		const { bytes, at: list } = cursor;
		const walker = this.#walker;
		if (this.#maker < 0) this.#maker = OTHER_MAKER;
		cursor.at = list + 1;
		let left = cursor.length();
		let object = cursor.at;
		cursor.at = list;
		walker.skip();
		let value = cursor.at;
		let isPushSetup = left === count && bytes[object + 4] === CLASS_PUSH_SETUP;
		if (!isPushSetup && left !== count - 1) return false;
		for (; left > 0; left--) {
			if (!this.isObject(object)) return false;
			if (!isPushSetup) {
				cursor.at = value;
				walker.begin();
				this.setObject(object + 7, bytes[object + 4], bytes[object + 14]);
				while (walker.next()) if (bytes[object + 4] !== CLASS_PUSH_SETUP) this.writeValue();
				value = cursor.at;
			}
			isPushSetup = false;
			cursor.at = object;
			walker.skip();
			object = cursor.at;
		}
		return true;
	}

	/** Decodes a push whose objects have no tags. Such a push has no time in the head. */
	private decodeUntagged(body: number): boolean {
		const { cursor } = this;
		const { bytes, end } = cursor;
		const walker = this.#walker;
		cursor.set(bytes, body, end);
		cursor.expect(TAG_STRUCTURE);
		cursor.expect(2);
		cursor.expect(TAG_ENUM);
		cursor.u8();
		cursor.expect(TAG_ARRAY);
		if (this.#maker < 0) this.#maker = OTHER_MAKER;
		for (let left = cursor.length(); left > 0 && !cursor.failed; left--) {
			cursor.expect(TAG_STRUCTURE);
			cursor.expect(2);
			cursor.expect(0);
			const classId = cursor.u8();
			const code = cursor.skip(POLL_CODE_LENGTH);
			this.setObject(code, classId, cursor.u8());
			walker.begin();
			while (walker.next()) if (classId !== CLASS_PUSH_SETUP) this.writeValue();
		}
		return !cursor.failed && cursor.at === end;
	}

	private decodeByRows(row: RowReader, title: Uint8Array, body: number): boolean {
		const walker = this.#walker;
		while (!this.fits(row, title, body)) if (!row.nextRow()) return false;
		row.rewind();
		this.cursor.at = body;
		for (walker.begin(); walker.next(); ) {
			while (row.next() !== ROW_ELEMENT);
			if (!row.hasCode) continue;
			this.#work.set(row.code, CODE_AT);
			this.#maker = KAIFA;
			this.select(0, ATTRIBUTE_VALUE);
			this.#scaler = row.scaler;
			if (row.unit !== UNIT_NONE) this.#unit = row.unit;
			this.writeValue();
		}
		return true;
	}

	/**
	 * True if the list has exactly the elements of the row. If the row names makers, the list must also come from one
	 * of them.
	 */
	private fits(row: RowReader, title: Uint8Array, body: number): boolean {
		const { cursor } = this;
		const walker = this.#walker;
		const { bytes } = cursor;
		cursor.at = body;
		walker.begin();
		// Before the text of a first string there are four bytes: tag and count of the list, tag and length of the
		// string.
		const name = bytes[body + 2] === TAG_OCTET_STRING ? body + 4 : bytes.length;
		let isMaker: boolean | undefined;
		for (;;) {
			const kind = row.next();
			if (kind === ROW_MAKER) isMaker ||= row.isMaker(title, 0) || row.isMaker(bytes, name);
			else if (kind === ROW_ELEMENT) {
				if (isMaker === false || !walker.next() || walker.tag !== row.tag) return false;
				if (row.length !== ANY_LENGTH && row.length !== walker.end - walker.start) return false;
			} else if (kind !== ROW_MAY_END || cursor.left === 0)
				return cursor.left === 0 && kind !== ROW_WRONG && isMaker !== false;
		}
	}

	private decodeCodes(): void {
		const { cursor } = this;
		const { bytes } = cursor;
		const walker = this.#walker;
		let isPending = false;
		let hasValue = false;
		let known = 0;
		let classId = 0;
		while (walker.next()) {
			const { tag, start, end } = walker;
			const length = end - start;
			if (known > 0) known--;
			else if (isPending && classId > 0 && tag === TAG_INT8) {
				this.#work[CODE_AT + POLL_ATTRIBUTE] = bytes[start];
				classId = 0;
			} else if (isPending) {
				if (this.findScaler()) known = 2;
				this.writeValue();
				isPending = false;
				hasValue = true;
				classId = 0;
			} else if (tag === TAG_OCTET_STRING && length === POLL_CODE_LENGTH && bytes[start] < MEDIUM_LIMIT) {
				this.setObject(start, classId, ATTRIBUTE_VALUE);
				if (classId > 0) this.#nameless--;
				// Without a class, scaler and unit may follow the code. With a class, the attribute follows.
				else if (this.findScaler()) known = 2;
				// The code of a push setup is the name of the list and has no value.
				isPending = bytes[start + 2] !== GROUP_PUSH_SETUP || bytes[start + 3] !== 9;
				if (!isPending) classId = 0;
			} else if (tag === TAG_UINT16) {
				classId = bytes[start + 1];
				this.#nameless++;
			} else if (tag === TAG_OCTET_STRING && length === DATE_TIME_LENGTH && !hasValue) this.writeClock();
			else if (hasValue && cursor.left === 0 && length > POLL_CODE_LENGTH) {
				this.setCode(0, 96, 1);
				this.writeValue();
			} else {
				if (isNumber(tag)) this.#nameless++;
				this.findMaker(bytes, start, end);
			}
		}
	}

	private writeClock(): void {
		const walker = this.#walker;
		this.setCode(0, 1, 0);
		walker.end = walker.start + DATE_TIME_LENGTH;
		this.writeValue();
	}

	private setCode(a: number, c: number, d: number, e = 0): void {
		const code = [a, 0, c, d, e, 0xff];
		this.#work.set(code, CODE_AT);
		this.select(0, ATTRIBUTE_VALUE);
	}

	/** Sets the object to which the next value belongs. `classId` is 0 if the class is unknown. */
	private setObject(at: number, classId: number, attribute: number): void {
		for (let i = 0; i < POLL_CODE_LENGTH; i++) this.#work[CODE_AT + i] = this.cursor.bytes[at + i];
		this.select(classId, attribute);
	}

	/** Sets the class and the attribute of the object, and the scaler and the unit that its maker uses. */
	private select(classId: number, attribute: number): void {
		const work = this.#work;
		const c = work[CODE_AT + 2];
		const d = work[CODE_AT + 3];
		const isClock = work[CODE_AT] === 0 && c === 1 && d === 0;
		work[CODE_AT + POLL_CLASS] = classId || (isClock ? CLASS_CLOCK : CLASS_REGISTER);
		work[CODE_AT + POLL_ATTRIBUTE] = attribute;
		this.#scaler = 0;
		this.#unit = UNIT_NONE;
		this.#isOpen = false;
		const maker = this.#maker;
		if (maker < 0 || work[CODE_AT] !== 1 || c > 80 || (d !== 7 && d !== 8)) return;
		// In value group C, 21 to 33, 41 to 53 and 61 to 73 mean the same as 1 to 13, but for one phase.
		const kind = c % 20;
		const isEnergy = d === 8;
		const isReactive = kind > 2;
		if (kind === POWER_FACTOR && d === 7 && maker === KAMSTRUP) this.#scaler = SCALER_POWER_FACTOR;
		if (kind === 0 || kind > 12 || (kind > 8 && (isEnergy || kind < 11))) return;
		if (kind > 8 && maker >= OTHER_MAKER) return;
		if (kind > 8) {
			this.#unit = kind === 11 ? UNIT_A : UNIT_V;
			this.#scaler = kind === 11 ? SCALER_CURRENT : SCALER_VOLTAGE;
		} else if (isEnergy) this.#unit = isReactive ? UNIT_VARH : UNIT_WH;
		else this.#unit = isReactive ? UNIT_VAR : UNIT_W;
		if (maker === KAMSTRUP && (isEnergy || kind > 8)) this.#scaler++;
	}

	private findScaler(): boolean {
		const { bytes, end } = this.cursor;
		let { at } = this.cursor;
		if (bytes[at] === TAG_STRUCTURE && bytes[at + 1] === 2) at += 2;
		if (at + 4 > end || bytes[at] !== TAG_INT8 || bytes[at + 2] !== TAG_ENUM) return false;
		this.#scaler = (bytes[at + 1] << 24) >> 24;
		this.#unit = bytes[at + 3];
		return true;
	}

	private writeValue(): void {
		const walker = this.#walker;
		const work = this.#work;
		const isClock = work[CODE_AT + POLL_CLASS] === CLASS_CLOCK;
		const length = render(walker, this.#scaler, isClock ? AS_DATE_TIME : AS_TEXT, work);
		// The clock is not repeated if its time was already in the head. But Kamstrup meters also send the clock of
		// another channel, which is a different clock.
		const isRepeated = isClock && this.#hasTime && work[CODE_AT + 1] === 0;
		if (length <= 0 || isRepeated) return;
		if (isClock) this.#hasTime = true;
		const c = work[CODE_AT + 2];
		const d = work[CODE_AT + 3];
		const isName = c === 42 && d === 0;
		if (isName || (c === 96 && d === 1 && this.meterId.length === 0)) this.meterId = work.slice(0, length);
		if (isName || c === 0) this.findMaker(work, 0, length);
		if (!this.#isOpen) this.beginObject();
		if (isNumber(walker.tag)) this.#numbers++;
		if (!isClock) this.#objects++;
		this.#records.value(work, length, isNumber(walker.tag) ? this.#unit : UNIT_NONE);
	}

	private beginObject(): void {
		this.#isOpen = true;
		const work = this.#work;
		if (work[CODE_AT + POLL_ATTRIBUTE] === ATTRIBUTE_VALUE) this.#records.beginCode(work, CODE_AT);
		else this.#records.beginAttribute(work, CODE_AT);
	}

	private findMaker(bytes: Uint8Array, start: number, end: number): boolean {
		if (end - start < 3) return false;
		const letters = String.fromCharCode(bytes[start] & 0xdf, bytes[start + 1] & 0xdf, bytes[start + 2] & 0xdf);
		const at = MAKERS.indexOf(letters);
		if (at < 0) return false;
		this.#maker = at / MAKER_SIZE;
		return true;
	}
}
