/**
 * Extracts from a readout the identity of the meter, the energy and volume registers (totals over all tariffs), and the
 * import in tariff 2:
 *
 *   import, export  1-b:1.8.0, 1-b:2.8.0; if missing (DSMR), the sum of 1.8.1 to 1.8.9, if no tariff is missing
 *   tariff 2        1-b:1.8.2 if it is not 0, because meters with one tariff often send it as 0
 *   gas, water      7-b:3.0.0, 8-b:1.0.0; or from M-Bus meters that an electricity meter reports (channels.ts)
 *   heat            6-b:1.0.0; or 6.8, from a heat meter that omits the medium in its codes (IEC 62056-21)
 *
 * The codes are defined in Blue Book edition 14, 6. If a register has several values, the first one is used. Values of
 * past billing periods are ignored, and so are values whose unit does not match.
 */
import { lowerCase } from "../bytes/ascii.js";
import { crc16 } from "../bytes/crc16.js";
import type { OBISCode } from "../obis/code.js";
import {
	channelsOf,
	MEDIUM_GAS,
	MEDIUM_HEAT,
	MEDIUM_WATER,
	mediumOf,
	OUT,
	stateOf,
	timeOf,
} from "../readout/channels.js";
import { GROUP_SERVICE, numberRank } from "../readout/meter-number.js";
import { amountFrom } from "../readout/number.js";
import { hasAllTariffs, PROTOCOL_IEC62056_21, type Readout } from "../readout/readout.js";
import { RecordCursor } from "../readout/record-cursor.js";
import { EXPORT, GAS, HEAT, IMPORT, RISE_END, TARIFF_2, WATER } from "./entry.js";
import { IDENT, KNOWN, type MeterState, READINGS, SERIAL, SOURCE_NUMBERED } from "./meter-state.js";

const MEDIUM_NONE = 0;
const MEDIUM_ELECTRICITY = 1;
/** Value group E in the reading of a gas meter (e-MUCS). Others above 1 are of tariffs. */
const MBUS_TOTAL = 3;

const NOTHING = -1;

const JOULES_OF_WH = 3600;
/** A calorie is 4.1868 J. */
const CALORIES_OF_WH = 3600 / 4.1868;
/** Extracts the data from a readout into `into`, which must be empty. */
export function takeReadout(readout: Readout, into: MeterState): void {
	const { records, meterId, protocol, utcMs, unconfirmed } = readout;
	const { numbers } = into;
	into.timeS = Math.floor(utcMs / 1000);
	const cursor = new RecordCursor(records);
	const { code } = cursor;
	const channels = channelsOf(records);
	let rank = 0;
	/** Time of the meter's clock, 0-0:1.0.0, in seconds as in `timeOf`; 0 if it is unknown. */
	let clockS = 0;
	/** Bit mask of the registers for which the readout has a total. The others are sums of tariffs. */
	let totals = 0;
	/** Bit mask of the registers of which a counter is unconfirmed. */
	let lost = 0;
	/** Last channel whose meter has a number, and this meter's source (meter-state.ts). */
	let numberedB = 0;
	let numberOnChannel = 0;
	// The CRC is changed if it is 0, because 0 means that there is no identification.
	if (meterId.length > 0) numbers[IDENT] = crc16(meterId, 0, meterId.length) || 1;
	for (let record = 1; cursor.nextRecord(); record++) {
		const { b, c, d, e } = code;
		if (c < 0 || code.sub >= 0 || code.billingPeriod !== null || cursor.attribute !== 0 || !cursor.nextValue())
			continue;
		const found = numberRank(code);
		if (found > rank && cursor.length > 0) {
			rank = found;
			numbers[SERIAL] = crc16(cursor.text, 0, cursor.length) || 1;
		}
		if (code.a === MEDIUM_NONE && b > 0 && c === GROUP_SERVICE && d === 1 && e === 0 && cursor.length > 0) {
			numberedB = b;
			numberOnChannel = SOURCE_NUMBERED + (crc16(cursor.text, 0, cursor.length) % SOURCE_NUMBERED);
		}
		if (code.a === MEDIUM_NONE && b === 0 && c === 1 && d === 0) clockS ||= timeOf(cursor);
		const state = stateOf(channels, code);
		const isMBus = state > 0;
		const register = isMBus ? registerOnMBus(state, code) : registerOf(code);
		if (register === NOTHING) continue;
		const bit = 1 << register;
		const isTotal = isMBus || e <= 0;
		if (unconfirmed?.includes(record)) {
			lost |= bit;
			continue;
		}
		if (register === IMPORT && e === 2) takeTariff2(cursor, numbers, protocol);
		if (totals & bit || (!isTotal && !hasAllTariffs(readout))) continue;
		// All meters with P1 send the unit of a reading on M-Bus.
		const value = isMBus && cursor.unit === "" ? NOTHING : amountOf(cursor, register, protocol);
		if (value < 0 || value >= RISE_END) continue;
		if (isTotal) {
			totals |= bit;
			numbers[READINGS + register] = 0;
		}
		into.setSource(register, register > EXPORT && b > 0 && b === numberedB ? numberOnChannel : b + 1);
		if (isMBus && clockS > 0 && cursor.nextValue()) {
			const timeS = timeOf(cursor);
			if (timeS > 0) into.timesS[register] = into.timeS - (clockS - timeS);
		}
		numbers[READINGS + register] += value;
		numbers[KNOWN] |= bit;
	}
	numbers[KNOWN] &= ~lost;
	if ((numbers[KNOWN] & (1 << IMPORT)) === 0) numbers[KNOWN] &= ~(1 << TARIFF_2);
}

