/**
 * When which value is reported to the coordinator (ZCL revision 8, 2.5.7 to 2.5.11): when it has changed by so much, but
 * not sooner than its least interval after the report before; and when its longest interval is over. Measured values are
 * sent each OWN_S at the latest whatever longest interval was asked for: hours without a sign of life look like a fault.
 *
 * What is due is not queued: a report has the values of the moment in which it is written. A report that did not arrive
 * leaves its values due.
 *
 * Settings as they are kept, REPORTS_SIZE bytes, numbers little-endian:
 *
 *   offset  bytes    what
 *   0       1        FORMAT
 *   1       1        endpoint that has configured reports last; they all go there
 *   2       10 each  by number of the value (attributes.ts): least interval, longest interval (s, 2 each), change (6)
 *
 * Longest interval 0xFFFF: never reported; 0: on change only. The change is unsigned, in the attribute's unit. What nobody has
 * configured is as DEFAULTS has it.
 */
import {
	type Attributes,
	isUnknown,
	METER_STATUS,
	REPORTED_AT,
	REPORTED_SIZE,
	REPORTED_WIDTH,
	VALUE_COUNT,
} from "./attributes.js";
import type { Outgoing } from "./radio.js";
import { FRAME_NO_DEFAULT, FRAME_TO_CLIENT, numberAt, putNumber, REPORT, u16 } from "./zcl.js";

const FORMAT = 1;
const HEADER = 2;
const CHANGE_SIZE = 6;
const SETTING_SIZE = 4 + CHANGE_SIZE;
export const REPORTS_SIZE = HEADER + VALUE_COUNT * SETTING_SIZE;

/** Longest interval of what is not reported. */
export const NEVER = 0xffff;

/** What is remembered of each value, in this order, in the array of the values: its settings, the value that has arrived last and the one on its way (NaN: none), when the former was sent. */
export const LEAST = 0;
export const LONGEST = 1;
export const CHANGE = 2;
const LAST = 3;
const FLIGHT = 4;
const LAST_MS = 5;

const DEFAULT_ENDPOINT = 1;
/** Least interval of what nobody has configured, seconds. */
const DEFAULT_LEAST = 10;
/** Longest interval and change, by number of the value: 4 and 2 hex digits. Status: never; battery: hourly. */
const DEFAULTS =
	"ffff01" + // status
	"012c0a" + // import, export: 0.01 kWh
	"012c0a" +
	"003c05" + // power: 5 W
	"003c0a" + // voltage: 1 V
	"003c05" + // current: 0.05 A
	"003c05" + // power, once more
	"0e1001" + // battery: 0.1 V, 1 %
	"0e1002";
const DEFAULT_SIZE = 6;

/** The longest that a measured value is not reported, seconds. */
const OWN_S = 300;
const LAST_MEASURED = 6;

const HEADER_SIZE = 3;

export class Reports {
	readonly attributes: Attributes;
	#flightMs = 0;
	#endpoint = DEFAULT_ENDPOINT;
	/** Settings, since they were packed. */
	isChanged = false;

	/** `kept`: what `pack` gave at another time. */
	constructor(attributes: Attributes, kept: Uint8Array | undefined) {
		this.attributes = attributes;
		this.reset();
		if (kept?.length === REPORTS_SIZE && kept[0] === FORMAT) {
			for (let number = 0; number < VALUE_COUNT; number++) {
				const at = HEADER + number * SETTING_SIZE;
				this.configure(number, u16(kept, at), u16(kept, at + 2), numberAt(kept, at + 4, CHANGE_SIZE), kept[1]);
			}
		}
		this.isChanged = false;
	}

	/** Nobody has configured anything, and nothing was reported. */
	reset(): void {
		for (let number = 0; number < VALUE_COUNT; number++) this.configure(number, NEVER, 0, 0, DEFAULT_ENDPOINT);
		this.forget();
	}

	/** Nothing was reported: all is to be, at once. */
	forget(): void {
		const numbers = this.attributes.values;
		for (let at = REPORTED_AT; at < REPORTED_AT + REPORTED_SIZE; at += REPORTED_WIDTH)
			numbers.fill(Number.NaN, at + LAST, at + LAST_MS);
	}

	/** Intervals in seconds; the endpoint that wants them. Least NEVER and longest 0: as if nobody had configured it. */
	configure(number: number, least: number, longest: number, change: number, endpoint: number): void {
		const isDefault = least === NEVER && longest === 0;
		let hasChanged = this.put(number, LEAST, isDefault ? DEFAULT_LEAST : least);
		hasChanged = this.put(number, LONGEST, isDefault ? defaultOf(number, LONGEST) : longest) || hasChanged;
		hasChanged = this.put(number, CHANGE, isDefault ? defaultOf(number, CHANGE) : change) || hasChanged;
		this.isChanged ||= hasChanged || this.#endpoint !== endpoint;
		this.#endpoint = endpoint;
	}

