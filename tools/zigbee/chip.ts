/** The simulated coprocessor (coprocessor.ts) as its commands, its ZDO and its network life know it. */
import type { Air, AirFrame, Station } from "./air.js";
import type { Faults } from "./faults.js";
import type { Network, NVMemory } from "./nvram.js";

export interface Endpoint {
	readonly profile: number;
	readonly device: number;
	readonly version: number;
	readonly inputs: readonly number[];
	readonly outputs: readonly number[];
}

/**
 * A row of the binding table. It binds up to `CoprocessorOptions.boundClusters` clusters to one endpoint of one node.
 */
export interface Binding {
	readonly endpoint: number;
	readonly destination: Buffer;
	readonly destinationEndpoint: number;
	readonly clusters: number[];
}

export interface Chip extends Station {
	readonly air: Air;
	readonly nv: NVMemory;
	/** Faults, which may be changed at any time. */
	readonly faults: Faults;
	readonly version: Buffer;
	readonly bindingLimit: number;
	readonly clusterLimit: number;
	readonly stepMs: number;
	readonly pollMs: number;
	/** The members from here to `polling` are lost at each start. */
	readonly endpoints: Map<number, Endpoint>;
	bindings: Binding[];
	/** Clusters whose frames are copied to the host; 0xFFFF for all. */
	readonly watched: Set<number>;
	channels: { primary: number; secondary: number };
	role: number;
	/** State as in ZDO_STATE_CHANGE_IND. */
	devState: number;
	network: Network | undefined;
	/** True if BDB was started since the last start of the chip. */
	hasBegun: boolean;
	readonly polling: { start(): void; setRate(kinds: number, intervalMs: number): void };

	/** Restarts because of the watchdog; the contents of RAM are lost. */
	restart(): void;
	/** Calls `run` after the delay, unless the chip restarts before. */
	after(delayMs: number, run: () => void): number;
	forget(timer: number): void;
	say(subsystem: number, command: number, data: Uint8Array | readonly number[]): void;
	nextSequence(): number;
	/** Opens the network for this time. 0 closes it; 255 means no limit. */
	open(seconds: number): void;
	transmit(frame: AirFrame): void;
	sendData(frame: AirFrame, transaction: number): void;
}

/** A command from the host. Returns the data of its answer. Throws a RangeError if the command is too short. */
export type Command = (chip: Chip, data: Buffer) => Uint8Array | readonly number[];
export type Commands = Readonly<Record<number, Command>>;
