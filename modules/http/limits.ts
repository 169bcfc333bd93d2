/** Time limits of the HTTP server in milliseconds. They do not apply while a handler is working. */
export interface HTTPLimits {
	/** Limit from the first byte of a head to its end; also from accepting a connection to its first byte. */
	readonly headMs: number;
	/** Limit between two requests. */
	readonly idleMs: number;
	/** Limit between bytes of a body; for the whole body if the request has no token. */
	readonly bodyMs: number;
	/** Limits for a slow sink: between bytes of a body, and for the whole body. */
	readonly slowMs: number;
	readonly slowTransferMs: number;
	/** Limit between bytes of the reply that the client accepts. */
	readonly writeMs: number;
	/** Limit for a whole body or a whole reply. */
	readonly transferMs: number;
	/** Duration of lingering after a reply that ends the connection while the client may still be sending. */
	readonly lingerMs: number;
	/** Times for a live body: the longest silence, and the shortest time between two pieces. */
	readonly beatMs: number;
	readonly pauseMs: number;
	/**
	 * Grace period in which a connection cannot be displaced: after its acceptance, after the first byte of a request,
	 * after each piece of a reply that its client accepts, and while it lingers.
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
