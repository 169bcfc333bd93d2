/**
 * Reads a list of objects (poll-list.ts) over an association. If the meter supports requests for several attributes
 * (lists), a request has as many as fit one frame. After a failure it has fewer, in the end only one.
 *
 * The first step reads the logical device name (0-0:42.0.0.255). If it shows that the cached scalers belong to another
 * meter, a new plan reads everything. Objects that the meter refuses, or whose value has no text, are reported with a
 * reason. The value of a structure or an array is the sequence of its simple elements.
 *
 * Limits: LIST_LIMIT attributes in a request, VALUES_LIMIT elements of a structure or array, TEXT_LIMIT characters of a
 * value.
 */
import { asciiBytes } from "../bytes/ascii.js";
import { TEXT_LIMIT } from "../bytes/octets.js";
import { DataWalker, STACK_SIZE } from "./axdr.js";
import { Cursor } from "./cursor.js";
import {
	ATTRIBUTE_LENGTH,
	GET_DATA,
	GET_NEXT,
	GET_RESULTS,
	GetResponse,
	LIST_HEAD,
	putAttribute,
	putListHead,
	putNormalHead,
	putObject,
} from "./get.js";
import { CONFORMANCE_BLOCK_GET, CONFORMANCE_LIST } from "./initiate.js";
import {
	attributeOf,
	entryAt,
	isTimestamp,
	KIND_SCALER,
	KIND_TIME,
	KIND_VALUE,
	kindOf,
	positionOf,
	putPlan,
	STEP_NAME,
	STEPS_LIMIT,
	scalerPosition,
} from "./plan.js";
import { ATTRIBUTE_VALUE } from "./poll-list.js";
import {
	isDenial,
	REASON_NO_SCALER,
	REASON_NO_VALUE,
	REASON_TOO_LONG,
	REASON_UNREADABLE,
	reasonOf,
} from "./reasons.js";
import { AS_DATE_TIME, AS_SWAPPED_DATE_TIME, AS_TEXT, isNumber, NO_TEXT, render } from "./render.js";
import { SCALER_DENIED, SCALER_KNOWN, SCALER_UNKNOWN, type ScalerCache, UNIT_NONE } from "./scaler-cache.js";

export const LIST_LIMIT = 30;
/**
 * Number of attributes per request after a longer list has failed. So many fit a ciphered frame of 128 bytes. Every
 * meter that supports lists accepts frames of this length.
 */
export const SHORT_LIST = 10;
/**
 * Number of attributes that fit 128 bytes without ciphering. If a meter fails with a list of so few attributes, it does
 * not support lists.
 */
const SHORT_ENOUGH = 12;
export const VALUES_LIMIT = 16;

/** Receiver of the values. Byte arrays in its arguments are valid only during the call. */
export interface ReadingSink {
	begin?(): void;
	/** Begins an object. Its code is the six bytes of `list` at `at`. */
	beginObject(position: number, list: Uint8Array, at: number): void;
	/**
	 * Reports a value of the object. `text` is printable ASCII. `unit` is the number of a unit in IEC 62056-6-2, or
	 * UNIT_NONE. A second value of an object of class 4 or 5 is the capture time.
	 */
	value(text: Uint8Array, length: number, unit: number): void;
	endObject(): void;
	/** Reports that an object has no value. `reason` is a data-access-result or REASON_…. */
	refused(position: number, reason: number): void;
}

/** Requests and answers between an association and its user, which reads a list of objects or a load profile. */
export interface Inquiry {
	/** Cursor for the responses. It may be used for other purposes between requests. */
	readonly cursor: Cursor;
	/** Services (CONFORMANCE_…) that are needed besides GET. */
	readonly services: number;
	readonly done: boolean;
	/**
	 * True if the association stays open when `done` is true. If it becomes false, reading ends after the present
	 * request.
	 */
	staysOpen?: boolean;
	readonly refused?: number;
	again?(): void;
	readonly listed: boolean;
	/** Number of attributes per request to use after a list has failed. */
	readonly fewer: number;
	readonly read: number;
	readonly requests: number;
	/** Begins. `listing` is true if the meter accepts lists. */
	begin(listing: boolean): void;
	/** Writes the next request, at most `room` bytes (13 or more). Returns its end. */
	request(into: Uint8Array, at: number, room: number): number;
	take(): void;
	/** Called if another APDU than a response has arrived. The requested attributes then count as refused. */
	refuse(reason: number): void;
	end(): void;
}

export interface ReadingOptions {
	readonly list: Uint8Array;
	readonly cache: ScalerCache;
	readonly sink: ReadingSink;
	/**
	 * Number of attributes per request, if the meter supports lists. If the meter does not answer, read again with
	 * `fewer`.
	 */
	readonly listing: number;
	/** True to read the logical device name first. Otherwise the cached scalers are used without a check. */
	readonly named: boolean;
	/** True if the meter sends deviations with the sign of ISO 8601 (date-time.ts). */
	readonly swappedDeviation: boolean;
	readonly staysOpen?: boolean;
}

