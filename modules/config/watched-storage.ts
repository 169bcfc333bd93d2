/**
 * Storage that reports refused writes. They are reported, not treated as an error of the firmware, because full, worn
 * or unreadable flash is a state of the device.
 */
import { faultLine } from "../io/fault.js";
import type { Storage } from "../io/host.js";

/** Error for a write that the flash refused. The stored value has not changed. */
export class StorageRefusal extends Error {
	/** Sentence for the HTTP client (http/handler.ts). */
	readonly sentence = "The flash memory refused the write.";
}

export class WatchedStorage implements Storage {
	readonly #storage: Storage;
	readonly #trace: (message: string) => void;
	/** Called when a write is refused, but not for further refused writes in a row. */
	readonly #onRefused: (key: string) => void;
	isRefusing = false;

	constructor(storage: Storage, trace: (message: string) => void, onRefused: (key: string) => void = () => {}) {
		this.#storage = storage;
		this.#trace = trace;
		this.#onRefused = onRefused;
	}

	get(key: string): Uint8Array | undefined {
		return this.#storage.get(key);
	}

	set(key: string, value: Uint8Array): void {
		try {
			this.#storage.set(key, value);
			this.isRefusing = false;
		} catch (error) {
			throw this.refused(key, error);
		}
	}

	delete(key: string): void {
		try {
			this.#storage.delete(key);
		} catch (error) {
			throw this.refused(key, error);
		}
	}

	/**
	 * Reports a refused write and returns the error to throw. It is logged here, because many callers continue without
	 * the stored value. A RangeError is no event, because the firmware has caused it.
	 */
	private refused(key: string, error: unknown): unknown {
		const reason = `${key}: ${error instanceof Error ? error.message : String(error)}`;
		this.#trace(faultLine("flash", reason));
		if (error instanceof RangeError) return error;
		if (!this.isRefusing) this.#onRefused(key);
		this.isRefusing = true;
		return new StorageRefusal(`flash: ${reason}`);
	}
}
