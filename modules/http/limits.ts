/** Milliseconds; not while a handler works. */
export interface HTTPLimits {
	/** Head, first byte to end; also from acceptance to the first byte. */
	readonly headMs: number;
	/** Limit between two requests. */
	readonly idleMs: number;
	/** Limit between bytes of a body; for the whole body if the request has no token. */
	readonly bodyMs: number;
	/** Slow sink: between bytes, and for the whole body. */
	readonly slowMs: number;
	readonly slowTransferMs: number;
	/** Limit between bytes of the reply that the client accepts. */
	readonly writeMs: number;
	/** Limit for a whole body or reply. */
	readonly transferMs: number;
	/** Limit after a last reply while the client may be sending. */
	readonly lingerMs: number;
	/** Live body: longest silence; shortest time between pieces. */
	readonly beatMs: number;
	readonly pauseMs: number;
	/** No displacement after acceptance, first byte of a request, each accepted piece of a reply, and while lingering. */
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
