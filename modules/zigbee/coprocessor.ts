/** The face of the coprocessor's driver; what is behind it follows. */
import type { CoprocessorPort } from "../io/host.js";
import type { Machine, Output } from "../io/machine.js";
import type { Network, Outgoing, Radio, RadioUser } from "./radio.js";

/** Cluster ids of the endpoint's simple descriptor; read anew at each registration. */
export interface EndpointClusters {
	readonly servers: readonly number[];
	readonly clients: readonly number[];
}

export interface CoprocessorOptions {
	/** ROLE_…. */
	readonly role: number;
	readonly user: RadioUser;
	readonly clusters: EndpointClusters;
	/** `setLines` of the port, where the lines are wired. */
	readonly setLines?: CoprocessorPort["setLines"];
}

export declare class Coprocessor implements Machine, Radio {
	constructor(options: CoprocessorOptions);
	readonly state: number;
	readonly ieeeAddress: Uint8Array | undefined;
	readonly network: Network | undefined;
	readonly firmware: string;
	readonly canSend: boolean;
	/** A leave is still owed: `leave`, `join` or `start` wanted it, and the chip has not forgotten its network yet. */
	readonly owesLeave: boolean;
	/** Seconds that it will go on looking for a network; 0: it does not look. */
	joiningSecs(nowMs: number): number;
	/** Starts the chip and restores its network. `forget`: a leave is owed, so it leaves it, forgets it, and does not join. */
	start(forget: boolean, nowMs: number): void;
	/** Turned off: the chip is held in reset, or reset and not started. */
	stop(nowMs: number): void;
	/** Leaves and forgets the network, if any, then looks for 5 minutes for an open one. Nothing while it is off. */
	join(nowMs: number): void;
	/** Leaves and forgets the network. What the chip can't do now it does when it is back; see `owesLeave`. */
	leave(nowMs: number): void;
	/** `clusters` are others: registers the endpoint anew. */
	clustersChanged(nowMs: number): void;
	send(frame: Outgoing, nowMs: number): void;
	receive(bytes: Uint8Array, start: number, end: number, nowMs: number): void;
	advance(nowMs: number): void;
	readonly deadlineMs: number;
	poll(): Output;
}
