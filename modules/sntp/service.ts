/**
 * Connects the SNTP client (client.ts) to the network: resolves names, opens a UDP port for each request, and reads the
 * replies. wifi/services.ts starts it when the network is up.
 *
 * Each new generation of the client closes the port of the previous one. In FINDING the service resolves the name; in
 * ASKING it opens a port and sends the request. A port that fails counts as a server that does not answer. Limits: reads
 * DATAGRAMS_AT_ONCE datagrams per callback; the rest wait for the next one.
 */
import type { DatagramWorld } from "../io/datagrams.js";
import type { Drive, Driven } from "../io/driver.js";
import type { Network, UDP } from "../io/host.js";
import { SYNC_ASKING, SYNC_FINDING, TimeSync, type TimeSyncWorld } from "./client.js";

export interface ClockUser {
	/** Called when the time of a server was accepted and the clock is set. */
	clockChanged(): void;
}

export interface TimeServiceWorld extends DatagramWorld, TimeSyncWorld {
	/** Resolves names; passed as an object because `resolve` is called as its method. */
	readonly network: Pick<Network, "resolve">;
	readonly clockUser: ClockUser;
	trace(message: string): void;
}

const DATAGRAMS_AT_ONCE = 16;

export class TimeService implements Driven {
	readonly sync: TimeSync;
	readonly #world: TimeServiceWorld;
	readonly #drive: Drive;
	/** Generation of the client that was processed last. */
	#turn = 0;
	#socket: UDP | undefined;
	/** `lastSuccessMs` of the success that was reported last. */
	#toldMs: number | undefined;

	constructor(world: TimeServiceWorld) {
		this.#world = world;
		this.sync = new TimeSync(world);
		this.#drive = world.driver.drive("time", this);
	}

	start(): void {
		this.#drive.tell((nowMs) => this.sync.start(nowMs));
	}

	stop(): void {
		this.#drive.tell(() => this.sync.stop());
	}

	get deadlineMs(): number {
		return this.sync.deadlineMs;
	}

	advance(nowMs: number): void {
		this.sync.advance(nowMs);
	}

	/** Stops for good and removes its task from the driver. */
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