	/** The settings, to be kept; empty: they are those that nobody has configured. */
	pack(): Uint8Array {
		const bytes = new Uint8Array(REPORTS_SIZE);
		let isDefault = this.#endpoint === DEFAULT_ENDPOINT;
		for (let number = 0; number < VALUE_COUNT; number++) {
			const at = HEADER + number * SETTING_SIZE;
			for (let what = LEAST; what <= CHANGE; what++) {
				const setting = this.setting(number, what);
				isDefault &&= setting === defaultOf(number, what);
				putNumber(bytes, at + 2 * what, what === CHANGE ? CHANGE_SIZE : 2, setting);
			}
		}
		bytes[0] = FORMAT;
		bytes[1] = this.#endpoint;
		this.isChanged = false;
		return isDefault ? new Uint8Array(0) : bytes;
	}

	/** LEAST or LONGEST interval (s), or CHANGE; here also what else is remembered. */
	setting(number: number, what: number): number {
		return this.attributes.values[placeOf(number, what)];
	}

	/** When the next report is due, monotonic ms; Infinity: none. */
	get dueMs(): number {
		let due = Number.POSITIVE_INFINITY;
		for (let number = 0; number < VALUE_COUNT; number++) due = Math.min(due, this.dueOf(number));
		return due;
	}

	/** Writes a report of the values of one cluster that are due; without one `out.end` is 0. */
	write(out: Outgoing, sequence: number, nowMs: number): void {
		const attributes = this.attributes;
		const { bytes } = out;
		let end = HEADER_SIZE;
		for (const cluster of attributes.clusters) {
			for (let row = attributes.next(cluster, -1); row >= 0; row = attributes.next(cluster, row)) {
				const number = attributes.valueOf(row);
				if (number < 0 || this.dueOf(number) > nowMs) continue;
				const type = attributes.typeOf(row);
				putNumber(bytes, end, 2, attributes.idOf(row));
				bytes[end + 2] = type;
				end = attributes.write(row, bytes, end + 3, nowMs);
				attributes.values[placeOf(number, FLIGHT)] = attributes.values[number];
			}
			if (end === HEADER_SIZE) continue;
			bytes[0] = FRAME_TO_CLIENT | FRAME_NO_DEFAULT;
			bytes[1] = sequence;
			bytes[2] = REPORT;
			out.cluster = cluster;
			out.destinationEndpoint = this.#endpoint;
			out.end = end;
			this.#flightMs = nowMs;
			return;
		}
	}

	/** What was written last has arrived, or has not. */
	sent(hasArrived: boolean): void {
		const numbers = this.attributes.values;
		for (let at = REPORTED_AT; at < REPORTED_AT + REPORTED_SIZE; at += REPORTED_WIDTH) {
			if (hasArrived && !Number.isNaN(numbers[at + FLIGHT])) {
				numbers[at + LAST] = numbers[at + FLIGHT];
				numbers[at + LAST_MS] = this.#flightMs;
			}
			numbers[at + FLIGHT] = Number.NaN;
		}
	}

	/** The value that was reported last; NaN: none, or unknown. */
	reported(number: number): number {
		const value = this.setting(number, LAST);
		return isUnknown(number, value) ? Number.NaN : value;
	}

	/** When that was, monotonic. */
	reportedMs(number: number): number {
		return this.setting(number, LAST_MS);
	}

	/** False: it was that already. */
	private put(number: number, what: number, value: number): boolean {
		const isOther = this.setting(number, what) !== value;
		this.attributes.values[placeOf(number, what)] = value;
		return isOther;
	}

	private dueOf(number: number): number {
		const attributes = this.attributes;
		const value = attributes.values[number];
		const longest = this.setting(number, LONGEST);
		const isMeasured = number <= LAST_MEASURED;
		if (Number.isNaN(value) || longest === NEVER || (isMeasured && !attributes.hasMeasured))
			return Number.POSITIVE_INFINITY;
		const last = this.setting(number, LAST);
		if (Number.isNaN(last)) return 0;
		const lastMs = this.reportedMs(number);
		const leastMs = this.setting(number, LEAST) * 1000;
		const difference = Math.abs(value - last);
		if (difference > 0 && (number === METER_STATUS || difference >= this.setting(number, CHANGE)))
			return lastMs + leastMs;
		if (longest === 0) return Number.POSITIVE_INFINITY;
		return lastMs + Math.max(leastMs, (isMeasured ? Math.min(longest, OWN_S) : longest) * 1000);
	}
}

function placeOf(number: number, what: number): number {
	return REPORTED_AT + number * REPORTED_WIDTH + what;
}

function defaultOf(number: number, what: number): number {
	if (what === LEAST) return DEFAULT_LEAST;
	const at = number * DEFAULT_SIZE;
	return Number(`0x${what === LONGEST ? DEFAULTS.slice(at, at + 4) : DEFAULTS.slice(at + 4, at + 6)}`);
}
