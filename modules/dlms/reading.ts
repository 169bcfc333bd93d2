/**
 * Reads a poll list over an association: which GET comes next, what its response gives, and what of it goes to the sink.
 * As many attributes at once as a frame takes where the meter offers that; fewer, then one by one, where it fails to.
 *
 * The steps of plan.ts. The first is the logical device name (0-0:42.0.0.255), which tells whose scalers the cache holds:
 * the rest is asked for together with it as if they were this meter's, and again if they were not.
 * An object that the meter refuses, or whose value can't be shown, is told with its reason, and the rest goes on.
 * A structure or array gives its simple elements as the object's values.
 *
 * Limits: LIST_LIMIT attributes in a request, VALUES_LIMIT values of an object, TEXT_LIMIT characters of a value.
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

/** Attributes in one request at most. */
export const LIST_LIMIT = 30;
/** So many, which every meter that knows lists takes, once it failed at more: what a frame of 128 bytes takes, ciphered. */
export const SHORT_LIST = 10;
/** No more than a frame of 128 bytes takes; what fails at these fails at lists. */
const SHORT_ENOUGH = 12;
/** Values of one object that is a structure or an array. */
export const VALUES_LIMIT = 16;

/** Where readings go. Bytes are only valid during the call. */
export interface ReadingSink {
	/** The object at `position` of the list was read: its code stands at `list[at]`, six bytes; values follow. */
	beginObject(position: number, list: Uint8Array, at: number): void;
	/** A value, printable ASCII; `unit` by IEC 62056-6-2, UNIT_NONE for none. The second of a class 4 or 5 is its time. */
	value(text: Uint8Array, length: number, unit: number): void;
	/** The object has no more values. */
	endObject(): void;
	/** The object at `position` gave none: data-access-result, or REASON_…. */
	refused(position: number, reason: number): void;
}

/** What an association asks the meter for, one GET after the other: a poll list (Reading), or a profile. */
export interface Inquiry {
	/** What is taken in is read with it; between requests it is anybody's. */
	readonly cursor: Cursor;
	/** CONFORMANCE_… that it needs beside GET. */
	readonly services: number;
	/** Nothing is left to ask for. */
	readonly done: boolean;
	/** The last request was for several attributes at once. */
	readonly listed: boolean;
	/** Attributes to ask for at once where that one, which was for several, has failed. */
	readonly fewer: number;
	/** Objects, or rows, read. */
	readonly read: number;
	/** Requests made. */
	readonly requests: number;
	/** The association is there; `listing`: the meter offers several attributes at once. */
	begin(listing: boolean): void;
	/** Writes the next request at `into[at]`, in `room` bytes at most (13 at least); returns the position after it. */
	request(into: Uint8Array, at: number, room: number): number;
	/** Takes the GET response in that the cursor stands at. */
	take(): void;
	/** Something else came in place of a response: what was asked for counts as refused. */
	refuse(reason: number): void;
	/** Nothing more will come. */
	end(): void;
}

export interface ReadingOptions {
	/** As poll-list.ts packs it. */
	readonly list: Uint8Array;
	/** Made for this list. */
	readonly cache: ScalerCache;
	readonly sink: ReadingSink;
	/**
	 * Attributes to ask for at once, at most, where the meter offers that. One that falls silent on it is read again by
	 * `fewer`.
	 */
	readonly listing: number;
	/** Read the logical device name first. Without it the cache is taken to be this meter's. */
	readonly named: boolean;
	/** The meter gives deviations with the sign of ISO 8601 (date-time.ts). */
	readonly swappedDeviation: boolean;
}

