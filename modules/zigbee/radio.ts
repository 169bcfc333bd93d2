/**
 * What the parts of the Zigbee bridge are to each other. Types, and the states that everybody shows.
 *
 *   io/link ── Bridge (bridge.ts) ── Coprocessor (coprocessor.ts): chip, network
 *                                 ├─ server clusters, reports
 *                                 └─ ClusterClients: Time, OTA Upgrade
 *
 * The bridge is one machine (io/machine.ts) for the driver. All below it are told the time in each call and keep no clock.
 */
import type { Machine, Timed } from "../io/machine.js";

/** Logical type of the node, as NV item 0x0087 has it: the hardware variant says which (decision 46). */
export const ROLE_ROUTER = 1;
export const ROLE_END_DEVICE = 2;

/** The one endpoint, its profile (Home Automation) and device (Meter Interface) (ZCL revision 8; Zigbee HA 1.2, 7.3). */
export const ENDPOINT = 1;
export const PROFILE = 0x0104;
export const DEVICE = 0x0053;

/** Turned off: held in reset, or, where that line is not wired, reset and never started. */
export const RADIO_OFF = 0;
/** The chip is being started: reset, version, role, endpoint, its network. */
export const RADIO_STARTING = 1;
/** Nobody answers on the UART. It is tried again and again. */
export const RADIO_SILENT = 2;
/** The chip that answers is not a usable ZNP: another firmware, or one that is too old. */
export const RADIO_FOREIGN = 3;
/** It works, and is in no network. */
export const RADIO_IDLE = 4;
/** Looks for an open network to join. */
export const RADIO_JOINING = 5;
export const RADIO_JOINED = 6;
/** An end device that hears its parent no more. It belongs to the network still. */
export const RADIO_ORPHAN = 7;
/** Is leaving its network, and forgetting it. */
export const RADIO_LEAVING = 8;

/** By RADIO_…: as `zigbee_state` shows it. */
export const RADIO_CODES: readonly string[] = Object.freeze([
	"off",
	"starting",
	"silent",
	"foreign",
	"not_joined",
	"joining",
	"joined",
	"parent_lost",
	"leaving",
]);

/** It belongs to a network, whether it hears it or not. */
export function isJoined(state: number): boolean {
	return state === RADIO_JOINED || state === RADIO_ORPHAN;
}

/** The network that the node is in. The address and the id as they go over the UART, least significant byte first. */
export interface Network {
	/** 11 to 26. */
	readonly channel: number;
	readonly panId: number;
	readonly shortAddress: number;
	/** 8 bytes. */
	readonly extendedPanId: Uint8Array;
}

/** A ZCL frame on its way out, from our endpoint; `bytes[start..end)` are copied. */
export interface Outgoing {
	cluster: number;
	/** Short address and endpoint. */
	destination: number;
	destinationEndpoint: number;
	bytes: Uint8Array;
	start: number;
	end: number;
}

/** A ZCL frame that has come for our endpoint. It is used again: what must last is copied. */
export interface Incoming {
	cluster: number;
	source: number;
	sourceEndpoint: number;
	isBroadcast: boolean;
	bytes: Uint8Array;
	start: number;
	end: number;
}

/** The coprocessor's driver, as the bridge sees it. */
export interface Radio {
	/** RADIO_…. */
	readonly state: number;
	/** IEEE address, 8 bytes, least significant first; undefined while the chip has not told it. */
	readonly ieeeAddress: Uint8Array | undefined;
	/** In RADIO_JOINED and RADIO_ORPHAN. */
	readonly network: Network | undefined;
	/** What the chip runs, for its owner: `Z-Stack 3.x.0, 2025-03-21`; empty while it is not known. */
	readonly firmware: string;
	/** In a network, and no frame of ours is on its way. */
	readonly canSend: boolean;
	/** Sends one frame; RadioUser.sent tells how that went. Throws an Error when `canSend` is false. */
	send(frame: Outgoing, nowMs: number): void;
}

/** The Radio as the bridge runs and its owner commands it: a new machine for each start of the gateway. */
export interface Chip extends Machine, Radio {
	/** Starts the chip, which goes back to the network that it is in. Never joins one by itself. */
	start(nowMs: number): void;
	/** Leaves the network, if it is in one, forgets it, and looks for another for JOIN_MS. */
	join(nowMs: number): void;
	/** Leaves the network and forgets it. */
	leave(nowMs: number): void;
	/** RADIO_OFF. */
	stop(nowMs: number): void;
	/** The clusters of the user are others: the endpoint is registered anew. */
	clustersChanged(nowMs: number): void;
	/** When it stops looking for a network, monotonic ms; 0 when it does not look for one. */
	readonly joiningUntilMs: number;
	/** The network that it is in, or was, is still to be forgotten. */
	readonly owesLeave: boolean;
}

/** Told by the Radio, inside its `receive` and `advance`. May send at once. */
export interface RadioUser {
	/** Clusters of the endpoint, ascending: those it serves, and those it asks the coordinator by. */
	readonly servers: readonly number[];
	readonly clients: readonly number[];
	/** `state` or `network` is another. */
	radioChanged(nowMs: number): void;
	received(frame: Incoming, nowMs: number): void;
	/** The frame that was sent has arrived (0), or not: the status of AF_DATA_CONFIRM, or of the refusal by the chip. */
	sent(status: number, nowMs: number): void;
}

/** A ZCL frame, taken apart (ZCL revision 8, 2.4.1). Its payload is `bytes[start..end)`. */
export interface ZCLFrame {
	/** As it came: frame type in bits 0-1, manufacturer specific 2, direction 3 (1: from the server), no default response 4. */
	control: number;
	/** 0 where the frame names none. */
	manufacturer: number;
	sequence: number;
	command: number;
	isBroadcast: boolean;
	bytes: Uint8Array;
	start: number;
	end: number;
}

/** Longest ZCL frame that is sent, bytes: more would need fragments. */
export const ZCL_LIMIT = 80;

/** One of our client clusters: asks the coordinator by itself. The bridge numbers its requests and carries them. */
export interface ClusterClient extends Timed {
	/** Cluster id. */
	readonly cluster: number;
	/** The node is in a network from now on (again), or no more. */
	joined(nowMs: number): void;
	left(): void;
	/** A frame of this cluster has come from `source`, endpoint `endpoint`, that is for a client; `frame` holds during the call. */
	received(frame: ZCLFrame, source: number, endpoint: number, nowMs: number): void;
	/** It has something to send. */
	readonly isReady: boolean;
	/** It is in the middle of something: not a time to sleep. */
	isBusy(nowMs: number): boolean;
	/**
	 * Writes the next frame, whole, with `sequence` as its number, into `out.bytes` from 0 on and sets `out.end`, and where
	 * it goes. Only called when `isReady`; is not ready any more then.
	 */
	write(out: Outgoing, sequence: number, nowMs: number): void;
	/** The frame written last did not arrive. */
	failed(nowMs: number): void;
	/**
	 * Writes type and value of an attribute of the client's side (ZCL 2.4.2) into `into` from `at` on; where it ends, or
	 * `at` when there is none. Commands for reading carry the server's direction then.
	 */
	readAttribute(id: number, into: Uint8Array, at: number): number;
	/** The attributes that there are, ascending. */
	readonly attributes: readonly number[];
}
