/** Time limits, ms; they do not apply while a handler works. */
export interface HTTPLimits {
	/** Time from the acceptance to the first byte of the head, and from there to its end. */
	readonly headMs: number;
	/** Time between two requests. */
	readonly idleMs: number;
	/** Limit between two bytes of a body; if the request has no token, limit for the whole body. */
	readonly bodyMs: number;
	/** Limits with a slow sink: time between two bytes, and time for the whole body. */
	readonly slowMs: number;
	readonly slowTransferMs: number;
	/** Time between two bytes of the reply that the client accepts. */
	readonly writeMs: number;
	/** Time for a whole body or reply. */
	readonly transferMs: number;
	/** Time after the last reply, while the client may still be sending. */
	readonly lingerMs: number;
	/** Longest silence of a live body, and shortest time between two of its pieces. */
	readonly beatMs: number;
	readonly pauseMs: number;
	/** Replaces `pauseMs` after status 101. It is shorter, because a client then waits for each reply. */
	readonly openPauseMs: number;
	/**
	 * Grace period, in which a connection is not displaced: after the acceptance, after the first byte of a request,
	 * after each accepted piece of a reply, and while lingering.
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
