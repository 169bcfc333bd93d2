/**
 * Decides when a value is reported (ZCL revision 8, 2.5.7 to 2.5.11). A value is reported when it has changed by
 * enough, but not within the minimum interval, and also after the maximum interval. Measured values are reported at
 * least every MEASURED_INTERVAL_S, because hours without a report look like a fault.
 *
 * A report contains the values at the time when it is written. Values that are not delivered remain due.
 *
 * Form of the stored settings, REPORTS_SIZE bytes. Numbers are little-endian:
 *
 *   offset  bytes    content
 *   0       1        FORMAT
 *   1       1        endpoint that configured reports last; it receives all of them
 *   2       10 each  by index of the value (attributes.ts): minimum interval, maximum interval (s, 2 each), change (6)
 *
 * A maximum interval of 0xFFFF means that the value is never reported; 0 means that it is reported only after a change.
 * The change is unsigned, in the unit of the attribute. Values without stored settings use those in DEFAULTS.
 */
import { uint16LE } from "../bytes/integers.js";
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
import { FRAME_NO_DEFAULT, FRAME_TO_CLIENT, numberAt, putNumber, REPORT } from "./zcl.js";

const FORMAT = 1;
const HEADER = 2;
const CHANGE_SIZE = 6;
const SETTING_SIZE = 4 + CHANGE_SIZE;
export const REPORTS_SIZE = HEADER + VALUE_COUNT * SETTING_SIZE;

export const NEVER = 0xffff;

/* Offsets in `Attributes.values`. The first three are settings. */
export const MINIMUM = 0;
export const MAXIMUM = 1;
export const CHANGE = 2;
/** Value that was delivered last. */
const LAST = 3;
/** Value that was sent and is not confirmed yet; NaN if none. */
const FLIGHT = 4;
/** Time of the last delivery. */
const LAST_MS = 5;

const DEFAULT_ENDPOINT = 1;
const DEFAULT_MINIMUM = 10;
/**
 * Maximum interval (4 hex digits) and change (2) of each value, by index. By default, the status is never reported, and
 * the battery every hour.
 */
const DEFAULTS =
	"ffff01" +
	"012c0a" + // import, export: 0.01 kWh
	"012c0a" +
	"003c05" + // power: 5 W
	"003c0a" + // voltage: 1 V
	"003c05" + // current: 0.05 A
	"003c05" +
	"0e1001" + // battery: 0.1 V, 1 %
	"0e1002";
const DEFAULT_SIZE = 6;

const MEASURED_INTERVAL_S = 300;
const LAST_MEASURED = 6;

const HEADER_SIZE = 3;

export class Reports {
	readonly attributes: Attributes;
	#flightMs = 0;
	#endpoint = DEFAULT_ENDPOINT;
	isChanged = false;

	/** `saved`: settings in the form that `pack` returns. */
	constructor(attributes: Attributes, saved: Uint8Array | undefined) {
		this.attributes = attributes;
		this.reset();
		if (saved?.length === REPORTS_SIZE && saved[0] === FORMAT) {
			for (let index = 0; index < VALUE_COUNT; index++) {
				const at = HEADER + index * SETTING_SIZE;
				this.configure(
					index,
					uint16LE(saved, at),
					uint16LE(saved, at + 2),
					numberAt(saved, at + 4, CHANGE_SIZE),
					saved[1],
				);
			}
		}
		this.isChanged = false;
	}

	reset(): void {
		for (let index = 0; index < VALUE_COUNT; index++) this.configure(index, NEVER, 0, 0, DEFAULT_ENDPOINT);
		this.forget();
	}

	forget(): void {
		const numbers = this.attributes.values;
		for (let at = REPORTED_AT; at < REPORTED_AT + REPORTED_SIZE; at += REPORTED_WIDTH)
			numbers.fill(Number.NaN, at + LAST, at + LAST_MS);
	}

