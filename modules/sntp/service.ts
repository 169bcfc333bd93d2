/**
 * Connects the SNTP client (client.ts) to the network: resolves names, opens a UDP port for each request, and reads the
 * replies. parts/network/services.ts starts it when the network is up.
 *
 * When the client's `generation` changes, the previous port is closed. In FINDING, the name is resolved; in ASKING, a
 * port is opened and the request is sent. A failure of the port counts as a missing reply. Limit: DATAGRAMS_AT_ONCE
 * datagrams per callback.
 */
import type { DatagramDeps } from "../io/datagrams.js";
import type { ScheduledMachine, Task } from "../io/driver.js";
import type { Network, UDP } from "../io/host.js";
import { SYNC_ASKING, SYNC_FINDING, TimeSync, type TimeSyncDeps } from "./client.js";

export interface ClockListener {
	/** Called when the clock was set. */
	clockChanged(): void;
}

export interface TimeServiceDeps extends DatagramDeps, TimeSyncDeps {
	/** The network object itself, because `resolve` must be called as its method. */
	readonly network: Pick<Network, "resolve">;
	readonly clockListener: ClockListener;
	trace(message: string): void;
}

const DATAGRAMS_AT_ONCE = 16;

export class TimeService implements ScheduledMachine {
	readonly sync: TimeSync;
	readonly #deps: TimeServiceDeps;
	readonly #task: Task;
	#generation = 0;
	#socket: UDP | undefined;
	#reportedMs: number | undefined;

	constructor(deps: TimeServiceDeps) {
		this.#deps = deps;
		this.sync = new TimeSync(deps);
		this.#task = deps.driver.register("time", this);
	}

	start(): void {
		this.#task.update((nowMs) => this.sync.start(nowMs));
	}

	stop(): void {
		this.#task.update(() => this.sync.stop());
	}

	get deadlineMs(): number {
		return this.sync.deadlineMs;
	}

	advance(nowMs: number): void {
		this.sync.advance(nowMs);
	}

	close(): void {
		this.stop();
		this.#task.stop();
	}

	drain(): void {
		const { sync } = this;
		if (sync.generation === this.#generation) return;
		this.#generation = sync.generation;
		this.#socket?.close();
		this.#socket = undefined;
		const { state, lastSuccessMs } = sync;
		if (state === SYNC_FINDING) this.find(sync.generation);
		else if (state === SYNC_ASKING) this.ask();
		if (lastSuccessMs === this.#reportedMs) return;
		this.#reportedMs = lastSuccessMs;
		this.#deps.clockListener.clockChanged();
	}

	private find(generation: number): void {
		this.#deps.network.resolve?.(this.sync.name, (address) => {
			this.#task.fromHost((nowMs) => this.sync.found(generation, address, nowMs));
		});
	}

	private ask(): void {
		const { udp, buffer } = this.#deps;
		const socket = new udp.io({
			...udp.pins,
			port: 0,
			onReadable: () => this.#task.fromHost((nowMs) => this.read(nowMs)),
			onError: () => this.#task.fromHost((nowMs) => this.sync.lost(nowMs)),
		});
		this.#socket = socket;
		socket.write(buffer.subarray(0, this.sync.putQuestion()), this.sync.address, this.sync.port);
	}

	private read(nowMs: number): void {
		const { sync } = this;
		const socket = this.#socket;
		for (let count = 0; count < DATAGRAMS_AT_ONCE && sync.generation === this.#generation; count++) {
			const length = socket?.read(this.#deps.buffer);
			if (socket === undefined || length === undefined) return;
			sync.received(length, socket, nowMs);
		}
	}
}
