/**
 * Retained memory that two modules share: power-saving.ts uses the first FRONT_LENGTH bytes (the front), and
 * crash-loop-guard.ts uses the rest.
 *
 *   offset  bytes         content
 *   0       1             number of the layout, 2 (older firmware: 1, without the front)
 *   1       FRONT_LENGTH  the front
 *   ...                   the rest, of any length
 */
import type { Retained } from "../io/flash.js";

export const FRONT_LENGTH = 63;

const LAYOUT = 2;
const HEADER_LENGTH = 1 + FRONT_LENGTH;

export class SharedRetained implements Retained {
	readonly size: number;
	readonly #retained: Retained;

	constructor(retained: Retained) {
		this.#retained = retained;
		this.size = retained.size - HEADER_LENGTH;
	}

	read(): Uint8Array | undefined {
		const whole = this.whole;
		return whole.length > HEADER_LENGTH ? whole.slice(HEADER_LENGTH) : undefined;
	}

	write(bytes: Uint8Array): void {
		if (bytes.length > this.size) throw new RangeError("more than can be retained");
		const whole = new Uint8Array(HEADER_LENGTH + bytes.length);
		whole.set(this.whole.subarray(0, HEADER_LENGTH));
		whole.set(bytes, HEADER_LENGTH);
		this.#retained.write(whole);
	}

	/** Returns a copy of the front. It contains zeros if nothing was retained. */
	readFront(): Uint8Array {
		return this.whole.slice(1, HEADER_LENGTH);
	}

	/** Writes the front. Throws what the retained memory throws. */
	writeFront(front: Uint8Array): void {
		const whole = this.whole;
		whole.set(front, 1);
		this.#retained.write(whole);
	}

	private get whole(): Uint8Array {
		const whole = this.#retained.read();
		if (whole?.[0] === LAYOUT && whole.length >= HEADER_LENGTH) return whole;
		const empty = new Uint8Array(HEADER_LENGTH);
		empty[0] = LAYOUT;
		return empty;
	}
}
