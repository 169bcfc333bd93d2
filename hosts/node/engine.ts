/** Engine for the gateway on a Host: Node itself (engine-node.ts) or XS in its own process (engine-xs.ts). */
export interface Engine {
	/** Resolves when the gateway's `start` has returned. */
	start(): Promise<void>;
	/** Resolves when the gateway's `stop` has returned and everything is released. May be called twice. */
	stop(): Promise<void>;
	/** Resolves when the gateway has handled all events so far; absent in an engine that handles them at once. */
	settled?(): Promise<void>;
}
