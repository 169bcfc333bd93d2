/**
 * Takes apart what a meter sends by itself: the data-notification (IEC 62056-5-3, 9.5; the push setup of IEC 62056-6-2,
 * 5.3.8, says what is in one). Standards leave its body to the meter. These are met in the field:
 *
 * | body | how it is read |
 * |---|---|
 * | code, value; after the value, or before it, scaler and unit; each in a structure of its own or all in one row | by the codes: octet strings of 6 bytes |
 * | class, code, attribute, value | the same |
 * | list of objects (class, code, attribute, …), then a value for each | by their places (Landis+Gyr, Iskraemeco, Energomera) |
 * | values alone: 1, 9, 13, 14 or 18 of them | the lists of Kaifa for Norway, in their order |
 * | values alone, of others (Iskraemeco in Slovenia and Croatia) | not at all: `isNameless` |
 *
 * What has no scaler and unit gets those that the maker documents for its lists (MAKERS), or none. The time in the head is
 * the meter's clock, 0-0:1.0.0. A text without code at the end is the number of the meter (Netz Niederösterreich).
 * Limits: those of axdr.ts and render.ts.
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
	TAG_UINT32,
} from "./axdr.js";
import type { Cursor } from "./cursor.js";
import { DATE_TIME_LENGTH } from "./date-time.js";
import { ATTRIBUTE_VALUE, POLL_ATTRIBUTE, POLL_CLASS, POLL_CODE_LENGTH, POLL_ENTRY_SIZE } from "./poll-list.js";
import { AS_DATE_TIME, AS_TEXT, isNumber, render } from "./render.js";
import { UNIT_NONE } from "./scaler-cache.js";

export const DATA_NOTIFICATION = 0x0f;
/** After the tag. */
const INVOKE_ID_LENGTH = 4;
const CLASS_REGISTER = 3;
const CLASS_CLOCK = 8;
const CLASS_PUSH_SETUP = 40;
/** C of its code, 0-b:25.9.0. */
const GROUP_PUSH_SETUP = 25;

/** Units of IEC 62056-6-2, table 4. */
const UNIT_W = 27;
const UNIT_VAR = 29;
const UNIT_WH = 30;
const UNIT_VARH = 32;
const UNIT_A = 33;
const UNIT_V = 35;

/** Three letters that a system title, a device name or a list's name begins with. */
const MAKERS = "KFM KAM LGZ ISK";
const MAKER_SIZE = 4;
/**
 * Places in MAKERS. Where a list tells no scalers, power is in W and var; Kaifa's energy is in Wh and varh, its current
 * in mA, its voltage in 0.1 V; Kamstrup's are ten times that, and its power factors in 0.01. The current and voltage of the
 * others differ.
 */
const KAIFA = 0;
const KAMSTRUP = 1;
/** Landis+Gyr lists objects, and those that do as they do. */
const LISTING = 2;
const NO_MAKER = -1;
const SCALER_CURRENT = -3;
const SCALER_VOLTAGE = -1;
const SCALER_POWER_FACTOR = -2;
/** C of a power factor, 20 more for each phase. */
const POWER_FACTOR = 13;

/**
 * Kaifa's lists: four powers (C is 1 to 4), three currents (31, 51, 71), three voltages (32, 52, 72); a meter with one
 * phase leaves four of them out.
 */
const PLACE_POWER = 3;
const PLACE_CURRENT = 7;
const PLACE_VOLTAGE = 10;
const PLACE_CLOCK = 13;
const PLACES_END = 18;

/** The working buffer: a text, the walker's stack, the object. */
const STACK_AT = TEXT_LIMIT;
const CODE_AT = STACK_AT + STACK_SIZE;

/** One notification; made for it, and done with then. */
export class PushReading {
	/** Logical device name, or else the meter's number; ASCII, empty if there was none. */
	meterId: Uint8Array = NO_BYTES;
	readonly cursor: Cursor;
	readonly #walker: DataWalker;
	readonly #work = new Uint8Array(CODE_AT + POLL_ENTRY_SIZE);
	readonly #records: RecordWriter;
	#maker = NO_MAKER;
	#hasTime = false;
	/** Objects other than the clock; numbers among the values that have a code, and those that have none. */
	#objects = 0;
	#numbers = 0;
	#nameless = 0;
	/** The records have begun the object. */
	#isOpen = false;
	/** Scaler and unit of the value that comes now. */
	#scaler = 0;
	#unit = UNIT_NONE;

	/** The APDU in plain stands at the cursor. */
	constructor(cursor: Cursor, records: RecordWriter) {
		this.cursor = cursor;
		this.#records = records;
		this.#walker = new DataWalker(cursor, this.#work, STACK_AT);
	}

