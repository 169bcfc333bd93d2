/**
 * Interfaces between the parts of the Zigbee bridge, and the states of the radio.
 *
 *   io/link ── Bridge (bridge.ts) ── Coprocessor (coprocessor.ts): chip, network
 *                                 ├─ server clusters, reports
 *                                 └─ ClusterClients: Time, OTA Upgrade
 *
 * The bridge is one machine (io/machine.ts) for the driver. All objects below it get the time in each call and have no
 * clock.
 */
import type { Machine, Timed } from "../io/machine.js";

/** Logical type of the node, as in NV item 0x0087; the hardware variant determines it. */
export const ROLE_ROUTER = 1;
export const ROLE_END_DEVICE = 2;

/** Our only endpoint, its profile (Home Automation) and device (Meter Interface) (ZCL revision 8; Zigbee HA 1.2, 7.3). */
export const ENDPOINT = 1;
export const PROFILE = 0x0104;
export const DEVICE = 0x0053;

/** Turned off: held in reset or, if the reset line is not wired, reset and not started. */
export const RADIO_OFF = 0;
/** The chip is starting: reset, version, role, endpoint, network. */
export const RADIO_STARTING = 1;
/** The chip does not answer on the UART. Attempts to start it continue. */
export const RADIO_SILENT = 2;
/** The chip is not a usable ZNP: its firmware is of another kind or too old. */
export const RADIO_FOREIGN = 3;
/** The chip works and is not in a network. */
export const RADIO_IDLE = 4;
export const RADIO_JOINING = 5;
export const RADIO_JOINED = 6;
/** The end device has lost its parent but still belongs to the network. */
export const RADIO_ORPHAN = 7;
/** The chip is leaving and forgetting its network. */
export const RADIO_LEAVING = 8;

/** Values of `zigbee_state`, by RADIO_…. */
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

/** Tells whether the node belongs to a network, even if it has lost its parent. */
export function isJoined(state: number): boolean {
	return state === RADIO_JOINED || state === RADIO_ORPHAN;
}

/** Network of the node. Addresses and ids are as on the UART, least significant byte first. */
export interface Network {
	/** Channel, 11 to 26. */
	readonly channel: number;
	readonly panId: number;
	readonly shortAddress: number;
	/** 8 bytes. */
	readonly extendedPanId: Uint8Array;
}

/** A ZCL frame to send from our endpoint; `bytes[start..end)` are copied. */
export interface Outgoing {
	cluster: number;
	/** Short address and endpoint of the receiver. */
	destination: number;
	destinationEndpoint: number;
	bytes: Uint8Array;
	start: number;
	end: number;
}

/** A received ZCL frame for our endpoint. The buffer is reused: copy data that must last. */
export interface Incoming {
	cluster: number;
	source: number;
	sourceEndpoint: number;
	isBroadcast: boolean;
	bytes: Uint8Array;
	start: number;
	end: number;
}

export interface Radio {
	/** RADIO_…. */
	readonly state: number;
	/** IEEE address, 8 bytes, least significant first; undefined while unknown. */
	readonly ieeeAddress: Uint8Array | undefined;
	/** Present network; undefined except in RADIO_JOINED and RADIO_ORPHAN. */
	readonly network: Network | undefined;
	/** Firmware of the chip for display, such as `Z-Stack 3.x.0, 2025-03-21`; empty while unknown. */
	readonly firmware: string;
	/** True in a network while no frame of ours is in flight. */
	readonly canSend: boolean;
	/** Sends one frame; RadioUser.sent reports the result. Throws an Error if `canSend` is false. */
	send(frame: Outgoing, nowMs: number): void;
}

/** The driver with its commands. A new instance is created at each start of the gateway. */
export interface Chip extends Machine, Radio {
	/** Starts the chip, which returns to its network. Never joins a new one. */
	start(nowMs: number): void;
	/** Leaves and forgets the present network, and searches for another one for JOIN_MS. */
	join(nowMs: number): void;
	/** Leaves and forgets the network. */
	leave(nowMs: number): void;
	/** Turns the radio off (RADIO_OFF). */
	stop(nowMs: number): void;
	/** Registers the endpoint again because the clusters of the user have changed. */
	clustersChanged(nowMs: number): void;
	/** End of the search for a network, monotonic ms; 0 without a search. */
	readonly joiningUntilMs: number;
	/** True while the present or previous network has still to be forgotten. */
	readonly owesLeave: boolean;
}

/** Listener of the Radio, called inside its `receive` and `advance`. May send at once. */
export interface RadioUser {
	/** Clusters of the endpoint, ascending: those that it serves, and those of its clients. */
	readonly servers: readonly number[];
	readonly clients: readonly number[];
	/** `state` or `network` has changed. */
	radioChanged(nowMs: number): void;
	received(frame: Incoming, nowMs: number): void;
	/** The frame was delivered (0) or not: the status of AF_DATA_CONFIRM, or of the chip's refusal. */
	sent(status: number, nowMs: number): void;
}

/** A parsed ZCL frame (ZCL revision 8, 2.4.1). Its payload is `bytes[start..end)`. */
export interface ZCLFrame {
	/**
	 * Frame control as received: bits 0-1 frame type, 2 manufacturer specific, 3 direction (1: from server), 4 no default
	 * response.
	 */
	control: number;
	/** Manufacturer code; 0 if absent. */
	manufacturer: number;
	sequence: number;
	command: number;
	isBroadcast: boolean;
	bytes: Uint8Array;
	start: number;
	end: number;
}

/** Longest ZCL frame that is sent, bytes; longer ones would need fragmentation. */
export const ZCL_LIMIT = 80;

/** Client of a cluster of the coordinator. The bridge numbers and sends its requests. */
export interface ClusterClient extends Timed {
	/** Cluster id. */
	readonly cluster: number;
	/** The node has joined or rejoined a network; `left`: it is no longer in a network. */
	joined(nowMs: number): void;
	left(): void;
	/**
	 * A frame of this cluster for a client has arrived from `source`, endpoint `endpoint`; `frame` is valid during the call
	 * only.
	 */
	received(frame: ZCLFrame, source: number, endpoint: number, nowMs: number): void;
	/** True while there is a frame to send. */
	readonly isReady: boolean;
	/** True during an exchange that sleep must not interrupt. */
	isBusy(nowMs: number): boolean;
	/**
	 * Writes the next frame with the number `sequence` into `out.bytes` from 0 on, and sets `out.end` and the destination.
	 * Called only when `isReady`, and clears it.
	 */
	write(out: Outgoing, sequence: number, nowMs: number): void;
	/** The last frame was not delivered. */
	failed(nowMs: number): void;
	/**
	 * Writes type and value of a client attribute (ZCL 2.4.2) into `into` from `at` on; returns the end, or `at` if the
	 * attribute does not exist. Read commands for client attributes have the direction from server to client.
	 */
	readAttribute(id: number, into: Uint8Array, at: number): number;
	/** Ids of the attributes, ascending. */
	readonly attributes: readonly number[];
}
