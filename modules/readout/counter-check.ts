/**
 * Finds counters that can't be right although the checks of their telegram have passed: a counter that falls, or rises
 * by more than a main fuse lets through. Such a counter is unconfirmed until a later readout agrees with it. Time is
 * an argument.
 *
 *     confirmed    plausible after the last confirmed value            confirmed
 *                  otherwise                                           unconfirmed
 *     unconfirmed  plausible after the last confirmed value            confirmed: it was a spike
 *                  plausible after the unconfirmed value               confirmed
 *                  otherwise                                           unconfirmed
 *
 * If the number of the meter changes (without a number: its identification), the meter was exchanged, and its counters
 * are taken as they are. So are counters that are seen for the first time, and those beyond COUNTERS_LIMIT.
 */
import { crc16 } from "../bytes/crc16.js";
import { GROUP_LIST, GROUP_PROFILE, type OBISCode } from "../obis/code.js";
import { isReading } from "./channels.js";
import { meterNumberOf } from "./meter-number.js";
import { amountFrom } from "./number.js";
import { HEAT, isNet, NO_UNIT, POWER, powerOf, unitOf, VOLUME } from "./quantities.js";
import type { Readout } from "./readout.js";
import { RecordCursor } from "./record-cursor.js";

export const COUNTERS_LIMIT = 24;

/**
 * Highest plausible rise in an hour: of energy 100 kWh, because a main fuse of 3 x 125 A lets 86 kW through; of a
 * volume 100 m3. It is raised for a meter whose rises are confirmed to be higher, up to RISE_LIMIT. Units: Wh, litres.
 */
const RISE_PER_HOUR = 100_000;
const RISE_LIMIT = 2_000_000;
/** Rise that is plausible in any time, because counters move in steps. */
const RISE_FREE = 1000;
const HOUR_MS = 3_600_000;
const JOULES_OF_WH = 3600;

/* Members of a counter in `#counters`. */
const QUANTITY = 0;
/** Last confirmed value, and the time since which a rise is counted, ms. */
const VALUE = 1;
const SINCE = 2;
/** Unconfirmed value and its time, ms; NaN if there is none. */
const NEXT = 3;
const NEXT_MS = 4;
const PER_HOUR = 5;
const SIZE = 6;

export class CounterCheck {
	/** Undefined before the first readout. */
	#counters: Float64Array | undefined;
	#count = 0;
	/** CRC-16 of the meter's number and of its identification; 0 if unknown. */
	#serial = 0;
	#ident = 0;