	/**
	 * Makes records of what is in the notification, which must fill the cursor exactly; `title`: the sender's, or no
	 * bytes. False if it is none, breaks A-XDR, or tells of other objects than it has values for: what there is of
	 * records then is not to be used.
	 */
	take(title: Uint8Array): boolean {
		const { cursor } = this;
		const walker = this.#walker;
		cursor.expect(DATA_NOTIFICATION);
		cursor.skip(INVOKE_ID_LENGTH);
		let length = cursor.u8();
		if (length === TAG_OCTET_STRING) length = cursor.u8();
		if (length !== 0 && length !== DATE_TIME_LENGTH) return false;
		const time = cursor.skip(length);
		const body = cursor.at;
		const { bytes } = cursor;
		const isContainer = bytes[body] === TAG_STRUCTURE || bytes[body] === TAG_ARRAY;
		if (!isContainer || !walker.skip() || cursor.left > 0) return false;
		this.findMaker(title, 0, title.length);
		if (length > 0 && bytes[time] !== 0xff) {
			walker.tag = TAG_DATE_TIME;
			walker.start = time;
			this.takeTime();
		}
		cursor.at = body + 1;
		const count = cursor.length();
		const first = cursor.at;
		if (bytes[first] === TAG_ARRAY && this.isObject(first + 2)) return this.takeListed(count);
		cursor.at = body;
		walker.begin();
		const isKaifa = bytes[first] === TAG_OCTET_STRING && this.findMaker(bytes, first + 2, first + 5);
		if (count === 1 && bytes[first] === TAG_UINT32) this.takePlaces(1);
		else if (isKaifa && this.#maker === KAIFA) this.takePlaces(count);
		else this.takeRow();
		return true;
	}

	/** Its values have no codes: the clock is all that could be told of it. */
	get isNameless(): boolean {
		return this.#numbers === 0 && (this.#nameless > 0 || (this.#hasTime && this.#objects === 0));
	}

	/** `bytes[at]` begins a structure of class, code and attribute, of a list of objects: 02 n, 12 class, 09 06 code, 0F. */
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

	/** An array of objects, then their values: of each but the array's own, if that is among them. */
	private takeListed(count: number): boolean {
		const { cursor } = this;
		const { bytes, at: list } = cursor;
		const walker = this.#walker;
		if (this.#maker < 0) this.#maker = LISTING;
		cursor.at = list + 1;
		let left = cursor.length();
		let object = cursor.at;
		cursor.at = list;
		walker.skip();
		let value = cursor.at;
		let isOwn = left === count && bytes[object + 4] === CLASS_PUSH_SETUP;
		if (!isOwn && left !== count - 1) return false;
		for (; left > 0; left--) {
			if (!this.isObject(object)) return false;
			if (!isOwn) {
				cursor.at = value;
				walker.begin();
				this.setObject(object + 7, bytes[object + 4], bytes[object + 14]);
				while (walker.next()) if (bytes[object + 4] !== CLASS_PUSH_SETUP) this.takeValue();
				value = cursor.at;
			}
			isOwn = false;
			cursor.at = object;
			walker.skip();
			object = cursor.at;
		}
		return true;
	}

	/** Codes and values in a row, whatever structures they are in. */
	private takeRow(): void {
		const { cursor } = this;
		const { bytes } = cursor;
		const walker = this.#walker;
		let isPending = false;
		let isAny = false;
		/** Elements that were looked at already. */
		let known = 0;
		/** Class of the object that comes, where the row tells it. */
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
				this.takeValue();
				isPending = false;
				isAny = true;
				classId = 0;
			} else if (tag === TAG_OCTET_STRING && length === POLL_CODE_LENGTH) {
				this.setObject(start, classId, ATTRIBUTE_VALUE);
				if (classId > 0) this.#nameless--;
				// Else what comes is the attribute.
				else if (this.findScaler()) known = 2;
				// The list may begin with its own name: what follows that is no value of it.
				isPending = bytes[start + 2] !== GROUP_PUSH_SETUP || bytes[start + 3] !== 9;
				if (!isPending) classId = 0;
			} else if (tag === TAG_UINT16) {
				classId = bytes[start + 1];
				this.#nameless++;
			} else if (tag === TAG_OCTET_STRING && length === DATE_TIME_LENGTH && !isAny) this.takeTime();
			else if (isAny && cursor.left === 0 && length > POLL_CODE_LENGTH) {
				this.setCode(0, 96, 1);
				this.takeValue();
			} else {
				if (isNumber(tag)) this.#nameless++;
				this.findMaker(bytes, start, end);
			}
		}
	}

