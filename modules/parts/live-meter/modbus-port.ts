/**
 * Modbus TCP on port 502, which all dialects with registers share. The registers of a request tell for which of them it
 * is. Clients can read values only while they are fresh.
 *
 * Limit: PLACES connections of listed clients. A further connection replaces the one that has been idle for longest, or
 * is refused if all were used in the last IDLE_MS.
 */
import { removeAt } from "../../bytes/list.js";
import type { PendingSocket } from "../../io/host.js";
import { LIVE_POWER } from "../../live-meter/live-values.js";
import {
	EXCEPTION_ADDRESS,
	EXCEPTION_BUSY,
	EXCEPTION_FAILURE,
	EXCEPTION_UNIT,
	ModbusConnection,
	type ModbusDelegate,
} from "../../live-meter/modbus.js";
import { SHOWN_COUNT } from "../../live-meter/shown-values.js";
import { type Dialect, NO_REGISTERS, VALUE_REGISTERS } from "./dialect.js";
import type { LiveValues } from "./dialect-port.js";
import { LIVE_PAUSE_MS } from "./fields.js";
import { TCPPort } from "./tcp-port.js";

const PORT = 502;
const PLACES = 3;
const IDLE_MS = 10_000;

export class ModbusPort extends TCPPort implements ModbusDelegate {
	readonly #connections: ModbusConnection[] = [];
	readonly #dialects: readonly Dialect[];

	constructor(values: LiveValues, index: number, dialects: readonly Dialect[]) {
		super(values, index, "modbus", PORT);
		this.#dialects = dialects;
	}

	override stop(): void {
		super.stop();
		while (this.#connections.length > 0) this.#connections[0].close();
	}

	closed(connection: ModbusConnection): void {
		removeAt(this.#connections, this.#connections.indexOf(connection));
	}

	read(address: string, unit: number, first: number, count: number): Uint8Array | number | undefined {
		const { clients, core, id } = this.values;
		const nowMs = core.clock.monotonicMs();
		const index = this.dialectAt(first, count);
		const row = clients.recordRequest(address, index, nowMs);
		if (row < 0) return undefined;
		// Unit numbers that clients use for a meter: 1, which is usual, and the two of Fronius.
		if (unit !== 1 && unit !== 200 && unit !== 240) return EXCEPTION_UNIT;
		const dialect = this.#dialects[index];
		const registers = dialect.registers!;
		const kind = registers.kind(first, count);
		if (kind === NO_REGISTERS) return EXCEPTION_ADDRESS;
		let values: Float64Array | undefined;
		if (kind === VALUE_REGISTERS) {
			const isFresh = this.values.want(dialect);
			if (!isFresh && this.values.hasBegun) return EXCEPTION_FAILURE;
			if (!clients.mayAnswer(row, core.config.get(LIVE_PAUSE_MS), nowMs)) return EXCEPTION_BUSY;
			values = isFresh ? this.values.show(row) : new Float64Array(SHOWN_COUNT).fill(Number.NaN);
			if (isFresh) clients.answered(row, values[LIVE_POWER], nowMs);
		}
		return registers.read(first, count, values, id, unit) ?? EXCEPTION_FAILURE;
	}

	protected override admit(pending: PendingSocket, nowMs: number): void {
		const connections = this.#connections;
		const connection = new ModbusConnection(this, this.Socket, pending, nowMs);
		let isAdmitted = this.values.clients.admits(connection.address, this.dialectAt(0, 1), nowMs);
		if (isAdmitted && connections.length === PLACES) {
			let [idle] = connections;
			for (const each of connections) if (each.sinceMs < idle.sinceMs) idle = each;
			isAdmitted = idle.sinceMs + IDLE_MS <= nowMs;
			if (isAdmitted) idle.close();
		}
		if (isAdmitted) connections.push(connection);
		else connection.close();
	}

	/** Returns the index of the dialect that has these registers, or else of the last dialect with registers that is on. */
	private dialectAt(first: number, count: number): number {
		let found = 0;
		for (let i = 0; i < this.#dialects.length; i++) {
			const { enabled, registers } = this.#dialects[i];
			if (registers === undefined || !this.values.core.config.get(enabled)) continue;
			found = i;
			if (registers.kind(first, count) !== NO_REGISTERS) break;
		}
		return found;
	}
}
