/** Time limits of the HTTP server, milliseconds. None runs while a handler is thinking. */
export interface HTTPLimits {
	/** From the first byte of a head to its end; also what a new connection has for its first byte. */
	readonly headMs: number;
	/** Between two requests. */
	readonly idleMs: number;
	/** Without a byte of the body; a whole body where no token was shown. */
	readonly bodyMs: number;
	/** The same of a body that is taken slowly, and the whole of it. */
	readonly slowMs: number;
	readonly slowTransferMs: number;
	/** Without the client taking a byte of the reply. */
	readonly writeMs: number;
	/** A whole body, or a whole reply, however steadily it trickles. */
	readonly transferMs: number;
	/** After a reply that ends the connection while the client may still be sending. */
	readonly lingerMs: number;
	/** For a body that comes as things happen: the longest silence, and the shortest time between two pieces. */
	readonly beatMs: number;
	readonly pauseMs: number;
	/**
	 * For which a connection is safe from being displaced by a newer one: after it came, after the first byte of a request,
	 * after each piece of a reply that its client took, and while it lingers.
	 */
	readonly graceMs: number;
}

export const DEFAULT_LIMITS: HTTPLimits = Object.freeze({
	headMs: 10_000,
	idleMs: 30_000,
	bodyMs: 10_000,
	slowMs: 30_000,
	slowTransferMs: 900_000,
	writeMs: 20_000,
	transferMs: 300_000,
	lingerMs: 2_000,
	beatMs: 15_000,
	pauseMs: 250,
	graceMs: 1_000,
});
