/** Types between the HTTP server and its connections. */
import type { Task } from "../io/driver.js";
import type { ListenerPort, PendingSocket, TextCodec } from "../io/host.js";
import type { HTTPHandler } from "./handler.js";
import type { HTTPLimits } from "./limits.js";

export interface AcceptedConnection {
	readonly port: ListenerPort;
	readonly pending: PendingSocket;
	readonly nowMs: number;
}

export interface OwnedConnection {
	readonly port: ListenerPort;
	close(): void;
}

export interface ConnectionServer {
	readonly text: TextCodec;
	readonly handler: HTTPHandler;
	readonly limits: HTTPLimits;
	readonly task: Task;
	changed(): void;
	/**
	 * True if clients with a token have all other places of the connection's port. With `isBusy`, a client only counts
	 * while its request with a valid token is being handled.
	 */
	othersHoldAllPlaces(connection: OwnedConnection, isBusy: boolean): boolean;
	isFull(connection: OwnedConnection): boolean;
	closed(connection: OwnedConnection): void;
}
