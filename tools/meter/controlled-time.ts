/**
 * Time of a simulated meter. It advances in real time until the parent process sends `{ utcMs, speed }`. These are the
 * present time, and the speed of the time from then on.
 */
export class ControlledTime {
	#utcMs: number;
	#sinceMs = performance.now();
	#speed = 1;

	constructor(utcMs: number) {
		this.#utcMs = utcMs;
	}

	get nowMs(): number {
		return this.#utcMs + (performance.now() - this.#sinceMs) * this.#speed;
	}

	setFrom(message: unknown): void {
		const { utcMs, speed } = message as { utcMs: unknown; speed: unknown };
		if (typeof utcMs !== "number" || typeof speed !== "number") throw new Error("a message of unknown kind");
		this.#utcMs = utcMs;
		this.#sinceMs = performance.now();
		this.#speed = speed;
	}
}
