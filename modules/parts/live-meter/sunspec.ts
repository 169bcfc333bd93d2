/**
 * SunSpec (sunspec.org) by Modbus TCP on port 502, with model 1 (names and versions) and model 213 (a three-phase meter
 * with floating-point numbers). Powers are in W, positive for import and negative for export; counters are in Wh. A
 * value that the meter does not send and shown-values.ts does not calculate is NaN, which clients take for missing. So
 * is each value before the first readout, because clients refuse a meter that fails when they are configured.
 *
 * Registers, from 40000 on: "SunS"; 1, 65, and model 1; 213, 124, and model 213; 0xffff, 0.
 */
import { asciiBytes } from "../../bytes/ascii.js";
import { LIVE_POWER, PHASES } from "../../live-meter/live-values.js";
import { REPLY_HEAD } from "../../live-meter/modbus.js";
import {
	FULL_AMPERES,
	FULL_AMPERES_L1,
	FULL_APPARENT,
	FULL_APPARENT_L1,
	FULL_EXPORT,
	FULL_EXPORT_L1,
	FULL_FACTOR_L1,
	FULL_HERTZ,
	FULL_IMPORT,
	FULL_IMPORT_L1,
	FULL_POWER_L1,
	FULL_VOLTS_L1,
} from "../../live-meter/shown-values.js";
import { type Dialect, dialect, FIXED_REGISTERS, NO_REGISTERS, type Registers, VALUE_REGISTERS } from "./dialect.js";
import { LIVE_EM24, LIVE_SUNSPEC } from "./fields.js";
import { ModbusPort } from "./modbus-port.js";

const BASE = 40_000;
/** Number of registers. Those from FIRST_VALUE to END - 1 contain the values of model 213. */
const REGISTERS = 197;
const FIRST_VALUE = 71;
const END = 195;
const OTHER_COUNTERS = 24;

/** Without `values`, the registers of model 213 are 0. */
function read(first: number, count: number, values: Float64Array | undefined, id: string, unit: number): Uint8Array {
	const bytes = new Uint8Array(REPLY_HEAD + 2 * REGISTERS);
	const view = new DataView(bytes.buffer, REPLY_HEAD);
	const text = (register: number, letters: string) => bytes.set(asciiBytes(letters), REPLY_HEAD + 2 * register);
	const short = (register: number, number: number) => view.setUint16(2 * register, number);
	let at = 2 * FIRST_VALUE;
	const put = (value: number, count = 1) => {
		for (let i = 0; i < count; i++, at += 4) view.setFloat32(at, value);
	};
	text(0, "SunS");
	short(2, 1);
	short(3, 65);
	// Names of a real maker and model, because some clients accept only those that they know.
	text(4, "Fronius");
	text(20, "Smart Meter 63A");
	text(44, "1.0");
	text(52, id);
	short(68, unit);
	short(69, 213);
	short(70, END - FIRST_VALUE);
	short(END, 0xffff);
	if (values !== undefined) putValues(put, values);
	return bytes.subarray(2 * (first - BASE), REPLY_HEAD + 2 * (first - BASE + count));
}

function putValues(put: (value: number, count?: number) => void, values: Float64Array): void {
	const group = (total: number, first: number) => {
		put(total);
		for (let i = 0; i < PHASES; i++) put(values[first + i]);
	};
	const power = values[LIVE_POWER];
	const apparent = values[FULL_APPARENT];
	let volts = 0;
	for (let i = 0; i < PHASES; i++) volts += values[FULL_VOLTS_L1 + i] / PHASES;
	group(values[FULL_AMPERES], FULL_AMPERES_L1);
	group(volts, FULL_VOLTS_L1);
	// Voltages between the phases, calculated as if all phases had the same voltage.
	put(volts * Math.sqrt(3), 1 + PHASES);
	put(values[FULL_HERTZ]);
	group(power, FULL_POWER_L1);
	group(apparent, FULL_APPARENT_L1);
	put(Number.NaN, 1 + PHASES);
	group(apparent === 0 ? 1 : Math.min(1, Math.abs(power) / apparent), FULL_FACTOR_L1);
	group(values[FULL_EXPORT], FULL_EXPORT_L1);
	group(values[FULL_IMPORT], FULL_IMPORT_L1);
	put(Number.NaN, OTHER_COUNTERS);
}

const MAP: Registers = Object.freeze<Registers>({
	kind: (first, count) => {
		const [start, end] = [first - BASE, first - BASE + count];
		if (start < 0 || end > REGISTERS) return NO_REGISTERS;
		return start < END && end > FIRST_VALUE ? VALUE_REGISTERS : FIXED_REGISTERS;
	},
	read,
});

export const SUNSPEC: Dialect = dialect({
	name: LIVE_SUNSPEC.name,
	enabled: LIVE_SUNSPEC,
	maxAgeMs: 10_000,
	pages: [],
	services: [],
	registers: MAP,
	open: (values, index, dialects) => new ModbusPort(values, index, dialects),
	also: LIVE_EM24,
});
