/**
 * Retained memory for two: a front of fixed length, which power-saving.ts has, and behind it what starts.ts keeps.
 *
 *   offset  bytes         what
 *   0       1             layout, 2: without the front it was 1
 *   1       FRONT_LENGTH  the front
 *   ...                   the rest, of any length
 */
import type { Retained } from "../io/flash.js";

export const FRONT_LENGTH = 63;

const LAYOUT = 2;
const HEADER_LENGTH = 1 + FRONT_LENGTH;

/** For who has the rest. */
export class SharedRetained implements Retained {
	/** Zeros where nothing was retained. Takes effect by `keep`. */
	readonly front = new Uint8Array(FRONT_LENGTH);
	readonly size: number;
	readonly #retained: Retained;
	#rest: Uint8Array | undefined;

	constructor(retained: Retained) {
		this.#retained = retained;
		this.size = retained.size - HEADER_LENGTH;
		const whole = retained.read();
		if (whole?.[0] !== LAYOUT || whole.length < HEADER_LENGTH) return;
		this.front.set(whole.subarray(1, HEADER_LENGTH));
		this.#rest = whole.slice(HEADER_LENGTH);
	}

	read(): Uint8Array | undefined {
		return this.#rest?.slice();
	}

	write(bytes: Uint8Array): void {
		if (bytes.length > this.size) throw new RangeError("more than can be retained");
		this.#rest = bytes.slice();
		this.keep();
	}

	/** Throws what the memory throws. */
	keep(): void {
		const { length } = this.#rest ?? this.front.subarray(0, 0);
		const whole = new Uint8Array(HEADER_LENGTH + length);
		whole[0] = LAYOUT;
		whole.set(this.front, 1);
		if (this.#rest !== undefined) whole.set(this.#rest, HEADER_LENGTH);
		this.#retained.write(whole);
	}
}
