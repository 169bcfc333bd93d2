/**
 * A request body whose memory was claimed before it began, and is released when the body has been dealt with. A body can
 * take minutes: it is not acted on if the request's token has been revoked in the meantime.
 */
import type { BodySink } from "../http/handler.js";
import type { Cost } from "../io/memory.js";
import type { Exchange } from "./exchange.js";

export class ClaimedBody implements BodySink {
	readonly limit: number;
	readonly #inner: BodySink;
	readonly #exchange: Exchange;
	readonly #cost: Cost;

	private constructor(inner: BodySink, exchange: Exchange, cost: Cost) {
		this.limit = inner.limit;
		this.#inner = inner;
		this.#exchange = exchange;
		this.#cost = cost;
	}

	/** `open` makes what takes the body; undefined, and it is not made: there is no memory for it. */
	static open(exchange: Exchange, cost: Cost, open: () => BodySink): ClaimedBody | undefined {
		return exchange.core.ledger.claim(cost) ? new ClaimedBody(open(), exchange, cost) : undefined;
	}

	write(bytes: Uint8Array, start: number, end: number): void {
		this.#inner.write(bytes, start, end);
		// Answered before its end: nothing of it comes here any more.
		if (!this.#exchange.response.isOpen) this.release();
	}

	/** What is made of the body at its end, in one go, may look for memory of its own: the body takes no more. */
	end(): void {
		this.release();
		if (this.#exchange.failIfRevoked()) this.#inner.abort?.();
		else this.#inner.end();
	}

	abort(): void {
		this.release();
		this.#inner.abort?.();
	}

	private release(): void {
		this.#exchange.core.ledger.release(this.#cost);
	}
}
