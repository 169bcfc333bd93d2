/**
 * The time of a simulated line, for a computer that has other things to do. It goes with that of the computer, but stands
 * still while this process is kept from running: no wait of the meter is over before what came in it has been looked at,
 * and what was to be sent meanwhile is not sent all at once. It can be held as well.
 *
 * The event loop's turns are watched for that, as long as something is waited for.
 */

/** The loop is looked at so often. */
const LOOK_MS = 20;
/** The clock goes on so long without a turn of the loop. */
const LATE_MS = 50;

export class LineClock {
	/** Total time for which the clock has stood still, ms. */
	#lostMs = 0;
	/** When the loop last had looked at all that came, real time; undefined: it is not watched. */
	#seenMs: number | undefined;
	#isHeld = false;
	#timer: NodeJS.Timeout | undefined;

	/** Goes like performance.now(), and never before it. */
	get nowMs(): number {
		const realMs = performance.now();
		if (this.#seenMs === undefined) return realMs - this.#lostMs;
		return Math.min(realMs, this.#seenMs + this.#graceMs) - this.#lostMs;
	}

	/** Latest moment of performance.now() at which nothing had arrived yet. */
	get seenMs(): number {
		return this.#seenMs ?? performance.now();
	}

	get isWatching(): boolean {
		return this.#seenMs !== undefined;
	}

	/** Something is waited for, or nothing any more. */
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

	/** Stands still from now on, or goes on. Only while something is waited for. */
	hold(isHeld: boolean): void {
		if (isHeld === this.#isHeld) return;
		this.#look();
		this.#isHeld = isHeld;
	}

	/** Settles when it shows that time. */
	async until(timeMs: number): Promise<void> {
		for (let leftMs = timeMs - this.nowMs; leftMs > 0; leftMs = timeMs - this.nowMs) {
			await new Promise((resolve) => setTimeout(resolve, Math.ceil(leftMs)));
		}
	}

	get #graceMs(): number {
		return this.#isHeld ? 0 : LATE_MS;
	}

	#wait(): void {
		// Timers come before input in a turn of the loop, immediates after it.
		this.#timer = setTimeout(() => setImmediate(() => this.#turn()), LOOK_MS);
	}

	#turn(): void {
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
