/** Deletes values of the storage that may be secrets. For the store of settings and for blobs, at a factory reset. */
import type { Storage } from "../io/host.js";

/**
 * Overwrites the value with zeros, as far as flash takes that, and deletes it. A storage that writes in place keeps
 * nothing of it then. One that is a log keeps the old bytes until it needs their place: NVS, which the ESP32 has, marks
 * them as void, and the zeros only bring the moment nearer at which their page is erased. There, encryption keeps them
 * from whoever reads the chip's flash, as the settings of a production unit have it. Throws what `delete` throws.
 */
export function wipe(storage: Storage, key: string): void {
	try {
		const value = storage.get(key);
		if (value === undefined) return;
		storage.set(key, value.fill(0));
	} catch {
		// A flash that is full, or can't read the value, may delete it all the same.
	}
	storage.delete(key);
}
