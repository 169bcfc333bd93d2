/**
 * SunSpec (sunspec.org) by Modbus TCP on port 502, with model 1 (names and versions) and model 213 (a three-phase meter
 * with floating-point numbers). Powers are in W, positive for import and negative for export; counters are in Wh. A
 * value that the meter does not send and shown-values.ts does not calculate is NaN, which clients take for missing.
 *
 * Registers, from 40000 on: "SunS"; 1, 65, and model 1; 213, 124, and model 213; 0xffff, 0. Clients can read values
 * only while they are fresh.
 *
 * Limit: PLACES connections of listed clients. A further connection replaces the one that has been idle for longest, or
 * is refused if all were used in the last IDLE_MS.
 */
import { asciiBytes } from "../../bytes/ascii.js";
import { removeAt } from "../../bytes/list.js";
import { refusalLine } from "../../io/fault.js";
import type { Listener, ListenerPort } from "../../io/host.js";
import type { Cost } from "../../io/memory.js";
import { LIVE_POWER, PHASES } from "../../live-meter/live-values.js";
import {
	EXCEPTION_ADDRESS,
	EXCEPTION_BUSY,
	EXCEPTION_FAILURE,
	EXCEPTION_UNIT,
	ModbusConnection,
	type ModbusDelegate,
	REPLY_HEAD,
} from "../../live-meter/modbus.js";
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
import { type Dialect, dialect } from "./dialect.js";
import type { DialectPort, LiveValues } from "./dialect-port.js";
import { LIVE_PAUSE_MS, LIVE_SUNSPEC } from "./fields.js";

const PART = "sunspec";
const PORT = 502;
const PLACES = 3;
const IDLE_MS = 10_000;
const CONNECTION_COST: Cost = Object.freeze({ slots: 150, chunkBytes: 2048 });

const BASE = 40_000;
/** Number of registers. Those from FIRST_VALUE to END - 1 contain the values of model 213. */
const REGISTERS = 197;
const FIRST_VALUE = 71;
const END = 195;
const OTHER_COUNTERS = 24;

/**
 * Writes all registers into a new array, after REPLY_HEAD free bytes. Without `values`, the registers of model 213 are
 * 0.
 */
function registersOf(values: Float64Array | undefined, id: string, unit: number): Uint8Array {
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
	if (values === undefined) return bytes;
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
	group(apparent > 0 ? Math.min(1, Math.abs(power) / apparent) : 1, FULL_FACTOR_L1);
	group(values[FULL_EXPORT], FULL_EXPORT_L1);
	group(values[FULL_IMPORT], FULL_IMPORT_L1);
	put(Number.NaN, OTHER_COUNTERS);
	return bytes;
}

class SunSpecPort implements DialectPort, ModbusDelegate {
	readonly #values: LiveValues;
	readonly #index: number;
	/** Stored instead of the whole port, which would take more slots. */
	readonly #Socket: ListenerPort["socket"];
	readonly #connections: ModbusConnection[] = [];
	#listener: Listener | undefined;

	constructor(values: LiveValues, index: number) {
		const { host, trace } = values.core;
		const port = host.network.tcpListener!(PORT);
		this.#values = values;
		this.#index = index;
		this.#Socket = port.socket;
		try {
			this.#listener = new port.io({ ...port.pins, onReadable: () => this.run((nowMs) => this.admit(nowMs)) });
		} catch (error) {
			trace(refusalLine(PART, error));
		}
	}

	run(change: (nowMs: number) => void): void {
		const { clock, driver } = this.#values.core;
		try {
			change(clock.monotonicMs());
		} catch (error) {
			driver.failed(PART, error);
		}
	}

	stop(): void {
		this.#listener?.close();
		while (this.#connections.length > 0) this.#connections[0].close();
	}

	closed(connection: ModbusConnection): void {
		removeAt(this.#connections, this.#connections.indexOf(connection));
	}

	read(address: string, unit: number, first: number, count: number): Uint8Array | number | undefined {
		const { clients, core, id } = this.#values;
		const nowMs = core.clock.monotonicMs();
		const start = first - BASE;
		const end = start + count;
		const row = clients.recordRequest(address, this.#index, nowMs);
		if (row < 0) return undefined;
		// Unit numbers that clients use for a meter: 1, which is usual, and the two of Fronius.
		if (unit !== 1 && unit !== 200 && unit !== 240) return EXCEPTION_UNIT;
		if (start < 0 || end > REGISTERS) return EXCEPTION_ADDRESS;
		let values: Float64Array | undefined;
		if (start < END && end > FIRST_VALUE) {
			if (!this.#values.want(SUNSPEC)) return EXCEPTION_FAILURE;
			if (!clients.mayAnswer(row, core.config.get(LIVE_PAUSE_MS), nowMs)) return EXCEPTION_BUSY;
			values = this.#values.show(row);
			clients.answered(row, values[LIVE_POWER], nowMs);
		}
		return registersOf(values, id, unit).subarray(2 * start, REPLY_HEAD + 2 * end);
	}

	private admit(nowMs: number): void {
		const connections = this.#connections;
		const { clients, core } = this.#values;
		for (let pending = this.#listener?.read(); pending !== undefined; pending = this.#listener?.read()) {
			if (!core.ledger.fits(CONNECTION_COST)) {
				pending.close();
				continue;
			}
			const connection = new ModbusConnection(this, this.#Socket, pending, nowMs);
			let isAdmitted = clients.admits(connection.address, this.#index, nowMs);
			if (isAdmitted && connections.length === PLACES) {
				let [idle] = connections;
				for (const each of connections) if (each.sinceMs < idle.sinceMs) idle = each;
				isAdmitted = idle.sinceMs + IDLE_MS <= nowMs;
				if (isAdmitted) idle.close();
			}
			if (isAdmitted) connections.push(connection);
			else connection.close();
		}
	}
}

export const SUNSPEC: Dialect = dialect({
	name: LIVE_SUNSPEC.name,
	enabled: LIVE_SUNSPEC,
	maxAgeMs: 10_000,
	pages: [],
	services: [],
	open: (values, index) => new SunSpecPort(values, index),
});
