/** Time limits, ms; they do not apply while a handler works. */
export interface HTTPLimits {
	/** Time from the first byte of the head to its end; also from the acceptance of a connection to the first byte. */
	readonly headMs: number;
	/** Time between two requests. */
	readonly idleMs: number;
	/** Limit between two bytes of a body; if the request has no token, limit for the whole body. */
	readonly bodyMs: number;
	/** Limits with a slow sink: between bytes, and for the whole body. */
	readonly slowMs: number;
	readonly slowTransferMs: number;
	/** Time between bytes of the reply that the client accepts. */
	readonly writeMs: number;
	/** Time of the whole body or reply. */
	readonly transferMs: number;
	/** Time after a connection's last reply, while the client may still be sending. */
	readonly lingerMs: number;
	/** Longest silence of a live body, and shortest time between two of its pieces. */
	readonly beatMs: number;
	readonly pauseMs: number;
	/** The same pause after status 101, where a client waits for each reply. */
	readonly openPauseMs: number;
	/**
	 * Time in which a connection is not displaced: after its acceptance, after the first byte of a request, after each
	 * accepted piece of a reply, and while it lingers.
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
	openPauseMs: 50,
	graceMs: 1_000,
});
