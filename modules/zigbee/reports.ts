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
 * Longest interval 0xFFFF: never reported; 0: on change only. Least 0xFFFF and longest 0: nobody has configured it, and it is
 * as DEFAULTS has it. The change is meant unsigned, in the attribute's unit.
 */
import { type Attributes, isUnknown, METER_STATUS, VALUE_COUNT } from "./attributes.js";
import type { Outgoing } from "./radio.js";
import { FRAME_NO_DEFAULT, FRAME_TO_CLIENT, numberAt, numberSize, putNumber, REPORT, u16 } from "./zcl.js";

const FORMAT = 1;
const HEADER = 2;
const CHANGE_SIZE = 6;
const SETTING_SIZE = 4 + CHANGE_SIZE;
export const REPORTS_SIZE = HEADER + VALUE_COUNT * SETTING_SIZE;

const NEVER = 0xffff;
/** Least interval of what nobody has configured, seconds. */
const DEFAULT_LEAST = 10;
/** Longest interval and change, by number of the value: 2 and 1 bytes in hex. Status: never; battery: hourly. */
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

/** Bytes of the longest report. */
const REPORT_LIMIT = 70;
const HEADER_SIZE = 3;

export class Reports {
	readonly #attributes: Attributes;
	/** As it is kept. */
	readonly settings = new Uint8Array(REPORTS_SIZE);
	/** Since it was kept. */
	isChanged = false;
	/** By number: the values that have arrived last, NaN: none; when they were sent, monotonic ms; what is on its way. */
	readonly last = new Float64Array(VALUE_COUNT);
	readonly lastMs = new Float64Array(VALUE_COUNT);
	readonly #flight = new Float64Array(VALUE_COUNT);
	#flightMs = 0;

	/** `kept`: `settings` of another time. */
	constructor(attributes: Attributes, kept: Uint8Array | undefined) {
		this.#attributes = attributes;
		this.#flight.fill(Number.NaN);
		this.reset();
		if (kept !== undefined && kept.length === REPORTS_SIZE && kept[0] === FORMAT) this.settings.set(kept);
		this.isChanged = false;
	}

	/** Nobody has configured anything. */
	get isDefault(): boolean {
		for (let number = 0; number < VALUE_COUNT; number++) if (!this.isUnset(number)) return false;
		return true;
	}

	/** Makes it so, and nothing was reported; returns false when nobody had. */
	reset(): boolean {
		const had = !this.isDefault;
		this.last.fill(Number.NaN);
		for (let number = 0; number < VALUE_COUNT; number++) this.configure(number, NEVER, 0, 0);
		this.settings[0] = FORMAT;
		this.settings[1] = 1;
		return had;
	}

	configure(number: number, least: number, longest: number, change: number): void {
		const { settings } = this;
		const at = HEADER + number * SETTING_SIZE;
		const before = settings.slice(at, at + SETTING_SIZE);
		putNumber(settings, at, 2, least);
		putNumber(settings, at + 2, 2, longest);
		putNumber(settings, at + 4, CHANGE_SIZE, change);
		this.isChanged ||= before.some((byte, i) => byte !== settings[at + i]);
	}

	/** Where reports go. */
	get endpoint(): number {
		return this.settings[1];
	}

	set endpoint(endpoint: number) {
		this.isChanged ||= this.settings[1] !== endpoint;
		this.settings[1] = endpoint;
	}

	/** Least and longest interval, seconds. */
	leastOf(number: number): number {
		const least = u16(this.settings, HEADER + number * SETTING_SIZE);
		return this.isUnset(number) ? DEFAULT_LEAST : least;
	}

	longestOf(number: number): number {
		return this.isUnset(number) ? defaultOf(number, 0, 4) : u16(this.settings, HEADER + number * SETTING_SIZE + 2);
	}

	changeOf(number: number): number {
		return this.isUnset(number)
			? defaultOf(number, 4, 2)
			: numberAt(this.settings, HEADER + number * SETTING_SIZE + 4, CHANGE_SIZE);
	}

	/** When the next report is due, monotonic ms; Infinity: none. */
	get dueMs(): number {
		let due = Number.POSITIVE_INFINITY;
		for (let number = 0; number < VALUE_COUNT; number++) due = Math.min(due, this.dueOf(number));
		return due;
	}

	/** Writes a report of the values of one cluster that are due; without one `out.end` is 0. */
	write(out: Outgoing, sequence: number, nowMs: number): void {
		const attributes = this.#attributes;
		const { bytes } = out;
		let end = HEADER_SIZE;
		out.end = 0;
		for (const cluster of attributes.clusters) {
			for (let row = attributes.next(cluster, -1); row >= 0; row = attributes.next(cluster, row)) {
				const number = attributes.valueOf(row);
				if (number < 0 || this.dueOf(number) > nowMs) continue;
				const type = attributes.typeOf(row);
				if (end + 3 + numberSize(type) > REPORT_LIMIT) break;
				putNumber(bytes, end, 2, attributes.idOf(row));
				bytes[end + 2] = type;
				end = attributes.write(row, bytes, end + 3, nowMs);
				this.#flight[number] = attributes.values[number];
			}
			if (end === HEADER_SIZE) continue;
			bytes[0] = FRAME_TO_CLIENT | FRAME_NO_DEFAULT;
			bytes[1] = sequence;
			bytes[2] = REPORT;
			out.cluster = cluster;
			out.destination = 0;
			out.destinationEndpoint = this.endpoint;
			out.start = 0;
			out.end = end;
			this.#flightMs = nowMs;
			return;
		}
	}

	/** What was written last has arrived, or has not. */
	sent(hasArrived: boolean): void {
		const flight = this.#flight;
		for (let number = 0; number < VALUE_COUNT; number++) {
			if (Number.isNaN(flight[number])) continue;
			if (hasArrived) {
				this.last[number] = flight[number];
				this.lastMs[number] = this.#flightMs;
			}
			flight[number] = Number.NaN;
		}
	}

	/** The value that was reported last; NaN: none, or unknown. */
	reported(number: number): number {
		const value = this.last[number];
		return isUnknown(number, value) ? Number.NaN : value;
	}

	private isUnset(number: number): boolean {
		const at = HEADER + number * SETTING_SIZE;
		return u16(this.settings, at) === NEVER && u16(this.settings, at + 2) === 0;
	}

	private dueOf(number: number): number {
		const attributes = this.#attributes;
		const value = attributes.values[number];
		const longest = this.longestOf(number);
		const isMeasured = number <= LAST_MEASURED;
		if (Number.isNaN(value) || longest === NEVER || (isMeasured && !attributes.hasMeasured))
			return Number.POSITIVE_INFINITY;
		const last = this.last[number];
		if (Number.isNaN(last)) return 0;
		const leastMs = this.leastOf(number) * 1000;
		const difference = Math.abs(value - last);
		if (difference > 0 && (number === METER_STATUS || difference >= this.changeOf(number)))
			return this.lastMs[number] + leastMs;
		if (longest === 0) return Number.POSITIVE_INFINITY;
		return this.lastMs[number] + Math.max(leastMs, (isMeasured ? Math.min(longest, OWN_S) : longest) * 1000);
	}
}

function defaultOf(number: number, from: number, length: number): number {
	const at = number * DEFAULT_SIZE + from;
	return Number.parseInt(DEFAULTS.slice(at, at + length), 16);
}
