/**
 * Modbus TCP server for a few listed clients. A client that is not listed is noted and its connection closed. While all
 * PLACES are taken, a new connection replaces the one that has been idle longest, but none that was used in the last
 * GRACE_MS.
 */
import { takeOut } from "../bytes/list.js";
import type { Driver, Task } from "../io/driver.js";
import type { Listener, ListenerPort } from "../io/host.js";
import type { Timed } from "../io/machine.js";
import type { Cost, MemoryLedger } from "../io/memory.js";
import { ModbusConnection, type ModbusOwner } from "./modbus-connection.js";

const PART = "modbus";
const PLACES = 3;
const GRACE_MS = 10_000;
/** Memory of a connection and of a reply. */
const CONNECTION_COST: Cost = Object.freeze({ slots: 150, chunkBytes: 2048 });

export interface ModbusDeps {
	readonly driver: Driver;
	readonly ledger: MemoryLedger;
	trace(message: string): void;
}

export abstract class ModbusServer implements ModbusOwner, Timed {
	/** Kept instead of the port, which takes more slots. */
	readonly #Socket: ListenerPort["socket"];
	readonly #task: Task;
	readonly #connections: ModbusConnection[] = [];
	#listener: Listener | undefined;
	/** True while connections wait for a place. */
	#isWaiting = false;

	constructor(deps: ModbusDeps, port: ListenerPort) {
		this.#Socket = port.socket;
		this.#task = deps.driver.register(PART, this);
		try {
			this.#listener = new port.io({
				...port.pins,
				onReadable: () =>
					this.run((nowMs) => {
						this.#isWaiting = true;
						this.admit(nowMs);
					}),
			});
		} catch (error) {
			deps.trace(`${PART}: ${error instanceof Error ? error.message : String(error)}`);
		}
	}

	/** The dependencies that the constructor got. */
	protected abstract get deps(): ModbusDeps;

	/** Returns true if a client may connect. */
	abstract admits(address: string, nowMs: number): boolean;

	abstract read(address: string, unit: number, first: number, into: Uint8Array, at: number): number;

	run(change: (nowMs: number) => void): void {
		this.#task.fromHost(change);
	}

	stop(): void {
		this.#task.update(() => {
			this.#listener?.close();
			while (this.#connections.length > 0) this.#connections[0].close();
		});
		this.#task.stop();
	}

	get deadlineMs(): number {
		let earliestMs = Number.POSITIVE_INFINITY;
		for (const connection of this.#connections) earliestMs = Math.min(earliestMs, connection.deadlineMs);
		if (!this.#isWaiting) return earliestMs;
		return this.isFull ? Math.min(earliestMs, this.longestIdle().sinceMs + GRACE_MS) : 0;
	}

	advance(nowMs: number): void {
		for (let i = this.#connections.length - 1; i >= 0; i--) {
			const connection = this.#connections[i];
			if (nowMs >= connection.deadlineMs) connection.advance(nowMs);
		}
		this.admit(nowMs);
	}

	closed(connection: ModbusConnection): void {
		takeOut(this.#connections, this.#connections.indexOf(connection));
	}

	private get isFull(): boolean {
		return this.#connections.length >= PLACES;
	}

	private admit(nowMs: number): void {
		while (this.#isWaiting) {
			if (this.isFull) {
				const idle = this.longestIdle();
				if (idle.sinceMs + GRACE_MS > nowMs) return;
				idle.close();
			}
			const pending = this.#listener?.read();
			if (pending === undefined) this.#isWaiting = false;
			else if (!this.deps.ledger.fits(CONNECTION_COST)) pending.close();
			else this.take(new ModbusConnection(this, this.#Socket, pending, nowMs), nowMs);
		}
	}

	private take(connection: ModbusConnection, nowMs: number): void {
		if (this.admits(connection.address, nowMs)) this.#connections.push(connection);
		else connection.close();
	}

	private longestIdle(): ModbusConnection {
		return this.#connections.reduce((first, each) => (each.sinceMs < first.sinceMs ? each : first));
	}
}
