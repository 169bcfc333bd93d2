/** Interfaces between the live service and a dialect with a port of its own. */
import type { Core } from "../core/core.js";
import type { Clients } from "./clients.js";

export interface LiveValues {
	readonly core: Core;
	readonly clients: Clients;
	/** Identifier of the unit in all dialects, 12 hex digits in capitals. */
	readonly id: string;
	/**
	 * Records that a client wants values, so that a meter that sends only on request is read often (`Live.wantedToMs`).
	 * Returns false without values, or if they are too old for the dialect.
	 */
	want(dialect: { readonly maxAgeMs: number }): boolean;
	/** Returns the shown values. With `row`, the powers are multiplied by the part of the client in this row. */
	show(row?: number): Float64Array;
}

/** Port of a dialect; exists while the dialect is on and there is a network. */
export interface DialectPort {
	measured?(): void;
	stop(): void;
}
