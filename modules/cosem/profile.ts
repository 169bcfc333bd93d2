/**
 * Reads the last rows of a load profile (class 7; IEC 62056-6-2, 4.3.6) into records like those of P.01 in IEC 62056-21
 * (record-writer.ts):
 *
 *   head   time: empty   status: empty   period, with the unit s   number of columns   { code   unit } of each column
 *   row    time   status   value of each column; empty if the meter sends none
 *
 * The time of a row is `.` and the Unix time or, if the offset from UTC is unknown, `,` and the local seconds since
 * 1970. The time comes from the first column that is a clock (class 8), and the status from the first column that is a
 * profile status (0-b:96.10.e).
 *
 * The requests are for the name, the columns, the period, the order and the number of rows, the scalers, and the rows.
 * If the caller wants a time span, its rows are selected by time (selector 1), and the times have the deviation of the
 * meter's clock. Otherwise the caller wants the last rows. If the meter has more rows than wanted, the last ones are
 * selected by their number (selector 2). If the meter refuses this, or if the number of rows is unknown, they are
 * selected by time, up to the time of the meter's clock (selector 1). Only one row and one block are in memory.
 *
 * Limits: a profile has at most POLL_LIMIT columns. A row and the block in which it ends have at most JOINED_LIMIT
 * bytes together. Rows that do not fit the records are dropped.
 */
import { asciiBytes } from "../bytes/ascii.js";
import { putUint32BE, uint16BE } from "../bytes/integers.js";
import { TEXT_LIMIT } from "../bytes/octets.js";
import { DataWalker, STACK_SIZE, TAG_ARRAY, TAG_STRUCTURE } from "../dlms/axdr.js";
import { Cursor } from "../dlms/cursor.js";
import { DATE_TIME_LENGTH } from "../dlms/date-time.js";
import {
	ATTRIBUTE_LENGTH,
	GET_DATA,
	GET_NEXT,
	GetResponse,
	NORMAL_HEAD,
	putAttribute,
	putNormalHead,
	putObject,
} from "../dlms/get.js";
import { CONFORMANCE_BLOCK_GET, CONFORMANCE_SELECTIVE } from "../dlms/initiate.js";
import { attributeOf, entryAt, isTimestamp, KIND_SCALER, KIND_VALUE, stepOf } from "../dlms/plan.js";
import { POLL_ATTRIBUTE, POLL_CLASS, POLL_CODE_LENGTH, POLL_ENTRY_SIZE, POLL_LIMIT } from "../dlms/poll-list.js";
import type { Inquiry } from "../dlms/reading.js";
import { isDenial, REASON_NO_VALUE, REASON_UNREADABLE, reasonOf } from "../dlms/reasons.js";
import { AS_DATE_TIME, AS_TEXT, isNumber, render } from "../dlms/render.js";
import { SCALER_KNOWN, ScalerCache, UNIT_NONE } from "../dlms/scaler-cache.js";
import { OBISCode } from "../obis/code.js";
import { cosemUnitText } from "../obis/units.js";
import type { ProfileMoment, ProfileRequest, ProfileSpan } from "../readout/protocol.js";
import type { RecordWriter } from "../readout/record-writer.js";
import { localSeconds, putNumber, putTime } from "./times.js";

/**
 * Requests, in this order. Request 4, which needs no constant, asks for the number of rows. STEP_SCALER is repeated for
 * each column that has a scaler.
 */
const STEP_NAME = 0;
const STEP_COLUMNS = 1;
const STEP_PERIOD = 2;
const STEP_SORT = 3;
const STEP_SCALER = 5;
const STEP_ALL = 6;
const STEP_ENTRIES = 7;
const STEP_CLOCK = 8;
const STEP_RANGE = 9;
const STEP_DONE = 10;

