/**
 * Interfaces between the objects of the Zigbee bridge, and states of the radio.
 *
 *   io/link ── Bridge (bridge.ts) ── Coprocessor (coprocessor.ts): chip, network
 *                                 ├─ server clusters, reports
 *                                 └─ ClusterClients: Time, OTA Upgrade
 *
 * The bridge is one machine (io/machine.ts).
 */
import type { LinkMachine, Timed } from "../io/machine.js";

/** Logical types of a Zigbee node (NV 0x0087). The board determines which one is used. */
export const ROLE_ROUTER = 1;
export const ROLE_END_DEVICE = 2;

/**
 * Endpoint of the gateway, with its profile (Home Automation) and device type (Meter Interface) (ZCL revision 8; Zigbee
 * HA 1.2, 7.3).
 */
export const ENDPOINT = 1;
export const PROFILE = 0x0104;
export const DEVICE = 0x0053;

/** The chip is in reset. If the board has no reset line, the chip was reset and not started. */
export const RADIO_OFF = 0;
export const RADIO_STARTING = 1;
/** The chip does not answer on the UART. Further attempts follow. */
export const RADIO_SILENT = 2;
/** The chip has no usable ZNP, because its firmware is of another kind or too old. */
export const RADIO_FOREIGN = 3;
export const RADIO_IDLE = 4;
export const RADIO_JOINING = 5;
export const RADIO_JOINED = 6;
/** The device belongs to a network, but has lost its parent. */
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
	/** Radio channel, 11 to 26. */
	readonly channel: number;
	readonly panId: number;
	readonly shortAddress: number;
	/** Extended PAN id, 8 bytes, least significant byte first. */
	readonly extendedPanId: Uint8Array;
}

/** Frame to send. Its bytes are copied. */
export interface Outgoing {
	cluster: number;
	/** Short address and endpoint of the receiver. */
	destination: number;
	destinationEndpoint: number;
	bytes: Uint8Array;
	start: number;
	end: number;
}

/** Received frame. The buffer is reused, so copy bytes that are needed longer. */
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
	/** IEEE address, 8 bytes, least significant byte first; undefined as long as it is unknown. */
	readonly ieeeAddress: Uint8Array | undefined;
	/** Network; undefined except in RADIO_JOINED and RADIO_ORPHAN. */
	readonly network: Network | undefined;
	/** Name and date of the firmware, such as `Z-Stack 3.x.0, 2025-03-21`; empty as long as it is unknown. */
	readonly firmware: string;
	/** True if the chip is in a network, and no frame of the gateway is in flight. */
	readonly canSend: boolean;
	/** Sends a frame; `RadioListener.sent` is called with the result. Throws unless `canSend`. */
	send(frame: Outgoing, nowMs: number): void;
}

export interface Chip extends LinkMachine, Radio {
	/** Starts the chip. It returns to its network and joins no other. */
	start(nowMs: number): void;
	join(nowMs: number): void;
	leave(nowMs: number): void;
	stop(nowMs: number): void;
	clustersChanged(nowMs: number): void;
	/** End of the search for a network, monotonic ms; 0 if none is in progress. */
	readonly joiningUntilMs: number;
	readonly owesLeave: boolean;
}

/** Its methods are called inside `receive` and `advance`. They may send immediately. */
export interface RadioListener {
	readonly servers: readonly number[];
	readonly clients: readonly number[];
	radioChanged(nowMs: number): void;
	received(frame: Incoming, nowMs: number): void;
	/**
	 * Result of a frame. `status`: 0 if it was delivered, otherwise the status of AF_DATA_CONFIRM or of the chip's
	 * refusal.
	 */
	sent(status: number, nowMs: number): void;
}

/** A ZCL frame (ZCL revision 8, 2.4.1). Its payload is `bytes[start..end)`. */
export interface ZCLFrame {
	/** Frame control. Bits 0 and 1: frame type; 2: manufacturer specific; 3: from server; 4: no default response. */
	control: number;
	manufacturer: number;
	sequence: number;
	command: number;
	isBroadcast: boolean;
	bytes: Uint8Array;
	start: number;
	end: number;
}

/** Maximum length of a ZCL frame, bytes. A longer frame would have to be fragmented. */
export const ZCL_LIMIT = 80;

export interface ClusterClient extends Timed {
	readonly cluster: number;
	joined(nowMs: number): void;
	left(): void;
	/** Processes a frame, which is valid only during the call. */
	received(frame: ZCLFrame, source: number, endpoint: number, nowMs: number): void;
	readonly isReady: boolean;
	/** True if a sleep must not interrupt the client's exchange. */
	isBusy(nowMs: number): boolean;
	/** Writes a request to `out.bytes` from offset 0 on, sets `out.end` and the destination, and clears `isReady`. */
	write(out: Outgoing, sequence: number, nowMs: number): void;
	/** The client's last frame was not delivered. */
	failed(nowMs: number): void;
	/**
	 * Writes type and value of an attribute (ZCL 2.4.2). Returns the end, which is `at` if the attribute does not exist.
	 */
	readAttribute(id: number, into: Uint8Array, at: number): number;
	readonly attributes: readonly number[];
}
