/** Types between the HTTP server and its connections. */
import type { Task } from "../io/driver.js";
import type { ListenerPort, PendingSocket, TextCodec } from "../io/host.js";
import type { HTTPHandler } from "./handler.js";
import type { HTTPLimits } from "./limits.js";

export interface AcceptedConnection {
	readonly port: ListenerPort;
	readonly pending: PendingSocket;
	/** Monotonic ms. */
	readonly nowMs: number;
}

export interface OwnedConnection {
	readonly port: ListenerPort;
	close(): void;
}

/** As its connections see it. */
export interface ConnectionServer {
	readonly text: TextCodec;
	readonly handler: HTTPHandler;
	readonly limits: HTTPLimits;
	readonly task: Task;
	/** The deadline may have changed. */
	changed(): void;
	/** All other places of the port serve requests with a token (`isBusy`), or clients that sent one. */
	isLast(connection: OwnedConnection, isBusy: boolean): boolean;
	isFull(connection: OwnedConnection): boolean;
	closed(connection: OwnedConnection): void;
}
