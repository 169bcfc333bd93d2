/**
 * The host's storage, watched: flash that refuses a write (it is full, worn, or not to be read) is a state of the device
 * that its owner sees, and no mistake of the firmware. For gateway.ts, which gives it to all that keep something.
 */
import type { Storage } from "../io/host.js";

/** Flash has not taken a write; nothing has changed by it. */
export class StorageRefusal extends Error {
	/** For whoever wanted it (http/handler.ts). */
	readonly sentence = "The flash memory refuses what is to be written.";
}

export class WatchedStorage implements Storage {
	readonly #storage: Storage;
	readonly #trace: (message: string) => void;
	/** Told of the first write that is refused after one that was not, with its key. */
	readonly #onRefused: (key: string) => void;
	/** The last write was refused. */
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

	/** What to throw; a RangeError, as the contract has it, is a mistake of ours. */
	private refused(key: string, error: unknown): unknown {
		if (error instanceof RangeError) return error;
		if (!this.isRefusing) this.#onRefused(key);
		this.isRefusing = true;
		const message = `flash: ${key}: ${error instanceof Error ? error.message : String(error)}`;
		this.#trace(message);
		return new StorageRefusal(message);
	}
}
