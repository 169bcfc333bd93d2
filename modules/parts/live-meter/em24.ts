/**
 * Carlo Gavazzi EM24 with Ethernet (EM24DINAV23XE1X) by Modbus TCP (sunspec.ts opens the port), for Victron's GX devices. Powers are
 * positive for import and negative for export. Numbers of 32 bits have their low word first:
 *
 *     0000   V, from 000c A, from 0012 W, from 0018 VA, each of the three phases
 *     0028   W, VA; 0033 Hz; 0034 kWh of import, 0040 of each phase, 004e kWh of export
 *     000b   read alone: number of the model
 *     0302   versions of hardware and firmware, 1002 system (0: three phases and neutral), 5000 serial number
 *     a000   application (7: H, which counts export), a100 position of the switch (3: locked)
 *
 * Registers up to 004f of which the gateway knows nothing, such as reactive power, are 0. A value can't be marked as
 * missing, so until the first readout, clients find the meter but get no values.
 */
import { asciiBytes } from "../../bytes/ascii.js";
import { putUint16BE } from "../../bytes/integers.js";
import { LIVE_POWER, PHASES } from "../../live-meter/live-values.js";
import { REPLY_HEAD } from "../../live-meter/modbus.js";
import {
	FULL_AMPERES_L1,
	FULL_APPARENT,
	FULL_APPARENT_L1,
	FULL_EXPORT,
	FULL_HERTZ,
	FULL_IMPORT,
	FULL_IMPORT_L1,
	FULL_POWER_L1,
	FULL_VOLTS_L1,
} from "../../live-meter/shown-values.js";
import { type Dialect, dialect, FIXED_REGISTERS, NO_REGISTERS, VALUE_REGISTERS } from "./dialect.js";
import { LIVE_EM24 } from "./fields.js";

const END = 0x50;
const HERTZ = 0x33;
const SERIAL = 0x5000;
const SERIAL_COUNT = 7;
/** Registers that can only be read alone, each with its contents. */
const ALONE = Object.freeze([0x0b, 1648, 0x302, 0x1000, 0x304, 0x1000, 0x1002, 0, 0xa000, 7, 0xa100, 3]);
/** First register, index of the first shown value, number of values, and factor, of each group of numbers of 32 bits. */
const GROUPS = Object.freeze([
	...[0, FULL_VOLTS_L1, PHASES, 10],
	...[0x0c, FULL_AMPERES_L1, PHASES, 1000],
	...[0x12, FULL_POWER_L1, PHASES, 10],
	...[0x18, FULL_APPARENT_L1, PHASES, 10],
	...[0x28, LIVE_POWER, 1, 10],
	...[0x2a, FULL_APPARENT, 1, 10],
	...[0x34, FULL_IMPORT, 1, 0.01],
	...[0x40, FULL_IMPORT_L1, PHASES, 0.01],
	...[0x4e, FULL_EXPORT, 1, 0.01],
]);

const isAlone = (first: number, count: number) => count === 1 && ALONE.indexOf(first) % 2 === 0;

function kind(first: number, count: number): number {
	if (isAlone(first, count) || (first === SERIAL && count <= SERIAL_COUNT)) return FIXED_REGISTERS;
	return first + count <= END ? VALUE_REGISTERS : NO_REGISTERS;
}

function read(first: number, count: number, values: Float64Array | undefined, id: string): Uint8Array | undefined {
	const bytes = new Uint8Array(REPLY_HEAD + 2 * (values === undefined ? count : END));
	const put = (register: number, value: number) => putUint16BE(bytes, REPLY_HEAD + 2 * register, value);
	if (values !== undefined) {
		if (Number.isNaN(values[LIVE_POWER])) return undefined;
		for (let i = 0; i < GROUPS.length; i += 4) {
			for (let n = 0; n < GROUPS[i + 2]; n++) {
				// A number that does not fit is replaced by the nearest number that fits.
				const number = Math.round(values[GROUPS[i + 1] + n] * GROUPS[i + 3]);
				const fitting = Math.max(-(2 ** 31), Math.min(number, 2 ** 31 - 1));
				put(GROUPS[i] + 2 * n, fitting);
				put(GROUPS[i] + 2 * n + 1, fitting >> 16);
			}
		}
		put(HERTZ, Math.round(values[FULL_HERTZ] * 10));
		return bytes.subarray(2 * first, REPLY_HEAD + 2 * (first + count));
	}
	if (first === SERIAL) bytes.set(asciiBytes(id).subarray(0, 2 * count), REPLY_HEAD);
	else put(0, ALONE[ALONE.indexOf(first) + 1]);
	return bytes;
}

const DIALECT: Dialect = dialect({
	name: LIVE_EM24.name,
	enabled: LIVE_EM24,
	maxAgeMs: 10_000,
	pages: [],
	services: [],
	registers: Object.freeze({ kind, read }),
});

export const EM24: readonly Dialect[] = Object.freeze([DIALECT]);
