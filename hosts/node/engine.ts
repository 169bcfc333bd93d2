/** Runs the gateway on a Host: in Node (engine-node.ts) or in XS in its own process (engine-xs.ts). */
export interface Engine {
	start(): Promise<void>;
	/** Resolves when everything is released. May be called twice. */
	stop(): Promise<void>;
	/** Resolves when all events so far are handled. Absent in an engine that handles them at once. */
	settled?(): Promise<void>;
}
