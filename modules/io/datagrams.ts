/**
 * Runs a machine on a UDP port: for UDP what io/link.ts is for a serial port. It opens the port that its machine wants,
 * gives it what comes, and sends what it says. Multicast DNS and the captive name server run under it.
 *
 *   the machine wants   closed                                        open
 *   a port              opened; what can't be had, after RETRY_MS     stays; what is gone, opened after RETRY_MS
 *   another             as above                                      closed, and the other opened
 *   none                –                                             closed
 *
 * What is to be sent stands in the shared buffer and has left it when `send` returns: no datagram waits, none has a
 * buffer of its own. Limits: DATAGRAMS_AT_ONCE are read in one go, then the others have their turn.
 */
import type { Driver, ScheduledMachine, Task } from "./driver.js";
import type { UDP, UDPOptions, UDPPort } from "./host.js";
import type { Timed } from "./machine.js";

/** What the users of UDP share: one object for all. */
export interface DatagramDeps {
	readonly udp: UDPPort;
	readonly driver: Driver;
	/** DATAGRAM_LIMIT bytes, one for all: what is in it counts until the next one reads or writes. */
	readonly buffer: Uint8Array;
	trace(message: string): void;
}

/** Which port a machine wants. */
export type DatagramPort = Pick<UDPOptions, "port" | "group" | "accessPoint">;

/** Where a datagram came from. */
export type DatagramSource = Pick<UDP, "remoteAddress" | "remotePort">;

export interface DatagramSender {
	/** Sends `buffer[0..length)` at once, or nothing where there is no port. */
	send(length: number, address: string, port: number): void;
}

export interface DatagramMachine extends Timed {
	/** The same object as long as the same port is wanted; undefined: none. */
	readonly port: DatagramPort | undefined;
	/** The port is there, or there again. */
	opened(sender: DatagramSender, nowMs: number): void;
	/** The port has gone; it is tried to have it again. */
	lost(nowMs: number): void;
	/** One datagram, in `buffer[0..length)`. */
	received(length: number, source: DatagramSource, nowMs: number): void;
}

export const RETRY_MS = 30_000;
const DATAGRAMS_AT_ONCE = 16;

export class Datagrams<Machine extends DatagramMachine> implements ScheduledMachine, DatagramSender {
	/** To be changed by its drive only. */
	readonly machine: Machine;
	readonly task: Task;
	readonly #deps: DatagramDeps;
	/** Open, or tried to be. */
	#port: DatagramPort | undefined;
	#socket: UDP | undefined;
	/** When the port is tried again where there is none, or is read on where there is one. */
	#againMs = Number.POSITIVE_INFINITY;

	/** `part` is the machine's name in the log. */
	constructor(deps: DatagramDeps, part: string, machine: Machine) {
		this.#deps = deps;
		this.machine = machine;
		this.task = deps.driver.register(part, this);
	}

	/** For good. The machine should have been told to end its work. */
	stop(): void {
		this.task.stop();
		this.close();
	}

	send(length: number, address: string, port: number): void {
		this.#socket?.write(this.#deps.buffer.subarray(0, length), address, port);
	}

	/** For the driver. */
	get deadlineMs(): number {
		return Math.min(this.#againMs, this.machine.deadlineMs);
	}

	/** For the driver. */
	advance(nowMs: number): void {
		if (nowMs >= this.#againMs) {
			if (this.#socket === undefined) this.open(nowMs);
			else this.read(nowMs);
		}
		if (nowMs >= this.machine.deadlineMs) this.machine.advance(nowMs);
	}

	/** Has the port open that the machine wants now. */
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
			trace(`${this.task.part}: ${error instanceof Error ? error.message : String(error)}`);
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
		// Also when the machine throws: what came after that datagram is read in the next turn.
		this.#againMs = nowMs;
		for (let count = 0; count < DATAGRAMS_AT_ONCE; count++) {
			const length = socket.read(this.#deps.buffer);
			if (length === undefined) {
				this.#againMs = Number.POSITIVE_INFINITY;
				return;
			}
			// Nobody can be answered at port 0.
			if (socket.remotePort !== 0) this.machine.received(length, socket, nowMs);
		}
	}
}
