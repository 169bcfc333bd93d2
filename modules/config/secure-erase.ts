/** Secure erase of possible secrets at a factory reset. */
import type { Storage } from "../io/host.js";

/**
 * Overwrites the value with zeros, if flash accepts that, and deletes it. Log-structured storage keeps the old bytes
 * until it reuses their space. NVS on the ESP32 only marks them invalid; writing the zeros makes it erase their page
 * sooner. Flash encryption of production units protects them until then. Throws what `delete` throws.
 */
export function secureErase(storage: Storage, key: string): void {
	try {
		const value = storage.get(key);
		if (value === undefined) return;
		storage.set(key, value.fill(0));
	} catch {}
	storage.delete(key);
}