const CLASS_PROFILE = 7;
const CLASS_CLOCK = 8;
/** Attribute that each step requests. It is a string, because that takes the least flash. */
const ATTRIBUTES = "\x02\x03\x04\x05\x07\x00\x02\x02\x02\x02";
const NAME = "\x00\x00\x2a\x00\x00\xff\x01";
const CLOCK = "\x00\x00\x01\x00\x00\xff\x08";
/** Parameters of selector 2: first and last row (uint32), first and last column (uint16). */
const BY_ENTRIES = "\x01\x02\x02\x04\x06\x00\x00\x00\x00\x06\x00\x00\x00\x00\x12\x00\x01\x12\x00\x00";
/**
 * Parameters of selector 1, up to the first time: the clock as the column to select by. After it follow the first time,
 * the last time, and an empty array, which means all columns.
 */
const BY_RANGE = "\x01\x01\x02\x04\x02\x04\x12\x00\x08\x09\x06\x00\x00\x01\x00\x00\xff\x0f\x02\x12\x00\x00";
const RANGE_LENGTH = BY_RANGE.length + 2 * (DATE_TIME_LENGTH + 2) + 2;
/** Sort method of a profile whose rows are stored newest first. */
const SORT_LIFO = 2;

const DEVIATION_LIMIT = 840;
const DOT = 0x2e;
const COMMA = 0x2c;
/** Times of rows from 2100 on are invalid. */
const TIME_END_S = 4_102_444_800;
const UNIT_SECOND = 7;

export class DLMSProfile implements Inquiry {
	readonly services = CONFORMANCE_BLOCK_GET | CONFORMANCE_SELECTIVE;
	readonly listed = false;
	readonly fewer = 1;
	readonly cursor: Cursor;
	read = 0;
	requests = 0;
	reason = 0;
	readonly object = new Uint8Array(POLL_ENTRY_SIZE);
	readonly #wanted: number;
	readonly #span: ProfileSpan | undefined;
	/** Sign of deviations: -1 for a meter that sends the sign of ISO 8601, otherwise 1. */
	readonly #sign: number;
	readonly #names: ScalerCache;
	readonly #writer: RecordWriter;
	readonly #walker: DataWalker;
	readonly #response: GetResponse;
	readonly #work = new Uint8Array(TEXT_LIMIT + STACK_SIZE);
	readonly #list = new Uint8Array(1 + POLL_LIMIT * POLL_ENTRY_SIZE);
	readonly #scalers = new ScalerCache(POLL_LIMIT);
	#step = STEP_NAME;
	#position = 0;
	#more = false;
	#periodS = 0;
	#isLastFirst = false;
	/** Number of rows that the meter has stored; -1 if unknown. */
	#inUse = -1;
	/** Column with the time, and column with the status; -1 if there is none. */
	#time = -1;
	#status = -1;
	/** Time of the meter's clock, local seconds since 1970. */
	#clockS = 0;
	/** Deviation and status of the meter's clock, as in the date-time that it sends. */
	readonly #zone = new Uint8Array(3);
	/** Number of rows that are still to be read from the answer; -1 before the answer. */
	#left = -1;

	constructor(
		{ code, entries, span }: ProfileRequest,
		names: ScalerCache,
		writer: RecordWriter,
		swappedDeviation = false,
	) {
		this.#wanted = entries;
		this.#span = span;
		this.#sign = swappedDeviation ? -1 : 1;
		this.#names = names;
		this.#writer = writer;
		this.object.set(code);
		this.object[POLL_CLASS] = CLASS_PROFILE;
		this.object[POLL_ATTRIBUTE] = 2;
		this.cursor = new Cursor(this.object);
		this.#walker = new DataWalker(this.cursor, this.#work, TEXT_LIMIT);
		this.#response = new GetResponse(this.cursor);
		writer.begin();
	}

	begin(): void {}

	get done(): boolean {
		return this.#step === STEP_DONE;
	}