	/** Returns the readout with the records of unconfirmed counters. The readout of powers only is not checked again. */
	check(readout: Readout, nowMs: number): Readout {
		if (readout.liveUtcMs !== undefined) return readout;
		const { records, meterId } = readout;
		const number = meterNumberOf(records);
		const serial = number === undefined ? 0 : crc16(number, 0, number.length) || 1;
		const ident = meterId.length === 0 ? 0 : crc16(meterId, 0, meterId.length) || 1;
		const hasSerials = serial * this.#serial > 0;
		if (hasSerials ? serial !== this.#serial : ident * this.#ident > 0 && ident !== this.#ident) this.#count = 0;
		this.#serial = serial || this.#serial;
		this.#ident = ident || this.#ident;
		const unconfirmed = this.findUnconfirmed(records, nowMs);
		return unconfirmed.length > 0 ? { ...readout, unconfirmed } : readout;
	}

	private findUnconfirmed(records: Uint8Array, nowMs: number): number[] {
		const cursor = new RecordCursor(records);
		const { code } = cursor;
		const unconfirmed: number[] = [];
		/** Bit mask of the counters that this readout has had. */
		let seen = 0;
		for (let record = 1; cursor.nextRecord(); record++) {
			if (!isCounter(code) || cursor.attribute !== 0 || !cursor.nextValue()) continue;
			const unit = unitOf(cursor.unit);
			if (unit === NO_UNIT || (unit >= POWER && unit < VOLUME)) continue;
			const exponent = powerOf(cursor.unit, unit) + (unit === HEAT ? 0 : 3);
			const divisor = unit === HEAT ? JOULES_OF_WH : 1;
			const value = amountFrom(cursor.text, cursor.length, exponent) / divisor;
			const index = value < 0 ? COUNTERS_LIMIT : this.indexOf(code.quantity, value, nowMs);
			if (index === COUNTERS_LIMIT || (seen >> index) & 1) continue;
			seen |= 1 << index;
			const step = 10 ** (exponent - placesOf(cursor)) / divisor;
			const isSlow = unit >= VOLUME || isReading(code);
			if (!this.confirm(index * SIZE, value, nowMs, step, isSlow)) unconfirmed.push(record);
		}
		return unconfirmed;
	}

	/** Returns the index of the counter, which is added if it is new; COUNTERS_LIMIT if there is no room for it. */
	private indexOf(quantity: number, value: number, nowMs: number): number {
		this.#counters ??= new Float64Array(COUNTERS_LIMIT * SIZE);
		const counters = this.#counters;
		let index = 0;
		while (index < this.#count && counters[index * SIZE + QUANTITY] !== quantity) index++;
		if (index === this.#count && index < COUNTERS_LIMIT) {
			this.#count++;
			counters.set([quantity, value, nowMs, Number.NaN, 0, RISE_PER_HOUR], index * SIZE);
		}
		return index;
	}

	/**
	 * `step`: resolution of the counter. `isSlow`: true for a counter that is read more rarely than the meter, so that
	 * its rise is that since its last change.
	 */
	private confirm(at: number, value: number, nowMs: number, step: number, isSlow: boolean): boolean {
		const counters = this.#counters ?? new Float64Array(0);
		const [, last, sinceMs, next, nextMs, perHour] = counters.subarray(at, at + SIZE);
		const free = Math.max(RISE_FREE, 2 * step);
		let isRight = isRise(value - last, free, (perHour * (nowMs - sinceMs)) / HOUR_MS);
		if (!isRight && !Number.isNaN(next)) {
			// A steady rise above the limit confirms itself.
			const jump = ((next - last) * HOUR_MS) / (nextMs - sinceMs);
			const most = Math.min(RISE_LIMIT, Math.max(perHour, jump));
			isRight = isRise(value - next, free, (most * (nowMs - nextMs)) / HOUR_MS);
			const rise = (2 * (value - next) * HOUR_MS) / (nowMs - nextMs);
			if (isRight && rise > perHour) counters[at + PER_HOUR] = Math.min(RISE_LIMIT, rise);
		}
		if (!isRight) {
			counters[at + NEXT] = value;
			counters[at + NEXT_MS] = nowMs;
			return false;
		}
		if (!isSlow || value !== last) counters[at + SINCE] = nowMs;
		counters[at + VALUE] = value;
		counters[at + NEXT] = Number.NaN;
		return true;
	}
}

/** True if a counter may have risen by this amount (Wh, litres) since the last reading. */
export function isPlausibleRise(rise: number, ms: number): boolean {
	return isRise(rise, RISE_FREE, (RISE_PER_HOUR * ms) / HOUR_MS);
}

function isRise(rise: number, free: number, most: number): boolean {
	return rise >= 0 && rise <= free + most;
}

function isCounter(code: OBISCode): boolean {
	const { c, quantity, billingPeriod } = code;
	return quantity >= 0 && c !== GROUP_LIST && c !== GROUP_PROFILE && billingPeriod === null && !isNet(c);
}

/** Returns the number of decimal places. */
function placesOf({ text, length }: RecordCursor): number {
	for (let i = 1; i <= length; i++) if (text[length - i] === 0x2e || text[length - i] === 0x2c) return i - 1;
	return 0;
}
