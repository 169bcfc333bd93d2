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
 * Also notices that a readout lacks energy counters which an earlier one had. A sum of its tariffs would fall, and jump
 * when the missing tariff returns.
 *
 * If the number of the meter changes (without a number: its identification), the meter was exchanged, and its counters
 * are taken as they are. So are counters that are seen for the first time, and those beyond COUNTERS_LIMIT.
 */
import { crc16 } from "../bytes/crc16.js";
import { GROUP_MBUS } from "./channels.js";
import { meterNumberOf } from "./meter-number.js";
import { ENERGY, HEAT, isNet, POWER, Quantities, VOLUME } from "./quantities.js";
import type { Readout } from "./readout.js";

export const COUNTERS_LIMIT = 24;

/**
 * Highest plausible rise in an hour: of energy 100 kWh, because a main fuse of 3 x 125 A lets 86 kW through; of a
 * volume 100 m3. It is raised to RISE_LIMIT for a meter whose rises are steadily higher. Units: Wh, litres.
 */
export const RISE_PER_HOUR = 100_000;
const RISE_LIMIT = 2_000_000;
/** Rise that is plausible in any time, because counters move in steps. */
const RISE_FREE = 1000;
const HOUR_MS = 3_600_000;
const MILLIJOULES_OF_WH = 3_600_000;

/* Members of a counter in `#counters`. */
const QUANTITY = 0;
/** Last confirmed value, and the time since which a rise is counted, ms. */
const VALUE = 1;
const SINCE = 2;
/** Unconfirmed value and its time, ms; NaN if the last value is confirmed. */
const NEXT = 3;
const NEXT_MS = 4;
const PER_HOUR = 5;
const SIZE = 6;

/** Value of group D of counters (IEC 62056-6-1). */
const COUNTER = 8;

export class CounterCheck {
	/** Undefined before the first readout. */
	#counters: Float64Array | undefined;
	#count = 0;
	/** CRC-16 of the meter's number. */
	#meter = 0;
	/** Largest number of confirmed energy counters in a readout of this meter. */
	#most = 0;

	/** Returns the readout with the records of unconfirmed counters. A readout of powers only is not checked again. */
	check(readout: Readout, nowMs: number): Readout {
		const { records, meterId, liveUtcMs } = readout;
		if (liveUtcMs !== undefined) return readout;
		const number = meterNumberOf(records) ?? meterId;
		const meter = crc16(number, 0, number.length);
		if (meter !== this.#meter) this.#count = this.#most = 0;
		this.#meter = meter;
		const quantities = new Quantities(readout);
		const unconfirmed: number[] = [];
		let found = 0;
		for (let i = 0; i < quantities.count; i++) {
			const kind = quantities.kindOf(i);
			if (kind >= POWER && kind < VOLUME) continue;
			quantities.seek(i);
			const { code } = quantities;
			const value = quantities.thousandths / (kind === HEAT ? MILLIJOULES_OF_WH : 1);
			if (value < 0 || isNet(code.c)) continue;
			const isSlow = kind === VOLUME || code.c === GROUP_MBUS;
			if (!this.confirm(code.quantity, value, nowMs, isSlow)) unconfirmed.push(quantities.records[i]);
			else if (kind === ENERGY && code.d === COUNTER) found++;
		}
		const lacksCounter = found < this.#most;
		this.#most = Math.max(found, this.#most);
		if (!lacksCounter && unconfirmed.length === 0) return readout;
		return {
			...readout,
			...(unconfirmed.length > 0 ? { unconfirmed } : {}),
			...(lacksCounter ? { lacksCounter } : {}),
		};
	}

	/**
	 * Returns true if the value is confirmed. `isSlow`: true for a counter that is read more rarely than the meter, so
	 * that its rise is that since its last change.
	 */
	private confirm(quantity: number, value: number, nowMs: number, isSlow: boolean): boolean {
		this.#counters ??= new Float64Array(COUNTERS_LIMIT * SIZE);
		const counters = this.#counters;
		let at = 0;
		while (at < this.#count * SIZE && counters[at + QUANTITY] !== quantity) at += SIZE;
		if (at === counters.length) return true;
		if (at === this.#count * SIZE) {
			this.#count++;
			counters.set([quantity, value, nowMs, Number.NaN, 0, RISE_PER_HOUR], at);
		}
		const last = counters[at + VALUE];
		const next = counters[at + NEXT];
		const sinceMs = counters[at + SINCE];
		const nextMs = counters[at + NEXT_MS];
		const perHour = counters[at + PER_HOUR];
		let isRight = isRise(value - last, perHour, nowMs - sinceMs);
		if (!isRight) {
			isRight = isRise(value - next, RISE_LIMIT, nowMs - nextMs);
			// A steady rise above the limit confirms itself.
			if (isRight && !isRise(value - next, perHour, nowMs - nextMs)) counters[at + PER_HOUR] = RISE_LIMIT;
		}
		counters[at + NEXT] = isRight ? Number.NaN : value;
		counters[at + NEXT_MS] = nowMs;
		if (!isRight) return false;
		if (!isSlow || value !== last) counters[at + SINCE] = nowMs;
		counters[at + VALUE] = value;
		return true;
	}
}

export function isRise(rise: number, perHour: number, ms: number): boolean {
	return rise >= 0 && rise <= RISE_FREE + (perHour * ms) / HOUR_MS;
}
