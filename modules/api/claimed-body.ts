/**
 * Request body that claims memory until it ends. It is discarded if its token is revoked while it arrives, which may
 * take minutes.
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

	/** Returns undefined if memory is short. */
	static open(exchange: Exchange, cost: Cost, open: () => BodySink): ClaimedBody | undefined {
		return exchange.core.ledger.claim(cost) ? new ClaimedBody(open(), exchange, cost) : undefined;
	}

	write(bytes: Uint8Array, start: number, end: number): void {
		this.#inner.write(bytes, start, end);
		if (!this.#exchange.response.isOpen) this.release();
	}

	/** Releases the claim first, because processing the body may claim memory. */
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
