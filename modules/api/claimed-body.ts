/** A body of a request whose memory was claimed before it began: it is given back when the body has been dealt with. */
import type { BodySink } from "../http/handler.js";
import type { Cost, MemoryLedger } from "../io/memory.js";

export class ClaimedBody implements BodySink {
	readonly limit: number;
	readonly #inner: BodySink;
	readonly #ledger: MemoryLedger;
	readonly #cost: Cost;

	private constructor(inner: BodySink, ledger: MemoryLedger, cost: Cost) {
		this.limit = inner.limit;
		this.#inner = inner;
		this.#ledger = ledger;
		this.#cost = cost;
	}

	/** `open` makes what takes the body; undefined, and it is not made: there is no memory for it. */
	static open(ledger: MemoryLedger, cost: Cost, open: () => BodySink): ClaimedBody | undefined {
		return ledger.claim(cost) ? new ClaimedBody(open(), ledger, cost) : undefined;
	}

	write(bytes: Uint8Array, start: number, end: number): void {
		this.#inner.write(bytes, start, end);
	}

	end(): void {
		try {
			this.#inner.end();
		} finally {
			this.#ledger.release(this.#cost);
		}
	}

	abort(): void {
		this.#ledger.release(this.#cost);
		this.#inner.abort?.();
	}
}
