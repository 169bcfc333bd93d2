/** Deletes values that may be secret, so that they can't be read from the flash chip. */
import type { Storage } from "../io/host.js";

/**
 * Overwrites the value with zeros, if the flash accepts this write, and deletes it. A log-structured storage keeps the
 * old bytes until it reuses their space. NVS on the ESP32 only marks them as invalid; writing the zeros makes NVS erase
 * their page sooner. Until then, they are protected by the flash encryption that production units have. Throws what
 * `delete` throws.
 */
export function secureErase(storage: Storage, key: string): void {
	try {
		const value = storage.get(key);
		if (value === undefined) return;
		storage.set(key, value.fill(0));
	} catch {}
	storage.delete(key);
}