/** COSEM logical device name, as in a poll list: code and class. */
const NAME = "\x00\x00\x2a\x00\x00\xff\x01";
/** The working buffer: a text, the walker's stack, the steps. */
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
	/** Where the steps end in the working buffer. */
	#stepsEnd = STEPS_AT;
	/** Where the step stands that is asked for. */
	#index = STEPS_AT;
	/** Steps asked for with the last request, as a list if more than one. */
	#asked = 0;
	/** Attributes in one request that are worth trying. */
	#listing = 1;
	/** The next request is for the next block. */
	#more = false;
	/** The name told that the scalers kept are another meter's. */
	#isStrange = false;
	/** Position of the object that the sink has begun, or -1. */
	#open = -1;
	/** Objects read, and refused. */
	read = 0;
	refused = 0;
	requests = 0;

	constructor(options: ReadingOptions) {
		this.#options = options;
		this.cursor = new Cursor(options.list);
		this.#walker = new DataWalker(this.cursor, this.#work, STACK_AT);
		this.#response = new GetResponse(this.cursor);
	}

	begin(listing: boolean): void {
		const { named, cache } = this.#options;
		this.#listing = listing ? this.#options.listing : 1;
		this.#more = false;
		if (named) cache.forgetNameless();
		this.makePlan(named);
	}

	get done(): boolean {
		return this.#index >= this.#stepsEnd;
	}

	get listed(): boolean {
		return this.#asked > 1;
	}

	get fewer(): number {
		return this.#asked > SHORT_ENOUGH ? SHORT_LIST : 1;
	}

	request(into: Uint8Array, at: number, room: number): number {
		this.requests++;
		if (this.#more) return this.#response.putNext(into, at);
		this.#response.begin();
		const fitting = Math.floor((room - LIST_HEAD) / ATTRIBUTE_LENGTH);
		this.#asked = Math.max(1, Math.min(this.#listing, fitting, this.#stepsEnd - this.#index));
		let to = this.#asked > 1 ? putListHead(into, at, this.#asked) : putNormalHead(into, at);
		for (let i = 0; i < this.#asked; i++) to = this.putStep(into, to, this.#work[this.#index + i]);
		return to;
	}

	take(): void {
		const kind = this.#response.take(this.#asked > 1);
		this.#more = kind === GET_NEXT;
		if (this.#more) return;
		if (this.#asked > 1) this.takeList(kind);
		else {
			if (kind === GET_DATA) this.takeData();
			else this.takeRefusal(reasonOf(kind, this.#response.reason));
			this.step();
		}
	}

	refuse(reason: number): void {
		this.#more = false;
		if (this.#asked > 1) {
			this.#listing = this.fewer;
			return;
		}
		this.takeRefusal(reason);
		this.step();
	}

	end(): void {
		if (this.#open >= 0) this.#options.sink.endObject();
		this.#open = -1;
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
	 * Results of a list are told step by step once all of them were seen to be whole: there are meters that leave out the
	 * reason of a refusal, so that what follows would be taken for another object's. Then single requests go on.
	 */
	private takeList(kind: number): void {
		const { cursor } = this;
		const { at } = cursor;
		if (kind !== GET_RESULTS || this.#response.count !== this.#asked || !this.isWholeList()) {
			this.#listing = this.fewer;
			return;
		}
		cursor.at = at;
		for (let i = 0; i < this.#asked; i++) {
			if (cursor.u8() === 0) this.takeData();
			else this.takeRefusal(cursor.u8());
			if (!this.goOn()) return;
		}
		this.skipTimes();
	}

	/** As many results as were asked for, each with its data or a reason, and nothing behind them. */
	private isWholeList(): boolean {
		const { cursor } = this;
		for (let i = 0; i < this.#asked; i++) {
			const choice = cursor.u8();
			const whole = choice === 0 ? this.#walker.skip() : choice === 1 && cursor.u8() !== 0;
			if (!whole || cursor.failed) return false;
		}
		return cursor.left === 0;
	}

	private step(): void {
		if (this.goOn()) this.skipTimes();
	}

	/** To the step after; false if there is a new plan, for it was another meter's. */
	private goOn(): boolean {
		if (this.#isStrange) {
			this.#isStrange = false;
			this.makePlan(false);
			return false;
		}
		this.#index++;
		return true;
	}

	/** Without a value its time is not asked for. */
	private skipTimes(): void {
		while (this.#index < this.#stepsEnd) {
			const step = this.#work[this.#index];
			if (kindOf(step) !== KIND_TIME || positionOf(step) === this.#open) return;
			this.#index++;
		}
	}

	/** The value that the cursor stands at is that of the current step. */
	private takeData(): void {
		const step = this.#work[this.#index];
		const { at } = this.cursor;
		const whole = this.#walker.skip();
		const end = this.cursor.at;
		if (!whole) {
			this.takeRefusal(REASON_UNREADABLE);
			return;
		}
		this.cursor.at = at;
		this.#walker.begin();
		if (step === STEP_NAME) this.takeName(this.#walker.next() ? this.text(0, AS_TEXT) : 0);
		else if (kindOf(step) === KIND_SCALER) this.takeScaler(positionOf(step));
		else if (kindOf(step) === KIND_TIME) this.takeTime(step);
		else this.takeValue(step, at);
		this.cursor.at = end;
	}

	private takeRefusal(reason: number): void {
		const step = this.#work[this.#index];
		if (step === STEP_NAME) this.takeName(0);
		else if (kindOf(step) === KIND_SCALER) {
			if (isDenial(reason)) this.#options.cache.set(positionOf(step), SCALER_DENIED, 0, UNIT_NONE);
		} else if (kindOf(step) === KIND_VALUE) this.refuseObject(positionOf(step), reason);
	}

	private refuseObject(position: number, reason: number): void {
		this.end();
		this.refused++;
		this.#options.sink.refused(position, reason);
	}

	/** The name has so many characters; none where `length` is not above 0. */
	private takeName(length: number): void {
		this.#isStrange = this.#options.cache.setName(this.#work, Math.max(0, length));
	}

	private takeScaler(position: number): void {
		const { bytes } = this.cursor;
		const walker = this.#walker;
		if (!walker.next() || walker.end - walker.start !== 1) return;
		const scaler = bytes[walker.start];
		if (!walker.next() || walker.end - walker.start !== 1) return;
		this.#options.cache.set(position, SCALER_KNOWN, scaler, bytes[walker.start]);
	}

	private takeTime(step: number): void {
		if (positionOf(step) !== this.#open || !this.#walker.next()) return;
		const length = this.text(0, this.octetsOf(step));
		if (length > 0) this.#options.sink.value(this.#work, length, UNIT_NONE);
	}

	/** Looks at all of the value before the sink hears of it. */
	private takeValue(step: number, at: number): void {
		const { list, cache, sink } = this.#options;
		const position = positionOf(step);
		const holder = scalerPosition(list, position);
		const known = holder < 0 || cache.state(holder) !== SCALER_UNKNOWN;
		const scaler = holder < 0 ? 0 : cache.scaler(holder);
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
			const unit = holder >= 0 && isNumber(walker.tag) ? cache.unit(holder) : UNIT_NONE;
			sink.value(this.#work, Math.max(0, length), unit);
		}
	}

	private octetsOf(step: number): number {
		if (!isTimestamp(this.#options.list, step)) return AS_TEXT;
		return this.#options.swappedDeviation ? AS_SWAPPED_DATE_TIME : AS_DATE_TIME;
	}

	/** Renders the element that the walker stands at at the beginning of `#work`; numbers are multiplied with 10^scaler. */
	private text(scaler: number, octets: number): number {
		return render(this.#walker, scaler, octets, this.#work);
	}
}
