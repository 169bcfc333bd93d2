/**
 * The host's storage, watched: flash that refuses a write (it is full, worn, or not to be read) is a state of the device
 * that its owner sees, and no mistake of the firmware. For gateway.ts, which gives it to all that keep something.
 */
import type { Storage } from "../io/host.js";

/** Flash has not taken a write; nothing has changed by it. */
export class StorageRefusal extends Error {
	override readonly name = "StorageRefusal";
}

export class WatchedStorage implements Storage {
	readonly #storage: Storage;
	readonly #trace: (message: string) => void;
	#isRefusing = false;

	constructor(storage: Storage, trace: (message: string) => void) {
		this.#storage = storage;
		this.#trace = trace;
	}

	/** The last write was refused. */
	get isRefusing(): boolean {
		return this.#isRefusing;
	}

	get(key: string): Uint8Array | undefined {
		return this.#storage.get(key);
	}

	/** Throws a StorageRefusal; a RangeError, as the contract has it, is a mistake of ours. */
	set(key: string, value: Uint8Array): void {
		try {
			this.#storage.set(key, value);
			this.#isRefusing = false;
		} catch (error) {
			throw this.refused(key, error);
		}
	}

	/** Throws a StorageRefusal. */
	delete(key: string): void {
		try {
			this.#storage.delete(key);
		} catch (error) {
			throw this.refused(key, error);
		}
	}

	private refused(key: string, error: unknown): unknown {
		if (error instanceof RangeError) return error;
		const message = `flash: ${key}: ${error instanceof Error ? error.message : String(error)}`;
		this.#isRefusing = true;
		this.#trace(message);
		return new StorageRefusal(message);
	}
}