	/**
	 * Sets intervals (seconds) and change of a value. A minimum of NEVER with a maximum of 0 restores the default
	 * settings.
	 */
	configure(index: number, least: number, longest: number, change: number, endpoint: number): void {
		const isDefault = least === NEVER && longest === 0;
		let hasChanged = this.put(index, MINIMUM, isDefault ? DEFAULT_MINIMUM : least);
		hasChanged = this.put(index, MAXIMUM, isDefault ? defaultOf(index, MAXIMUM) : longest) || hasChanged;
		hasChanged = this.put(index, CHANGE, isDefault ? defaultOf(index, CHANGE) : change) || hasChanged;
		this.isChanged ||= hasChanged || this.#endpoint !== endpoint;
		this.#endpoint = endpoint;
	}

	pack(): Uint8Array {
		const bytes = new Uint8Array(REPORTS_SIZE);
		let isDefault = this.#endpoint === DEFAULT_ENDPOINT;
		for (let index = 0; index < VALUE_COUNT; index++) {
			const at = HEADER + index * SETTING_SIZE;
			for (let what = MINIMUM; what <= CHANGE; what++) {
				const setting = this.setting(index, what);
				isDefault &&= setting === defaultOf(index, what);
				putNumber(bytes, at + 2 * what, what === CHANGE ? CHANGE_SIZE : 2, setting);
			}
		}
		bytes[0] = FORMAT;
		bytes[1] = this.#endpoint;
		this.isChanged = false;
		return isDefault ? new Uint8Array(0) : bytes;
	}

	/** Returns a setting of a value. `what`: MINIMUM or MAXIMUM (seconds), or CHANGE. */
	setting(index: number, what: number): number {
		return this.attributes.values[placeOf(index, what)];
	}

	get dueMs(): number {
		let due = Number.POSITIVE_INFINITY;
		for (let index = 0; index < VALUE_COUNT; index++) due = Math.min(due, this.dueOf(index));
		return due;
	}

	/** Writes a report with the due values of one cluster. If no value is due, `out.end` stays 0. */
	write(out: Outgoing, sequence: number, nowMs: number): void {
		const attributes = this.attributes;
		const { bytes } = out;
		let end = HEADER_SIZE;
		for (const cluster of attributes.clusters) {
			for (let row = attributes.next(cluster, -1); row >= 0; row = attributes.next(cluster, row)) {
				const index = attributes.valueOf(row);
				if (index < 0 || this.dueOf(index) > nowMs) continue;
				const type = attributes.typeOf(row);
				putNumber(bytes, end, 2, attributes.idOf(row));
				bytes[end + 2] = type;
				end = attributes.write(row, bytes, end + 3, nowMs);
				attributes.values[placeOf(index, FLIGHT)] = attributes.values[index];
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

	reported(index: number): number {
		const value = this.setting(index, LAST);
		return isUnknown(index, value) ? Number.NaN : value;
	}

	reportedMs(index: number): number {
		return this.setting(index, LAST_MS);
	}

	private put(index: number, what: number, value: number): boolean {
		const isNew = this.setting(index, what) !== value;
		this.attributes.values[placeOf(index, what)] = value;
		return isNew;
	}

	private dueOf(index: number): number {
		const attributes = this.attributes;
		const value = attributes.values[index];
		const longest = this.setting(index, MAXIMUM);
		const isMeasured = index <= LAST_MEASURED;
		if (Number.isNaN(value) || longest === NEVER || (isMeasured && !attributes.hasMeasured))
			return Number.POSITIVE_INFINITY;
		const last = this.setting(index, LAST);
		if (Number.isNaN(last)) return 0;
		const lastMs = this.reportedMs(index);
		const leastMs = this.setting(index, MINIMUM) * 1000;
		const difference = Math.abs(value - last);
		if (difference > 0 && (index === METER_STATUS || difference >= this.setting(index, CHANGE)))
			return lastMs + leastMs;
		if (longest === 0) return Number.POSITIVE_INFINITY;
		return lastMs + Math.max(leastMs, (isMeasured ? Math.min(longest, MEASURED_INTERVAL_S) : longest) * 1000);
	}
}

function placeOf(index: number, what: number): number {
	return REPORTED_AT + index * REPORTED_WIDTH + what;
}

function defaultOf(index: number, what: number): number {
	if (what === MINIMUM) return DEFAULT_MINIMUM;
	const at = index * DEFAULT_SIZE;
	return Number(`0x${what === MAXIMUM ? DEFAULTS.slice(at, at + 4) : DEFAULTS.slice(at + 4, at + 6)}`);
}