	request(into: Uint8Array, at: number, room: number): number {
		this.requests++;
		if (this.#more) return this.#response.putNext(into, at);
		this.#response.begin();
		this.#left = -1;
		// If APDUs are too short for a selection by time, the meter has no long profile, and rows are selected by
		// number.
		if (this.#step === STEP_RANGE && room < NORMAL_HEAD + ATTRIBUTE_LENGTH + RANGE_LENGTH) this.#step = STEP_ENTRIES;
		const step = this.#step;
		let object: ArrayLike<number> = this.object;
		let from = 0;
		let attribute = ATTRIBUTES.charCodeAt(step);
		if (step === STEP_NAME || step === STEP_CLOCK) object = asciiBytes(step === STEP_NAME ? NAME : CLOCK);
		else if (step === STEP_SCALER) {
			object = this.#list;
			from = entryAt(this.#position);
			attribute = attributeOf(this.#list, stepOf(KIND_SCALER, this.#position));
		}
		let to = putAttribute(into, putObject(into, putNormalHead(into, at), object, from), attribute);
		if (step === STEP_ENTRIES) {
			to--;
			into.set(asciiBytes(BY_ENTRIES), to);
			const last = this.#isLastFirst ? this.#wanted : this.#inUse;
			putUint32BE(into, to + 5, last - this.#wanted + 1);
			putUint32BE(into, to + 10, last);
			to += BY_ENTRIES.length;
		} else if (step === STEP_RANGE) {
			const clockS = this.#clockS;
			const span = this.#span;
			const fromS = span === undefined ? clockS - this.#wanted * this.#periodS : this.localOf(span.from);
			into.set(asciiBytes(BY_RANGE), --to);
			to = putTime(into, to + BY_RANGE.length, fromS, this.#zone);
			to = putTime(into, to, span === undefined ? clockS : this.localOf(span.to), this.#zone);
			into[to++] = TAG_ARRAY;
			into[to++] = 0;
		}
		return to;
	}

	take(): void {
		const kind = this.#response.take(false);
		this.#more = kind === GET_NEXT;
		const areRows = this.#step >= STEP_ALL && this.#step !== STEP_CLOCK;
		if (this.#more) {
			if (!areRows) return;
			this.#response.look();
			this.#response.drop(this.takeRows());
		} else if (kind !== GET_DATA) this.takeRefusal(reasonOf(kind, this.#response.reason));
		else if (areRows) {
			this.takeRows();
			if (this.#left !== 0) this.takeRefusal(REASON_UNREADABLE);
			else this.#step = STEP_DONE;
		} else this.takeData();
	}

	refuse(reason: number): void {
		this.#more = false;
		this.takeRefusal(reason);
	}

	end(): void {}

	keep(): void {
		this.#writer.endBlock(true);
	}

	private takeData(): void {
		const { cursor } = this;
		const walker = this.#walker;
		const step = this.#step;
		if (step === STEP_COLUMNS) {
			if (this.takeColumns()) this.#step++;
			else this.fail(REASON_UNREADABLE);
			return;
		}
		walker.begin();
		const { bytes } = cursor;
		const isThere = walker.next();
		if (step === STEP_NAME) this.#names.setName(this.#work, isThere ? Math.max(0, this.text(0, AS_TEXT)) : 0);
		else if (!isThere) {
			this.takeRefusal(REASON_NO_VALUE);
			return;
		} else if (step === STEP_CLOCK) {
			const seconds = localSeconds(this.#walker, this.#work);
			if (Number.isNaN(seconds)) {
				this.fail(REASON_NO_VALUE);
				return;
			}
			this.#clockS = seconds;
			for (let i = 0; i < this.#zone.length; i++) this.#zone[i] = bytes[walker.start + 9 + i];
			const span = this.#span;
			if (span !== undefined) {
				span.clockS = seconds;
				span.clockDeviation = this.deviationAt(bytes, walker.start + 9);
			}
		} else if (step === STEP_SCALER) {
			const scaler = bytes[walker.start];
			if (walker.next()) this.#scalers.set(this.#position, SCALER_KNOWN, scaler, bytes[walker.start]);
			this.#position++;
		} else {
			let value = 0;
			for (let i = walker.start; i < walker.end; i++) value = value * 256 + bytes[i];
			if (step === STEP_PERIOD) this.#periodS = value;
			else if (step === STEP_SORT) this.#isLastFirst = value === SORT_LIFO;
			else this.#inUse = value;
		}
		this.goOn();
	}

	private takeRefusal(reason: number): void {
		const step = this.#step;
		if (step === STEP_ENTRIES && this.read === 0 && this.#periodS > 0 && this.#span === undefined) {
			this.#step = STEP_CLOCK;
			return;
		}
		// The session can't continue without these answers. Without its scaler, for example, a value would be wrong by
		// a power of ten.
		const mustHave = step === STEP_COLUMNS || step >= STEP_ALL || (step === STEP_SCALER && !isDenial(reason));
		if (mustHave) this.fail(reason);
		else {
			if (step === STEP_SCALER) this.#position++;
			this.goOn();
		}
	}

	private goOn(): void {
		if (this.#step < STEP_SCALER) this.#step++;
		else if (this.#step === STEP_CLOCK) {
			this.#step = STEP_RANGE;
			return;
		}
		if (this.#step !== STEP_SCALER) return;
		while (this.#position < this.#list[0]) {
			if (attributeOf(this.#list, stepOf(KIND_SCALER, this.#position)) !== 0) return;
			this.#position++;
		}
		this.writeHead();
		const inUse = this.#inUse;
		if (this.#span !== undefined) {
			this.#span.rowsInMeter = inUse;
			this.#step = STEP_CLOCK;
		} else if (inUse >= 0 && inUse <= this.#wanted) this.#step = STEP_ALL;
		else if (this.#isLastFirst || inUse > 0) this.#step = STEP_ENTRIES;
		else if (this.#periodS > 0) this.#step = STEP_CLOCK;
		else this.fail(REASON_NO_VALUE);
	}

	private fail(reason: number): void {
		if (this.read > 0) this.#writer.overflow = true;
		else {
			this.#writer.begin();
			// A refusal whose reason is 0 (success) contradicts itself, so the reason is replaced.
			this.reason = reason === 0 ? REASON_UNREADABLE : reason;
		}
		this.#step = STEP_DONE;
	}

	/** Reads class, code, attribute and index of each column from the answer. Returns false if they are invalid. */
	private takeColumns(): boolean {
		const { cursor } = this;
		const list = this.#list;
		cursor.expect(TAG_ARRAY);
		const count = cursor.length();
		if (count > POLL_LIMIT) return false;
		list[0] = count;
		this.#time = this.#status = -1;
		for (let i = 0; i < count; i++) {
			const at = entryAt(i);
			cursor.expect(TAG_STRUCTURE);
			cursor.expect(4);
			cursor.u16();
			list[at + POLL_CLASS] = cursor.u8();
			cursor.expect(9);
			cursor.expect(POLL_CODE_LENGTH);
			for (let group = 0; group < POLL_CODE_LENGTH; group++) list[at + group] = cursor.u8();
			cursor.u8();
			list[at + POLL_ATTRIBUTE] = cursor.u8();
			cursor.skip(3);
			if (this.#time < 0 && list[at + POLL_CLASS] === CLASS_CLOCK) this.#time = i;
			else if (this.#status < 0 && list[at] === 0 && list[at + 2] === 96 && list[at + 3] === 10) this.#status = i;
		}
		return !cursor.failed && count > 0;
	}

	private writeHead(): void {
		const work = this.#work;
		const list = this.#list;
		const code = new OBISCode();
		const count = list[0];
		this.#writer.beginCode(this.object, 0);
		this.value(0, UNIT_NONE);
		this.value(0, UNIT_NONE);
		this.value(putNumber(work, 0, this.#periodS), UNIT_SECOND);
		const others = count - (this.#time < 0 ? 0 : 1) - (this.#status < 0 ? 0 : 1);
		this.value(putNumber(work, 0, others), UNIT_NONE);
		for (let i = 0; i < count; i++) {
			if (i === this.#time || i === this.#status) continue;
			code.setGroups(list, entryAt(i));
			code.encode(work, 0);
			this.value(code.longEnd, UNIT_NONE);
			const isKnown = this.#scalers.state(i) === SCALER_KNOWN;
			const unit = asciiBytes(cosemUnitText(isKnown ? this.#scalers.unit(i) : UNIT_NONE));
			work.set(unit);
			this.value(unit.length, UNIT_NONE);
		}
	}

	/** Takes all complete rows from the answer. Returns their length, bytes. */
	private takeRows(): number {
		const { cursor } = this;
		const walker = this.#walker;
		const start = cursor.at;
		let end = start;
		if (this.#left < 0) {
			cursor.expect(TAG_ARRAY);
			const count = cursor.length();
			if (cursor.failed) return 0;
			this.#left = count;
			end = cursor.at;
		}
		while (this.#left > 0 && cursor.left > 0) {
			const at = cursor.at;
			if (!walker.skip()) break;
			end = cursor.at;
			cursor.at = at;
			if (!this.takeRow()) break;
			cursor.at = end;
			this.#left--;
		}
		return end - start;
	}

	private takeRow(): boolean {
		const { cursor } = this;
		const walker = this.#walker;
		const list = this.#list;
		cursor.expect(TAG_STRUCTURE);
		cursor.expect(list[0]);
		if (cursor.failed) return false;
		const start = cursor.at;
		this.#writer.beginProfileRow();
		for (let pass = 0; pass < 3; pass++) {
			cursor.at = start;
			if (pass < 2 && (pass === 0 ? this.#time : this.#status) < 0) this.value(0, UNIT_NONE);
			for (let i = 0; i < list[0]; i++) {
				const at = cursor.at;
				const kind = i === this.#time ? 0 : i === this.#status ? 1 : 2;
				if (kind === pass) {
					walker.begin();
					let length = 0;
					if (walker.next()) {
						if (kind === 0) length = this.putMoment();
						else {
							const isTime = isTimestamp(list, stepOf(KIND_VALUE, i));
							const isScaled = isNumber(walker.tag) && this.#scalers.state(i) === SCALER_KNOWN;
							length = this.text(isScaled ? this.#scalers.scaler(i) : 0, isTime ? AS_DATE_TIME : AS_TEXT);
						}
					}
					this.value(Math.max(0, length), UNIT_NONE);
					cursor.at = at;
				}
				walker.skip();
			}
		}
		this.read++;
		return true;
	}

	private value(length: number, unit: number): void {
		this.#writer.value(this.#work, length, unit);
	}

	private text(scaler: number, octets: number): number {
		return render(this.#walker, scaler, octets, this.#work);
	}

	/** Writes the time of a row as text to `#work`. Returns the length of the text; 0 if the time is invalid. */
	private putMoment(): number {
		const { bytes, start } = this.#walker;
		const seconds = localSeconds(this.#walker, this.#work);
		if (!(seconds >= 0 && seconds < TIME_END_S)) return 0;
		const deviation = this.deviationAt(bytes, start + 9);
		const isTold = !Number.isNaN(deviation);
		this.#work[0] = isTold ? DOT : COMMA;
		return putNumber(this.#work, 1, isTold ? Math.max(0, seconds + deviation * 60) : seconds);
	}

	/** Returns the minutes from local time to UTC in a date-time; NaN if the meter does not send them. */
	private deviationAt(bytes: Uint8Array, at: number): number {
		const deviation = (uint16BE(bytes, at) << 16) >> 16;
		return Math.abs(deviation) <= DEVIATION_LIMIT ? deviation * this.#sign : Number.NaN;
	}

	/** Returns the local time for a request. The deviation of the meter's clock is used to calculate it. */
	private localOf({ utcS, localS }: ProfileMoment): number {
		const deviation = this.deviationAt(this.#zone, 0);
		return Number.isNaN(deviation) ? localS : utcS - deviation * 60;
	}
}
