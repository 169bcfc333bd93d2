/** The bridge between meter and Zigbee. */
import type { HostInfo, TextCodec } from "../io/host.js";
import type { Machine, Output } from "../io/machine.js";
import type { Readout } from "../readout/readout.js";
import type { Chip, ClusterClient, Incoming, RadioUser } from "./radio.js";

/** Who is told, inside calls of the bridge. */
export interface BridgeUser {
	/** State, network or values last sent may be others. */
	bridgeChanged(nowMs: number): void;
	/** Report settings of the coordinator, REPORTS_LIMIT bytes at most, to be handed in at the next start; empty: none. */
	keepReports(bytes: Uint8Array): void;
	/** Somebody wants to see which device it is, for so many seconds; 0: no more. */
	identify(seconds: number): void;
}

export interface BridgeOptions {
	/** Makes the chip's driver. */
	chip(user: RadioUser): Chip;
	readonly user: BridgeUser;
	readonly info: HostInfo;
	readonly text: TextCodec;
	/** Alkaline cells that the board has room for; 0: no Power Configuration cluster, and the supply is USB. */
	readonly cells: number;
	/** Which code feeds which attribute (mapOf of obis/mapping.ts). */
	readonly map: Uint8Array;
	/** As keepReports was given it; undefined: nothing is kept. */
	readonly reports: Uint8Array | undefined;
	readonly clients: readonly ClusterClient[];
}
