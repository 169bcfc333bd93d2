/** End of the previous program, and memory that survives it. */
import type { Retained } from "../../modules/io/flash.js";
import type { Ending, Storage } from "../../modules/io/host.js";

/** Size of the retained memory, bytes, as on the ESP32. */
const RETAINED_SIZE = 256;
export const RETAINED_KEY = "retained";

export const ASKED_FOR: Ending = Object.freeze({ cause: "it was asked for", isFault: false });
export const SLEPT: Ending = Object.freeze({ cause: "deep sleep has ended", isFault: false });
export const POWER_ON: Ending = Object.freeze({ cause: "power was switched on", isFault: false });

/**
 * Retained memory in the storage. The program runs in a separate process, and its parent deletes this memory at a power
 * cut.
 */
export class StoredRetained implements Retained {
	readonly size = RETAINED_SIZE;
	readonly #storage: Storage;

	constructor(storage: Storage) {
		this.#storage = storage;
	}

	read(): Uint8Array | undefined {
		return this.#storage.get(RETAINED_KEY);
	}

	write(bytes: Uint8Array): void {
		if (bytes.length > this.size) throw new RangeError("more than can be retained");
		this.#storage.set(RETAINED_KEY, bytes);
	}
}
