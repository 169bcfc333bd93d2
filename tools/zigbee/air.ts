/**
 * The simulated air that coprocessors share. It decides who hears whom, delivers frames, and keeps frames that a parent
 * stores for a sleeping child.
 */
import type { Network } from "./nvram.js";

export const ARRIVED = 0;
export const NO_APS_ACK = 0xb7;
export const NO_MAC_ACK = 0xe9;
export const EXPIRED = 0xf0;

/** First of the three broadcast addresses: routers, nodes that always listen, all nodes. */
export const BROADCAST = 0xfff8;
export const TO_LISTENERS = 0xfffd;
const TO_EVERYBODY = 0xffff;

export interface AirFrame {
	readonly source: number;
	readonly sourceEndpoint: number;
	readonly destination: number;
	readonly destinationEndpoint: number;
	readonly profile: number;
	readonly cluster: number;
	readonly payload: Buffer;
	readonly wantsAck: boolean;
}

export interface Station {
	readonly ieee: Buffer;
	/** The node's network, or undefined if it has none or was not started. */
	readonly network: Network | undefined;
	/** True if the node receives only by polling its parent. */
	readonly isSleepy: boolean;
	readonly networkKey: Buffer;
	readonly isOpen: boolean;
	/** Receives a frame. Returns false if no endpoint accepted it. */
	hear(frame: AirFrame): boolean;
	/** Tells the coordinator that a new node has received the network key. */
	hasJoined(newcomer: Station): void;
	hasLeft(leaver: Station): void;
	/** Called when `network` has a new channel or PAN id. */
	hasMoved(): void;
}

export interface Timers {
	set(callback: () => void, delayMs: number): number;
	clear(id: number): void;
}

interface WaitingFrame {
	readonly child: Station;
	readonly frame: AirFrame;
	readonly done: (status: number) => void;
	readonly expiry: number;
}

export interface AirOptions {
	/** Timers. Default: Node's. */
	readonly timers?: Timers;
	readonly frameMs?: number;
	/** Time for which a parent stores a frame for a sleeping child. */
	readonly keptMs?: number;
	/** Time after which a sender gives up. */
	readonly retryMs?: number;
}

const nodeTimers: Timers = {
	set: (callback, delayMs) => Number(setTimeout(callback, delayMs)[Symbol.toPrimitive]()),
	clear: (id) => clearTimeout(id),
};

export class Air {
	readonly timers: Timers;
	readonly #stations = new Set<Station>();
	readonly #frameMs: number;
	readonly #keptMs: number;
	readonly #retryMs: number;
	#waitingFrames: WaitingFrame[] = [];
	#lastAddress = 0x114a;

	constructor({ timers = nodeTimers, frameMs = 1, keptMs = 8000, retryMs = 20 }: AirOptions = {}) {
		this.timers = timers;
		this.#frameMs = frameMs;
		this.#keptMs = keptMs;
		this.#retryMs = retryMs;
	}

	add(station: Station): void {
		this.#stations.add(station);
	}

	remove(station: Station): void {
		this.#stations.delete(station);
		this.forget(station);
	}

	members(network: Network): Station[] {
		return [...this.#stations].filter((station) => isSame(station.network, network));
	}

	/** Finds a station that the newcomer can join, on one of these channels, with this PAN id or any. */
	openTo(newcomer: Station, channelMask: number, panId: number | undefined): Station | undefined {
		return [...this.#stations].find((station) => {
			const { network } = station;
			if (station === newcomer || !station.isOpen || network === undefined) return false;
			return (channelMask & (2 ** network.channel)) !== 0 && (panId === undefined || panId === network.panId);
		});
	}

	newAddress(): number {
		let address = this.#lastAddress;
		const isTaken = () => [...this.#stations].some(({ network }) => network?.shortAddress === address);
		while (address === 0 || isTaken()) {
			address = (address * 0x5e2d + 0x1235) & 0x7fff;
		}
		this.#lastAddress = (address * 0x5e2d + 0x1235) & 0x7fff;
		return address;
	}

	find(network: Network, shortAddress: number): Station | undefined {
		return this.members(network).find((station) => station.network?.shortAddress === shortAddress);
	}

	/** Sends a frame. Calls `done` once, later, with the status. */
	send(from: Station, frame: AirFrame, done: (status: number) => void): void {
		const { network } = from;
		if (network === undefined) throw new Error("in no network");
		if (frame.destination >= BROADCAST) {
			for (const station of this.members(network)) {
				if (station === from) continue;
				if (!station.isSleepy) this.#soon(() => station.hear(frame));
				else if (frame.destination === TO_EVERYBODY) this.#keep(station, frame, () => {});
			}
			this.#soon(() => done(ARRIVED));
			return;
		}
		const target = this.find(network, frame.destination);
		if (target === undefined) this.timers.set(() => done(frame.wantsAck ? NO_APS_ACK : NO_MAC_ACK), this.#retryMs);
		else if (target.isSleepy && target !== from) this.#keep(target, frame, done);
		else this.#soon(() => this.#deliver(target, frame, done));
	}

	/**
	 * Fetches one frame from the parent. Returns false if the parent is gone. `received` gets true if more frames wait.
	 */
	poll(child: Station, received: (hasMore: boolean) => void): boolean {
		const { network } = child;
		if (network === undefined || this.find(network, network.parent) === undefined) return false;
		const index = this.#waitingFrames.findIndex((waiting) => waiting.child === child);
		if (index < 0) return true;
		const [{ frame, done, expiry }] = this.#waitingFrames.splice(index, 1);
		this.timers.clear(expiry);
		this.#soon(() => {
			this.#deliver(child, frame, done);
			received(this.#waitingFrames.some((waiting) => waiting.child === child));
		});
		return true;
	}

	forget(child: Station): void {
		for (const { expiry } of this.#waitingFrames.filter((waiting) => waiting.child === child))
			this.timers.clear(expiry);
		this.#waitingFrames = this.#waitingFrames.filter((waiting) => waiting.child !== child);
	}

	close(): void {
		for (const { expiry } of this.#waitingFrames) this.timers.clear(expiry);
		this.#waitingFrames = [];
		this.#stations.clear();
	}

	#keep(child: Station, frame: AirFrame, done: (status: number) => void): void {
		const expiry = this.timers.set(() => {
			this.#waitingFrames = this.#waitingFrames.filter((waiting) => waiting.frame !== frame || waiting.child !== child);
			done(EXPIRED);
		}, this.#keptMs);
		this.#waitingFrames.push({ child, frame, done, expiry });
	}

	#deliver(target: Station, frame: AirFrame, done: (status: number) => void): void {
		const isTaken = target.network !== undefined && target.hear(frame);
		done(isTaken || !frame.wantsAck ? ARRIVED : NO_APS_ACK);
	}

	#soon(run: () => void): void {
		this.timers.set(run, this.#frameMs);
	}
}

function isSame(one: Network | undefined, other: Network): boolean {
	return (
		one !== undefined &&
		one.panId === other.panId &&
		one.channel === other.channel &&
		one.extendedPanId.equals(other.extendedPanId)
	);
}
