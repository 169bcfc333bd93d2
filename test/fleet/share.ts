/** Questions to a process of the fleet (worker.ts), and its answers. */
import type { ConnectionEvent, Traffic } from "./connection-log.js";

/** Gateways of a worker, and the flash of each. */
export interface Share {
	readonly first: number;
	readonly count: number;
	readonly utcMs: number;
	/** Settings of a gateway, by key in flash. */
	readonly settings: readonly (readonly [key: string, base64: string])[];
}

export type Question =
	| ({ readonly ask: "start" } & Share)
	| { readonly ask: "pace"; readonly speed: number }
	| { readonly ask: "counts" };

/** Sums of all gateways of the worker; from the start unless said otherwise. */
export interface Counts {
	/** Time of the gateways, ms. */
	readonly virtualMs: number;
	/** Gateways with an MQTT session now. */
	readonly connected: number;
	readonly sessions: number;
	/** Messages that the broker has acknowledged. */
	readonly published: number;
	/** Acknowledged messages in each second of the gateways since the last question. */
	readonly perSecond: readonly number[];
	/** Connections since the last question. */
	readonly connections: readonly ConnectionEvent[];
	readonly traffic: readonly (readonly [port: number, Traffic])[];
	readonly cpuMs: number;
	readonly memoryBytes: number;
	/** Messages of the gateways about faults. */
	readonly faults: readonly string[];
}

export const serialOf = (number: number): string => `FLEET${String(number).padStart(5, "0")}`;

export function sum(numbers: readonly number[]): number {
	return numbers.reduce((all, one) => all + one, 0);
}