	/** The values of a list of Kaifa in their order, at which the walker begins. */
	private takePlaces(count: number): void {
		const isOnePhase = count === 9 || count === 14;
		this.#maker = KAIFA;
		for (let i = 0; this.#walker.next(); i++) {
			let place = count === 1 ? PLACE_POWER : i;
			if (isOnePhase && i > 7) place += i === 8 ? 2 : 4;
			if (place === PLACE_CLOCK) this.takeTime();
			else if (place > 0 && place < PLACES_END) {
				if (place < PLACE_POWER) this.setCode(0, 96, 1, place === 1 ? 0 : 7);
				else if (place < PLACE_CURRENT) this.setCode(1, 1 + place - PLACE_POWER, 7);
				else if (place < PLACE_VOLTAGE) this.setCode(1, 31 + 20 * (place - PLACE_CURRENT), 7);
				else if (place < PLACE_CLOCK) this.setCode(1, 32 + 20 * (place - PLACE_VOLTAGE), 7);
				else this.setCode(1, place - PLACE_CLOCK, 8);
				this.takeValue();
			}
		}
	}

	/** The walker stands at the meter's clock. */
	private takeTime(): void {
		const walker = this.#walker;
		this.setCode(0, 1, 0);
		walker.end = walker.start + DATE_TIME_LENGTH;
		this.takeValue();
	}

	private setCode(a: number, c: number, d: number, e = 0): void {
		const code = [a, 0, c, d, e, 0xff];
		this.#work.set(code, CODE_AT);
		this.object(0, ATTRIBUTE_VALUE);
	}

	/** The object whose code stands at `bytes[at]`; class 0: not told. */
	private setObject(at: number, classId: number, attribute: number): void {
		for (let i = 0; i < POLL_CODE_LENGTH; i++) this.#work[CODE_AT + i] = this.cursor.bytes[at + i];
		this.object(classId, attribute);
	}

	/** Its code is set: the rest of it, and what its value is multiplied with if nothing else is told. */
	private object(classId: number, attribute: number): void {
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
		// 21 to 33, 41 to 53 and 61 to 73 are 1 to 13 of a phase.
		const kind = c % 20;
		const isEnergy = d === 8;
		const isReactive = kind > 2;
		if (kind === POWER_FACTOR && d === 7 && maker === KAMSTRUP) this.#scaler = SCALER_POWER_FACTOR;
		if (kind === 0 || kind > 12 || (kind > 8 && (isEnergy || kind < 11))) return;
		if (kind > 8 && maker >= LISTING) return;
		if (kind > 8) {
			this.#unit = kind === 11 ? UNIT_A : UNIT_V;
			this.#scaler = kind === 11 ? SCALER_CURRENT : SCALER_VOLTAGE;
		} else if (isEnergy) this.#unit = isReactive ? UNIT_VARH : UNIT_WH;
		else this.#unit = isReactive ? UNIT_VAR : UNIT_W;
		if (maker === KAMSTRUP && (isEnergy || kind > 8)) this.#scaler++;
	}

	/** Scaler and unit come next. */
	private findScaler(): boolean {
		const { bytes, end } = this.cursor;
		let { at } = this.cursor;
		if (bytes[at] === TAG_STRUCTURE && bytes[at + 1] === 2) at += 2;
		if (at + 4 > end || bytes[at] !== TAG_INT8 || bytes[at + 2] !== TAG_ENUM) return false;
		this.#scaler = (bytes[at + 1] << 24) >> 24;
		this.#unit = bytes[at + 3];
		return true;
	}

	/** The walker stands at a value of the object. */
	private takeValue(): void {
		const walker = this.#walker;
		const work = this.#work;
		const isClock = work[CODE_AT + POLL_CLASS] === CLASS_CLOCK;
		const length = render(walker, this.#scaler, isClock ? AS_DATE_TIME : AS_TEXT, work);
		// The time in the head, and the same clock again; that of another channel is another one (Kamstrup).
		const isAgain = isClock && this.#hasTime && work[CODE_AT + 1] === 0;
		if (length <= 0 || isAgain) return;
		if (isClock) this.#hasTime = true;
		const c = work[CODE_AT + 2];
		const d = work[CODE_AT + 3];
		const isName = c === 42 && d === 0;
		if (isName || (c === 96 && d === 1 && this.meterId.length === 0)) this.meterId = work.slice(0, length);
		// The name of the device, or of its list (1-0:0.2.129).
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

	/** Whether `bytes[start..end)` begins with a maker's letters, in either case. */
	private findMaker(bytes: Uint8Array, start: number, end: number): boolean {
		if (end - start < 3) return false;
		const letters = String.fromCharCode(bytes[start] & 0xdf, bytes[start + 1] & 0xdf, bytes[start + 2] & 0xdf);
		const at = MAKERS.indexOf(letters);
		if (at < 0) return false;
		this.#maker = at / MAKER_SIZE;
		return true;
	}
}
