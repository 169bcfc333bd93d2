/**
 * Time of a simulated line on a computer that may be busy. It follows the computer's time, but stops while this process
 * does not run. Therefore no timeout ends before received data have been processed, and delayed output does not pile
 * up.
 */

const LOOK_MS = 20;
/** The clock stops if no pass of the event loop ends within this time. */
const LATE_MS = 50;

export class LineClock {
	#lostMs = 0;
	/** Time until which all input was processed; undefined while the event loop is not observed. */
	#seenMs: number | undefined;
	#isStopped = false;
	#timer: NodeJS.Timeout | undefined;

	/** Advances like performance.now(), and is never ahead of it. */
	get nowMs(): number {
		const realMs = performance.now();
		if (this.#seenMs === undefined) return realMs - this.#lostMs;
		return Math.min(realMs, this.#seenMs + this.#graceMs) - this.#lostMs;
	}

	/** Time by performance.now() until which all input has been processed. */
	get seenMs(): number {
		return this.#seenMs ?? performance.now();
	}

	get isWatching(): boolean {
		return this.#seenMs !== undefined;
	}

	watch(isWanted: boolean): void {
		if (isWanted === this.isWatching) return;
		if (isWanted) {
			this.#seenMs = performance.now();
			this.#wait();
			return;
		}
		this.#look();
		this.#seenMs = undefined;
		clearTimeout(this.#timer);
	}

	hold(isStopped: boolean): void {
		if (isStopped === this.#isStopped) return;
		this.#look();
		this.#isStopped = isStopped;
	}

	async until(timeMs: number): Promise<void> {
		for (let leftMs = timeMs - this.nowMs; leftMs > 0; leftMs = timeMs - this.nowMs) {
			await new Promise((resolve) => setTimeout(resolve, Math.ceil(leftMs)));
		}
	}

	get #graceMs(): number {
		return this.#isStopped ? 0 : LATE_MS;
	}

	#wait(): void {
		// Node runs timers before input, and immediates after input.
		this.#timer = setTimeout(() => setImmediate(() => this.#tick()), LOOK_MS);
	}

	#tick(): void {
		if (!this.isWatching) return;
		this.#look();
		this.#wait();
	}

	#look(): void {
		if (this.#seenMs === undefined) return;
		const realMs = performance.now();
		this.#lostMs += Math.max(0, realMs - this.#seenMs - this.#graceMs);
		this.#seenMs = realMs;
	}
}
