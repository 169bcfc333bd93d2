/** What a connection of the HTTP server needs of the server, and is made from. Types only. */
import type { Drive } from "../io/driver.js";
import type { ListenerPort, PendingSocket, TextCodec } from "../io/host.js";
import type { HTTPHandler } from "./handler.js";
import type { HTTPLimits } from "./limits.js";

/** A connection that a port has accepted. */
export interface AcceptedConnection {
	readonly port: ListenerPort;
	readonly pending: PendingSocket;
	/** When; monotonic ms. */
	readonly nowMs: number;
	/** It has the port's last place, and ends with its first reply. */
	readonly isGuest: boolean;
}

/** What a connection needs of its server. */
export interface ConnectionOwner {
	readonly text: TextCodec;
	readonly handler: HTTPHandler;
	readonly limits: HTTPLimits;
	/** All that changes the connection goes through it. */
	readonly drive: Drive;
	/** The connection's deadline may have changed. */
	changed(): void;
	/** The connection is no more. */
	closed(connection: { close(): void }): void;
}
