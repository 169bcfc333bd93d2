/** Queue that permits one handshake at a time, because a microcontroller has memory for only one. */
export class HandshakeQueue {
	readonly #soon: (run: () => void) => void;
	readonly #waiting: (() => void)[] = [];

	/** `soon` must run its argument later, in a separate event. */
	constructor(soon: (run: () => void) => void) {
		this.#soon = soon;
	}

	/**
	 * Calls `run` later, when the handshake may begin. Call the returned function once, to end the handshake or the
	 * waiting.
	 */
	ask(run: () => void): () => void {
		this.#waiting.push(run);
		if (this.#waiting.length === 1) this.#soon(() => this.#begin(run));
		return () => {
			const at = this.#waiting.indexOf(run);
			if (at < 0) return;
			this.#waiting.splice(at, 1);
			if (at === 0 && this.#waiting.length > 0) this.#begin(this.#waiting[0]);
		};
	}

	#begin(run: () => void): void {
		if (this.#waiting[0] === run) run();
	}
}
