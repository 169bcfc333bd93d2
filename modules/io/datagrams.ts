/**
 * A UDP port that is kept open: what multicast DNS and the captive name server are made on. One that can't be had, or has gone, is tried
 * again every RETRY_MS. Limits: DATAGRAMS_AT_ONCE are read in one go, then the others have their turn.
 */
import type { Timers, UDP, UDPOptions, UDPPort } from "./host.js";

/** What the users of UDP share: one object for all. */
export interface DatagramWorld {
	readonly udp: UDPPort;
	readonly timers: Timers;
	/** DATAGRAM_LIMIT bytes, one for all: what is in it counts until the next one reads or writes. */
	readonly buffer: Uint8Array;
	guard(part: string, run: () => void): void;
	trace(message: string): void;
}

export const RETRY_MS = 30_000;
const DATAGRAMS_AT_ONCE = 16;

export abstract class Datagrams<World extends DatagramWorld> {
	protected readonly world: World;
	#socket: UDP | undefined;
	#timer: number | undefined;

	constructor(world: World) {
		this.world = world;
	}

	/** For guard and trace. */
	protected abstract get part(): string;

	protected abstract get port(): Pick<UDPOptions, "port" | "group" | "accessPoint">;

	/** The port is there, or there again. */
	protected abstract opened(): void;

	/** One datagram, in `buffer[0..length)`; where it came from stands in `socket`. */
	protected abstract received(length: number, socket: UDP): void;

	/** Undefined while the port can't be had. */
	protected get socket(): UDP | undefined {
		return this.#socket;
	}

	protected open(): void {
		this.close();
		const { udp, trace } = this.world;
		try {
			this.#socket = new udp.io({
				...udp.pins,
				...this.port,
				onReadable: () => this.guarded(() => this.read()),
				onError: () => this.guarded(() => this.lost()),
			});
		} catch (error) {
			trace(`${this.part}: ${error instanceof Error ? error.message : String(error)}`);
			this.later(() => this.open(), RETRY_MS);
			return;
		}
		this.opened();
	}

	protected close(): void {
		if (this.#timer !== undefined) this.world.timers.clear(this.#timer);
		this.#timer = undefined;
		this.#socket?.close();
		this.#socket = undefined;
	}

	protected guarded(run: () => void): void {
		this.world.guard(this.part, run);
	}

	private later(run: () => void, delayMs: number): void {
		this.#timer = this.world.timers.set(() => {
			this.#timer = undefined;
			this.guarded(run);
		}, delayMs);
	}

	private lost(): void {
		this.close();
		this.world.trace(`${this.part}: the port is gone`);
		this.later(() => this.open(), RETRY_MS);
	}

	private read(): void {
		const { buffer } = this.world;
		for (let count = 0; count < DATAGRAMS_AT_ONCE; count++) {
			// A datagram may end in closing it.
			const socket = this.#socket;
			const length = socket?.read(buffer);
			if (socket === undefined || length === undefined) return;
			// Nobody can be answered at port 0.
			if (socket.remotePort !== 0) this.guarded(() => this.received(length, socket));
		}
		if (this.#timer === undefined) this.later(() => this.read(), 0);
	}
}
