/**
 * Engine that runs the gateway on a Host: Node itself (engine-node.ts) or XS in a process of its own (engine-xs.ts).
 */
export interface Engine {
	/** Settles when the gateway's `start` has returned. */
	start(): Promise<void>;
	/** Settles when the gateway's `stop` has returned and nothing of it is left. May be called twice. */
	stop(): Promise<void>;
	/** Settles when the gateway has handled all events sent so far; absent in an engine that does so at once. */
	settled?(): Promise<void>;
}
