/**
 * Interfaces within the Zigbee bridge, and states of the radio.
 *
 *   io/link ── Bridge (bridge.ts) ── Coprocessor (coprocessor.ts): chip, network
 *                                 ├─ server clusters, reports
 *                                 └─ ClusterClients: Time, OTA Upgrade
 *
 * The bridge is one machine (io/machine.ts).
 */
import type { Machine, Timed } from "../io/machine.js";

/** Logical types of the node (NV 0x0087); the hardware variant decides which applies. */
export const ROLE_ROUTER = 1;
export const ROLE_END_DEVICE = 2;

/** Endpoint, profile (Home Automation) and device (Meter Interface) (ZCL revision 8; Zigbee HA 1.2, 7.3). */
export const ENDPOINT = 1;
export const PROFILE = 0x0104;
export const DEVICE = 0x0053;

/** The chip is in reset, or, without a reset line, was reset and not started. */
export const RADIO_OFF = 0;
export const RADIO_STARTING = 1;
/** The chip does not answer on the UART; attempts continue. */
export const RADIO_SILENT = 2;
/** The chip has no usable ZNP: its firmware is of another kind, or too old. */
export const RADIO_FOREIGN = 3;
export const RADIO_IDLE = 4;
export const RADIO_JOINING = 5;
export const RADIO_JOINED = 6;
/** The device is in the network, without a parent. */
export const RADIO_ORPHAN = 7;
export const RADIO_LEAVING = 8;

/** Values of `zigbee_state`, in the order of RADIO_…. */
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

export function isJoined(state: number): boolean {
	return state === RADIO_JOINED || state === RADIO_ORPHAN;
}

export interface Network {
	/** Channel, 11 to 26. */
	readonly channel: number;
	readonly panId: number;
	readonly shortAddress: number;
	/** Extended PAN id, 8 bytes, least significant byte first. */
	readonly extendedPanId: Uint8Array;
}

/** The bytes are copied. */
export interface Outgoing {
	cluster: number;
	/** Short address and endpoint of the receiver. */
	destination: number;
	destinationEndpoint: number;
	bytes: Uint8Array;
	start: number;
	end: number;
}

/** The buffer is reused: copy what must last. */
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
	readonly state: number;
	/** IEEE address, 8 bytes, least significant byte first; undefined while unknown. */
	readonly ieeeAddress: Uint8Array | undefined;
	/** Undefined except in RADIO_JOINED and RADIO_ORPHAN. */
	readonly network: Network | undefined;
	/** Such as `Z-Stack 3.x.0, 2025-03-21`; empty while unknown. */
	readonly firmware: string;
	/** The chip is in a network, and no frame of ours is in flight. */
	readonly canSend: boolean;
	/** `RadioListener.sent` reports the result. Throws unless `canSend`. */
	send(frame: Outgoing, nowMs: number): void;
}

export interface Chip extends Machine, Radio {
	/** The chip returns to its network and never joins another. */
	start(nowMs: number): void;
	join(nowMs: number): void;
	leave(nowMs: number): void;
	stop(nowMs: number): void;
	clustersChanged(nowMs: number): void;
	/** Monotonic ms; 0 without a search. */
	readonly joiningUntilMs: number;
	readonly owesLeave: boolean;
}

/** Called inside `receive` and `advance`. It may send at once. */
export interface RadioListener {
	readonly servers: readonly number[];
	readonly clients: readonly number[];
	radioChanged(nowMs: number): void;
	received(frame: Incoming, nowMs: number): void;
	/** `status`: 0 if delivered, otherwise that of AF_DATA_CONFIRM or of the chip's refusal. */
	sent(status: number, nowMs: number): void;
}

/** ZCL revision 8, 2.4.1; the payload is `bytes[start..end)`. */
export interface ZCLFrame {
	/** Bits 0-1 frame type, 2 manufacturer specific, 3 from server, 4 no default response. */
	control: number;
	manufacturer: number;
	sequence: number;
	command: number;
	isBroadcast: boolean;
	bytes: Uint8Array;
	start: number;
	end: number;
}

/** Bytes; a longer one would need fragmentation. */
export const ZCL_LIMIT = 80;

export interface ClusterClient extends Timed {
	readonly cluster: number;
	joined(nowMs: number): void;
	left(): void;
	/** The frame is valid only during the call. */
	received(frame: ZCLFrame, source: number, endpoint: number, nowMs: number): void;
	readonly isReady: boolean;
	/** Sleep must not interrupt the exchange. */
	isBusy(nowMs: number): boolean;
	/** Writes `out.bytes` from 0 on, sets `out.end` and the destination, and clears `isReady`. */
	write(out: Outgoing, sequence: number, nowMs: number): void;
	/** The last frame was not delivered. */
	failed(nowMs: number): void;
	/** Type and value (ZCL 2.4.2); returns the end, `at` if the attribute does not exist. */
	readAttribute(id: number, into: Uint8Array, at: number): number;
	readonly attributes: readonly number[];
}
