/** Runs the gateway on a Host: in Node (engine-node.ts) or in XS in its own process (engine-xs.ts). */
export interface Engine {
	start(): Promise<void>;
	/** Resolves when everything is released. May be called twice. */
	stop(): Promise<void>;
	/**
	 * Resolves when all earlier events are handled. An engine that handles events immediately does not have this method.
	 */
	settled?(): Promise<void>;
	/** Number of slots in use after a collection, without those of the loaded code. Only XS has slots. */
	slots?(): Promise<number>;
}
