/**
 * The time of a simulated meter: it goes on at the computer's speed, until the program that has started the meter says by a
 * message over its channel what time it is and how much faster it goes from now on: `{ utcMs, speed }`.
 */
export class ToldTime {
	#utcMs: number;
	#sinceMs = performance.now();
	#speed = 1;

	/** `utcMs`: Unix time now. */
	constructor(utcMs: number) {
		this.#utcMs = utcMs;
	}

	/** Unix time, ms. */
	get nowMs(): number {
		return this.#utcMs + (performance.now() - this.#sinceMs) * this.#speed;
	}

	/** Throws an Error at anything else than such a message. */
	tell(message: unknown): void {
		const { utcMs, speed } = message as { utcMs: unknown; speed: unknown };
		if (typeof utcMs !== "number" || typeof speed !== "number") throw new Error("a message of unknown kind");
		this.#utcMs = utcMs;
		this.#sinceMs = performance.now();
		this.#speed = speed;
	}
}