const NAME = "\x00\x00\x2a\x00\x00\xff\x01";
const STACK_AT = TEXT_LIMIT;
const STEPS_AT = STACK_AT + STACK_SIZE;
const WORK_SIZE = STEPS_AT + STEPS_LIMIT;

export class Reading implements Inquiry {
	readonly #options: ReadingOptions;
	readonly services = CONFORMANCE_BLOCK_GET | CONFORMANCE_LIST;
	readonly cursor: Cursor;
	readonly #walker: DataWalker;
	readonly #response: GetResponse;
	readonly #work = new Uint8Array(WORK_SIZE);
	#stepsEnd = STEPS_AT;
	#index = STEPS_AT;
	/** Number of steps in the last request. If it is more than one, the request was for a list. */
	#count = 0;
	#listing = 1;
	#hasMore = false;
	#isOther = false;
	/** Position of the object that has begun in the sink but not ended; -1 between objects. */
	#open = -1;
	read = 0;
	refused = 0;
	requests = 0;
	staysOpen: boolean;

	constructor(options: ReadingOptions) {
		this.#options = options;
		this.staysOpen = options.staysOpen === true;
		this.cursor = new Cursor(options.list);
		this.#walker = new DataWalker(this.cursor, this.#work, STACK_AT);
		this.#response = new GetResponse(this.cursor);
	}

	begin(listing: boolean): void {
		const { named, cache } = this.#options;
		this.#listing = listing ? this.#options.listing : 1;
		this.#hasMore = false;
		if (named) cache.forgetNameless();
		this.makePlan(named);
	}

	get done(): boolean {
		return this.#index >= this.#stepsEnd || (this.#options.staysOpen === true && !this.staysOpen);
	}

	get listed(): boolean {
		return this.#count > 1;
	}

	get fewer(): number {
		return this.#count > SHORT_ENOUGH ? SHORT_LIST : 1;
	}

