/**
 * SunSpec (sunspec.org) by Modbus TCP on port 502: model 1, and model 213, a three-phase meter with floating-point
 * numbers. Powers are in W, positive for import and negative for export; counters in Wh. Values that neither the meter
 * sends nor shown-values.ts calculates are NaN, "not implemented".
 *
 * Registers, from 40000 on: "SunS"; 1, 65, and model 1; 213, 124, and model 213; 0xffff, 0. Values are read only while
 * they are fresh.
 */
import { asciiBytes } from "../bytes/ascii.js";
import { type Dialect, dialect } from "./dialect.js";
import type { DialectPort, LiveValues } from "./dialect-port.js";
import { LIVE_PAUSE_MS, LIVE_SUNSPEC } from "./fields.js";
import { LIVE_POWER, PHASES } from "./live-values.js";
import { type ModbusDeps, ModbusServer } from "./modbus.js";
import { EXCEPTION_ADDRESS, EXCEPTION_BUSY, EXCEPTION_FAILURE, EXCEPTION_UNIT } from "./modbus-connection.js";
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
} from "./shown-values.js";

const PORT = 502;
/** Units under which Fronius' meters are asked, and the usual one. */
const UNITS: readonly number[] = Object.freeze([1, 200, 240]);
const CLOSE = -1;

const BASE = 40_000;
/** Number of registers; the values of model 213 are those from FIRST_VALUE to END - 1. */
const REGISTERS = 197;
const FIRST_VALUE = 71;
const END = 195;
/** Numbers, each after its register. */
const NUMBERS: readonly number[] = Object.freeze([2, 1, 3, 65, 69, 213, 70, 124, END, 0xffff]);
/** Texts and their registers: manufacturer and model as some clients want them, version, serial number. */
const MARK = 0;
const MAKER = 4;
const MODEL = 20;
const VERSION = 44;
const SERIAL = 52;
const UNIT = 68;
/** Number of counters of apparent and reactive energy. */
const OTHER_COUNTERS = 24;

/** Writes all registers. Without `values` those of model 213 are 0. */
export function writeSunSpec(into: Uint8Array, values: Float64Array | undefined, id: string, unit: number): void {
	const view = new DataView(into.buffer, into.byteOffset);
	const text = (register: number, letters: string) => into.set(asciiBytes(letters), 2 * register);
	text(MARK, "SunS");
	text(MAKER, "Fronius");
	text(MODEL, "Smart Meter 63A");
	text(VERSION, "1.0");
	text(SERIAL, id);
	view.setUint16(2 * UNIT, unit);
	for (let i = 0; i < NUMBERS.length; i += 2) view.setUint16(2 * NUMBERS[i], NUMBERS[i + 1]);
	if (values !== undefined) writeValues(view, values);
}

function writeValues(view: DataView, values: Float64Array): void {
	let at = 2 * FIRST_VALUE;
	const put = (value: number, count = 1) => {
		for (let i = 0; i < count; i++, at += 4) view.setFloat32(at, value);
	};
	/** Writes a total, and the three values from `first` on. */
	const group = (total: number, first: number) => {
		put(total);
		for (let i = 0; i < PHASES; i++) put(values[first + i]);
	};
	const [l1, l2, l3] = values.subarray(FULL_VOLTS_L1);
	const [l12, l23, l31] = [between(l1, l2), between(l2, l3), between(l3, l1)];
	const apparent = values[FULL_APPARENT];
	group(values[FULL_AMPERES], FULL_AMPERES_L1);
	group((l1 + l2 + l3) / PHASES, FULL_VOLTS_L1);
	for (const volts of [(l12 + l23 + l31) / PHASES, l12, l23, l31, values[FULL_HERTZ]]) put(volts);
	group(values[LIVE_POWER], FULL_POWER_L1);
	group(apparent, FULL_APPARENT_L1);
	put(Number.NaN, 1 + PHASES);
	group(apparent > 0 ? Math.min(1, Math.abs(values[LIVE_POWER]) / apparent) : 1, FULL_FACTOR_L1);
	group(values[FULL_EXPORT], FULL_EXPORT_L1);
	group(values[FULL_IMPORT], FULL_IMPORT_L1);
	put(Number.NaN, OTHER_COUNTERS);
}

/** Returns the voltage between two phases 120° apart. */
function between(volts: number, next: number): number {
	return Math.sqrt(volts * volts + next * next + volts * next);
}

class SunSpecPort extends ModbusServer implements DialectPort {
	readonly #values: LiveValues;
	readonly #index: number;

	constructor(values: LiveValues, index: number) {
		const { core } = values;
		super(core, core.host.network.tcpListener!(PORT));
		this.#values = values;
		this.#index = index;
	}

	protected get deps(): ModbusDeps {
		return this.#values.core;
	}

	admits(address: string, nowMs: number): boolean {
		return this.#values.clients.admits(address, this.#index, nowMs);
	}

	read(address: string, unit: number, first: number, into: Uint8Array, at: number): number {
		const { clients, core, id } = this.#values;
		const nowMs = core.clock.monotonicMs();
		const start = first - BASE;
		const end = start + (into.length - at) / 2;
		const row = clients.recordRequest(address, this.#index, nowMs);
		if (row < 0) return CLOSE;
		if (!UNITS.includes(unit)) return EXCEPTION_UNIT;
		if (start < 0 || end > REGISTERS) return EXCEPTION_ADDRESS;
		let values: Float64Array | undefined;
		if (start < END && end > FIRST_VALUE) {
			if (!this.#values.isFresh(ROW)) return EXCEPTION_FAILURE;
			if (!clients.mayAnswer(row, core.config.get(LIVE_PAUSE_MS), nowMs)) return EXCEPTION_BUSY;
			values = this.#values.show();
			clients.answered(row, values[LIVE_POWER], nowMs);
		}
		const registers = new Uint8Array(2 * REGISTERS);
		writeSunSpec(registers, values, id, unit);
		into.set(registers.subarray(2 * start, 2 * end), at);
		return 0;
	}
}

const ROW: Dialect = dialect({
	name: LIVE_SUNSPEC.name,
	enabled: LIVE_SUNSPEC,
	maxAgeMs: 10_000,
	pages: [],
	services: [],
	open: (values, index) => new SunSpecPort(values, index),
});

/** The dialect; none in a firmware without it. */
export const SUNSPEC: readonly Dialect[] = Object.freeze([ROW]);
