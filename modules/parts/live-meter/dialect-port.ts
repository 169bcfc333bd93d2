/** Interfaces between the live service and a dialect that has its own port. */
import type { Core } from "../../core/core.js";
import type { Clients } from "./clients.js";

export interface LiveValues {
	readonly core: Core;
	readonly clients: Clients;
	/** Identifier of the unit in all dialects, 12 hex digits in capitals. */
	readonly id: string;
	/** False before the first readout after a start. */
	readonly hasBegun: boolean;
	/**
	 * Records that a client wants values. A meter that sends only on request is then read often (`Live.wantedToMs`).
	 * Returns false if there are no values, or if they are too old for the dialect.
	 */
	want(dialect: { readonly maxAgeMs: number }): boolean;
	/**
	 * Returns the shown values. If `row` is given, the powers are multiplied by the part that the client in this row
	 * gets.
	 */
	show(row?: number): Float64Array;
}

/** Port of a dialect. It exists while the dialect is on and the network is up. */
export interface DialectPort {
	measured?(): void;
	stop(): void;
}
