/**
 * Does for the time client (client.ts) what it can't do itself: looks names up, asks from a port of its own for each
 * question, and reads what comes. For wifi/services.ts, which starts it when the network is up.
 *
 * After each change of the client: a new turn ends what was done for the one before, FINDING looks its name up, ASKING
 * opens a port and sends the question. A port that can't be had is a server that doesn't answer.
 * Limits: DATAGRAMS_AT_ONCE are read in one go, the others when more come.
 */
import type { DatagramWorld } from "../io/datagrams.js";
import type { Drive, Driven } from "../io/driver.js";
import type { Network, UDP } from "../io/host.js";
import { SYNC_ASKING, SYNC_FINDING, TimeSync, type TimeSyncWorld } from "./client.js";

/** Told of the time. */
export interface ClockUser {
	/** A server was believed; the clock is set. */
	clockChanged(): void;
}

export interface TimeServiceWorld extends DatagramWorld, TimeSyncWorld {
	/** Looks names up; a method, which is called on it. */
	readonly network: Pick<Network, "resolve">;
	readonly clockUser: ClockUser;
	trace(message: string): void;
}

const DATAGRAMS_AT_ONCE = 16;

export class TimeService implements Driven {
	readonly sync: TimeSync;
	readonly #world: TimeServiceWorld;
	readonly #drive: Drive;
	/** The turn of the client that was served last. */
	#turn = 0;
	#socket: UDP | undefined;
	/** The success that was told last. */
	#toldMs: number | undefined;

	constructor(world: TimeServiceWorld) {
		this.#world = world;
		this.sync = new TimeSync(world);
		this.#drive = world.driver.drive("time", this);
	}

	/** The network is up. */
	start(): void {
		this.#drive.tell((nowMs) => this.sync.start(nowMs));
	}

	/** There is no network. */
	stop(): void {
		this.#drive.tell(() => this.sync.stop());
	}

	/** For the driver. */
	get deadlineMs(): number {
		return this.sync.deadlineMs;
	}

	/** For the driver. */
	advance(nowMs: number): void {
		this.sync.advance(nowMs);
	}

	/** For good. */
	close(): void {
		this.stop();
		this.#drive.stop();
	}

	drain(): void {
		const { sync } = this;
		if (sync.turn === this.#turn) return;
		this.#turn = sync.turn;
		this.#socket?.close();
		this.#socket = undefined;
		const { state, lastSuccessMs } = sync;
		if (state === SYNC_FINDING) this.find(sync.turn);
		else if (state === SYNC_ASKING) this.ask();
		if (lastSuccessMs === this.#toldMs) return;
		this.#toldMs = lastSuccessMs;
		this.#world.clockUser.clockChanged();
	}

	private find(turn: number): void {
		this.#world.network.resolve?.(this.sync.name, (address) => {
			this.#drive.run((nowMs) => this.sync.found(turn, address, nowMs));
		});
	}

	private ask(): void {
		const { udp, buffer } = this.#world;
		const socket = new udp.io({
			...udp.pins,
			port: 0,
			onReadable: () => this.#drive.run((nowMs) => this.read(nowMs)),
			onError: () => this.#drive.run((nowMs) => this.sync.lost(nowMs)),
		});
		this.#socket = socket;
		socket.write(buffer.subarray(0, this.sync.putQuestion()), this.sync.address, this.sync.port);
	}

	private read(nowMs: number): void {
		const { sync } = this;
		const socket = this.#socket;
		for (let count = 0; count < DATAGRAMS_AT_ONCE && sync.turn === this.#turn; count++) {
			const length = socket?.read(this.#world.buffer);
			if (socket === undefined || length === undefined) return;
			sync.received(length, socket, nowMs);
		}
	}
}