function takeTariff2(cursor: RecordCursor, numbers: Float64Array, protocol: string): void {
	const value = amountOf(cursor, TARIFF_2, protocol);
	if (value <= 0 || value >= RISE_END || numbers[KNOWN] & (1 << TARIFF_2)) return;
	numbers[READINGS + TARIFF_2] = value;
	numbers[KNOWN] |= 1 << TARIFF_2;
}

function registerOnMBus(state: number, code: OBISCode): number {
	if ((code.e > 1 && code.e !== MBUS_TOTAL) || state & OUT) return NOTHING;
	const medium = mediumOf(state, code);
	if (medium === MEDIUM_GAS) return GAS;
	if (medium === MEDIUM_WATER) return WATER;
	return medium === MEDIUM_HEAT ? HEAT : NOTHING;
}

export function registerOf({ a, c, d, e }: OBISCode): number {
	if (d === 8 && (a < 0 || a === MEDIUM_ELECTRICITY) && (c === 1 || c === 2) && e < 10)
		return c === 1 ? IMPORT : EXPORT;
	if (e > 0) return NOTHING;
	if (d === 8) return c === 6 && (a < 0 || a === MEDIUM_HEAT) ? HEAT : NOTHING;
	if (d !== 0) return NOTHING;
	if (c === 3) return a === MEDIUM_GAS ? GAS : NOTHING;
	if (c !== 1) return NOTHING;
	return a === MEDIUM_HEAT ? HEAT : a === MEDIUM_WATER ? WATER : NOTHING;
}

/**
 * Returns the value in the unit of the register, rounded down, or NOTHING. In IEC 62056-21, a value without a unit has
 * the usual one. In the other protocols, its unit is unknown.
 */
export function amountOf(cursor: RecordCursor, register: number, protocol: string): number {
	const unit = lowerCase(cursor.unit);
	if (unit === "" && protocol !== PROTOCOL_IEC62056_21) return NOTHING;
	if (register === GAS || register === WATER) {
		if (unit === "" || unit === "m3") return amountFrom(cursor.text, cursor.length, 3);
		return unit === "l" ? amountFrom(cursor.text, cursor.length, 0) : NOTHING;
	}
	if (unit === "") return amountFrom(cursor.text, cursor.length, 3);
	const perWh = unit.endsWith("wh") ? 1 : unit.endsWith("j") ? JOULES_OF_WH : CALORIES_OF_WH;
	if (perWh === CALORIES_OF_WH && !unit.endsWith("cal")) return NOTHING;
	const exponent = ["", "k", "m", "g"].indexOf(unit.slice(0, perWh === 1 ? -2 : perWh === JOULES_OF_WH ? -1 : -3)) * 3;
	if (exponent < 0) return NOTHING;
	return Math.floor(amountFrom(cursor.text, cursor.length, exponent) / perWh);
}
