/**
 * Receiver of a request body that claims memory until the body ends. A body may take minutes to arrive. If the token of
 * the request is revoked in this time, the body is discarded.
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

	/** Claims memory and opens the receiver of the body. Returns undefined if memory is short. */
	static open(exchange: Exchange, cost: Cost, open: () => BodySink): ClaimedBody | undefined {
		return exchange.core.ledger.claim(cost) ? new ClaimedBody(open(), exchange, cost) : undefined;
	}

	write(bytes: Uint8Array, start: number, end: number): void {
		this.#inner.write(bytes, start, end);
		if (!this.#exchange.response.isOpen) this.release();
	}

	/** Releases the claim before it ends the body, because processing the body may claim memory again. */
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
