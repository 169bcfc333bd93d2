/** What a connection of the HTTP server needs of the server, and is made from. Types only. */
import type { Task } from "../io/driver.js";
import type { ListenerPort, PendingSocket, TextCodec } from "../io/host.js";
import type { HTTPHandler } from "./handler.js";
import type { HTTPLimits } from "./limits.js";

/** A connection that a port has accepted. */
export interface AcceptedConnection {
	readonly port: ListenerPort;
	readonly pending: PendingSocket;
	/** When; monotonic ms. */
	readonly nowMs: number;
}

/** A connection as its server sees it. */
export interface OwnedConnection {
	readonly port: ListenerPort;
	close(): void;
}

/** What a connection needs of its server. */
export interface ConnectionServer {
	readonly text: TextCodec;
	readonly handler: HTTPHandler;
	readonly limits: HTTPLimits;
	/** All that changes the connection goes through it. */
	readonly task: Task;
	/** The connection's deadline may have changed. */
	changed(): void;
	/** All other places of its port but one are taken by requests with a token (`isBusy`), or by who has shown one. */
	isLast(connection: OwnedConnection, isBusy: boolean): boolean;
	/** No place is left on its port. */
	isFull(connection: OwnedConnection): boolean;
	/** The connection is no more. */
	closed(connection: OwnedConnection): void;
}
