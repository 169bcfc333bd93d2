/** Time limits of a connection, ms. None applies while a handler is working on its reply. */
export interface HTTPLimits {
	/**
	 * Maximum time from the acceptance of the connection to the first byte of the head, and from there to the end of
	 * the head.
	 */
	readonly headMs: number;
	/** Maximum time between two requests. */
	readonly idleMs: number;
	/** Maximum time between two bytes of a body; for a request without a token, maximum time for the whole body. */
	readonly bodyMs: number;
	/**
	 * Limits with a slow sink (BodySink): maximum time between two bytes, and for the whole body (`slowTransferMs`).
	 */
	readonly slowMs: number;
	readonly slowTransferMs: number;
	/** Maximum time between two bytes of the reply that the client accepts. */
	readonly writeMs: number;
	/** Maximum time for a whole body or reply. */
	readonly transferMs: number;
	/** Time for which the connection stays open after the last reply, because the client may still be sending. */
	readonly lingerMs: number;
	/** Longest silence of a live body (`beatMs`), and shortest time between two of its pieces (`pauseMs`). */
	readonly beatMs: number;
	readonly pauseMs: number;
	/**
	 * Replaces `pauseMs` after status 101. It is shorter, because the client of another protocol waits for each reply.
	 */
	readonly openPauseMs: number;
	/**
	 * Grace period, in which a connection is not displaced. It begins when the connection is accepted, with the first
	 * byte of a request, with each piece of a reply that the client accepts, and when the connection begins to linger.
	 */
	readonly graceMs: number;
	/** Idle time after which a connection is displaced before event streams, because its client may have forgotten it. */
	readonly longIdleMs: number;
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
	longIdleMs: 2_000,
});
