/**
 * Runs a machine on a UDP port, as io/link.ts runs one on a serial port. The table shows the effect of the port that
 * the machine wants.
 *
 *     wanted port     closed                                 open
 *     a port          opened; on failure after RETRY_MS      stays; if lost, reopened after RETRY_MS
 *     another port    as above                               closed, and the other opened
 *     undefined       –                                      closed
 *
 * Datagrams are sent immediately from the shared buffer. At most DATAGRAMS_AT_ONCE are read in one tick.
 */
import type { Driver, ScheduledMachine, Task } from "./driver.js";
import { refusalLine } from "./fault.js";
import type { UDP, UDPOptions, UDPPort } from "./host.js";
import type { Timed } from "./machine.js";

export interface DatagramDeps {
	readonly udp: UDPPort;
	readonly driver: Driver;
	/** Shared buffer of DATAGRAM_LIMIT bytes; its contents are valid until another machine uses it. */
	readonly buffer: Uint8Array;
	trace(message: string): void;
}

export type DatagramPort = Pick<UDPOptions, "port" | "group" | "accessPoint">;

export type DatagramSource = Pick<UDP, "remoteAddress" | "remotePort">;

export interface DatagramSender {
	send(length: number, address: string, port: number): void;
}

export interface DatagramMachine extends Timed {
	/** Port that the machine wants, the same object as long as it does not change; undefined: no port. */
	readonly port: DatagramPort | undefined;
	opened(sender: DatagramSender, nowMs: number): void;
	/** The port was lost and will be reopened. */
	lost(nowMs: number): void;
	/** The datagram is `buffer[0..length)`. */
	received(length: number, source: DatagramSource, nowMs: number): void;
}

export const RETRY_MS = 30_000;
const DATAGRAMS_AT_ONCE = 16;

export class Datagrams<Machine extends DatagramMachine> implements ScheduledMachine, DatagramSender {
	readonly machine: Machine;
	readonly task: Task;
	readonly #deps: DatagramDeps;
	#port: DatagramPort | undefined;
	#socket: UDP | undefined;
	#againMs = Number.POSITIVE_INFINITY;

	constructor(deps: DatagramDeps, part: string, machine: Machine) {
		this.#deps = deps;
		this.machine = machine;
		this.task = deps.driver.register(part, this);
	}

	stop(): void {
		this.task.stop();
		this.close();
	}

	send(length: number, address: string, port: number): void {
		this.#socket?.write(this.#deps.buffer.subarray(0, length), address, port);
	}

	get deadlineMs(): number {
		return Math.min(this.#againMs, this.machine.deadlineMs);
	}

	advance(nowMs: number): void {
		if (nowMs >= this.#againMs) {
			if (this.#socket === undefined) this.open(nowMs);
			else this.read(nowMs);
		}
		if (nowMs >= this.machine.deadlineMs) this.machine.advance(nowMs);
	}

	drain(nowMs: number): void {
		const { port } = this.machine;
		if (port === this.#port) return;
		this.close();
		this.#port = port;
		this.open(nowMs);
	}

	private open(nowMs: number): void {
		const { udp, trace } = this.#deps;
		this.#againMs = Number.POSITIVE_INFINITY;
		if (this.#port === undefined) return;
		try {
			this.#socket = new udp.io({
				...udp.pins,
				...this.#port,
				onReadable: () => this.task.fromHost((ms) => this.read(ms)),
				onError: () => this.task.fromHost((ms) => this.lost(ms)),
			});
		} catch (error) {
			trace(refusalLine(this.task.part, error));
			this.#againMs = nowMs + RETRY_MS;
			return;
		}
		this.machine.opened(this, nowMs);
	}

	private close(): void {
		this.#socket?.close();
		this.#socket = undefined;
	}

	private lost(nowMs: number): void {
		this.close();
		this.#againMs = nowMs + RETRY_MS;
		this.#deps.trace(`${this.task.part}: the port is gone`);
		this.machine.lost(nowMs);
	}

	private read(nowMs: number): void {
		const socket = this.#socket;
		if (socket === undefined) return;
		// Set before reading, so that the next tick reads the remaining datagrams if an exception is thrown here.
		this.#againMs = nowMs;
		for (let count = 0; count < DATAGRAMS_AT_ONCE; count++) {
			const length = socket.read(this.#deps.buffer);
			if (length === undefined) {
				this.#againMs = Number.POSITIVE_INFINITY;
				return;
			}
			// A datagram from port 0 can't be answered.
			if (socket.remotePort !== 0) this.machine.received(length, socket, nowMs);
		}
	}
}