	request(into: Uint8Array, at: number, room: number): number {
		this.requests++;
		if (this.#hasMore) return this.#response.putNext(into, at);
		this.#response.begin();
		const fitting = Math.floor((room - LIST_HEAD) / ATTRIBUTE_LENGTH);
		this.#count = Math.max(1, Math.min(this.#listing, fitting, this.#stepsEnd - this.#index));
		let to = this.#count > 1 ? putListHead(into, at, this.#count) : putNormalHead(into, at);
		for (let i = 0; i < this.#count; i++) to = this.putStep(into, to, this.#work[this.#index + i]);
		return to;
	}

	take(): void {
		const kind = this.#response.take(this.#count > 1);
		this.#hasMore = kind === GET_NEXT;
		if (this.#hasMore) return;
		if (this.#count > 1) this.onList(kind);
		else {
			if (kind === GET_DATA) this.onData();
			else this.onRefusal(reasonOf(kind, this.#response.reason));
			this.step();
		}
	}

	refuse(reason: number): void {
		this.#hasMore = false;
		if (this.#count > 1) {
			this.#listing = this.fewer;
			return;
		}
		this.onRefusal(reason);
		this.step();
	}

	end(): void {
		if (this.#open >= 0) this.#options.sink.endObject();
		this.#open = -1;
	}

	again(): void {
		this.#options.sink.begin?.();
		this.makePlan(false);
	}

	private makePlan(named: boolean): void {
		this.#stepsEnd = putPlan(this.#options.list, this.#options.cache, named, this.#work, STEPS_AT);
		this.#index = STEPS_AT;
	}

	private putStep(into: Uint8Array, at: number, step: number): number {
		if (step === STEP_NAME) return putAttribute(into, putObject(into, at, asciiBytes(NAME), 0), ATTRIBUTE_VALUE);
		const { list } = this.#options;
		return putAttribute(into, putObject(into, at, list, entryAt(positionOf(step))), attributeOf(list, step));
	}

	/**
	 * Takes the results of a list. Checks first that all results are complete, because some meters omit the reason of a
	 * refusal, and later results would then be assigned to wrong attributes.
	 */
	private onList(kind: number): void {
		const { cursor } = this;
		const { at } = cursor;
		if (kind !== GET_RESULTS || this.#response.count !== this.#count || !this.isWholeList()) {
			this.#listing = this.fewer;
			return;
		}
		cursor.at = at;
		for (let i = 0; i < this.#count; i++) {
			if (cursor.u8() === 0) this.onData();
			else this.onRefusal(cursor.u8());
			if (!this.nextStep()) return;
		}
		this.skipTimes();
	}

	private isWholeList(): boolean {
		const { cursor } = this;
		for (let i = 0; i < this.#count; i++) {
			const choice = cursor.u8();
			const whole = choice === 0 ? this.#walker.skip() : choice === 1 && cursor.u8() !== 0;
			if (!whole || cursor.failed) return false;
		}
		return cursor.left === 0;
	}

	private step(): void {
		if (this.nextStep()) this.skipTimes();
	}

	/** Moves to the next step. Returns false if the meter was exchanged and a new plan was made. */
	private nextStep(): boolean {
		if (this.#isOther) {
			this.#isOther = false;
			this.makePlan(false);
			return false;
		}
		this.#index++;
		return true;
	}

	private skipTimes(): void {
		while (this.#index < this.#stepsEnd) {
			const step = this.#work[this.#index];
			if (kindOf(step) !== KIND_TIME || positionOf(step) === this.#open) return;
			this.#index++;
		}
	}

	private onData(): void {
		const step = this.#work[this.#index];
		const { at } = this.cursor;
		const whole = this.#walker.skip();
		const end = this.cursor.at;
		if (!whole) {
			this.onRefusal(REASON_UNREADABLE);
			return;
		}
		this.cursor.at = at;
		this.#walker.begin();
		if (step === STEP_NAME) this.onName(this.#walker.next() ? this.text(0, AS_TEXT) : 0);
		else if (kindOf(step) === KIND_SCALER) this.onScaler(positionOf(step));
		else if (kindOf(step) === KIND_TIME) this.onTime(step);
		else this.onValue(step, at);
		this.cursor.at = end;
	}

	private onRefusal(reason: number): void {
		const step = this.#work[this.#index];
		if (step === STEP_NAME) this.onName(0);
		else if (kindOf(step) === KIND_SCALER) {
			if (isDenial(reason)) this.#options.cache.set(positionOf(step), SCALER_DENIED, 0, UNIT_NONE);
		} else if (kindOf(step) === KIND_VALUE) this.refuseObject(positionOf(step), reason);
	}

	private refuseObject(position: number, reason: number): void {
		this.end();
		this.refused++;
		this.#options.sink.refused(position, reason);
	}

	private onName(length: number): void {
		this.#isOther = this.#options.cache.setName(this.#work, Math.max(0, length));
	}

	private onScaler(position: number): void {
		const { bytes } = this.cursor;
		const walker = this.#walker;
		if (!walker.next() || walker.end - walker.start !== 1) return;
		const scaler = bytes[walker.start];
		if (!walker.next() || walker.end - walker.start !== 1) return;
		this.#options.cache.set(position, SCALER_KNOWN, scaler, bytes[walker.start]);
	}

	private onTime(step: number): void {
		if (positionOf(step) !== this.#open || !this.#walker.next()) return;
		const length = this.text(0, this.octetsOf(step));
		if (length > 0) this.#options.sink.value(this.#work, length, UNIT_NONE);
	}

	/**
	 * Takes the value of an attribute. The whole value is checked before the first part of it is passed to the sink.
	 */
	private onValue(step: number, at: number): void {
		const { list, cache, sink } = this.#options;
		const position = positionOf(step);
		const scalerAt = scalerPosition(list, position);
		const known = scalerAt < 0 || cache.state(scalerAt) !== SCALER_UNKNOWN;
		const scaler = scalerAt < 0 ? 0 : cache.scaler(scalerAt);
		const octets = this.octetsOf(step);
		const walker = this.#walker;
		let count = 0;
		let reason = REASON_NO_VALUE;
		for (; walker.next(); count++) {
			const length = this.text(scaler, octets);
			if (length >= 0) reason = 0;
			if (length < NO_TEXT || count === VALUES_LIMIT) reason = REASON_TOO_LONG;
			else if (!known && isNumber(walker.tag)) reason = REASON_NO_SCALER;
			if (reason > REASON_NO_VALUE) break;
		}
		if (reason !== 0) {
			this.refuseObject(position, reason);
			return;
		}
		this.end();
		this.#open = position;
		this.read++;
		sink.beginObject(position, list, entryAt(position));
		this.cursor.at = at;
		for (walker.begin(); walker.next(); ) {
			const length = this.text(scaler, octets);
			const unit = scalerAt >= 0 && isNumber(walker.tag) ? cache.unit(scalerAt) : UNIT_NONE;
			sink.value(this.#work, Math.max(0, length), unit);
		}
	}

	private octetsOf(step: number): number {
		if (!isTimestamp(this.#options.list, step)) return AS_TEXT;
		return this.#options.swappedDeviation ? AS_SWAPPED_DATE_TIME : AS_DATE_TIME;
	}

	private text(scaler: number, octets: number): number {
		return render(this.#walker, scaler, octets, this.#work);
	}
}
