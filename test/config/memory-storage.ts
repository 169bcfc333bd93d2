/** A storage in memory with a power supply that can be cut, and Node's text codec. */
import type { Storage, TextCodec } from "../../modules/io/host.js";

/** `set` works. */
export const POWER_ON = 0;
/** The power fails before the new value is stored: `set` throws, the old value stays. */
export const CUT_BEFORE = 1;
/** The power fails after the new value is stored: `set` throws, the new value stays. */
export const CUT_AFTER = 2;

export class MemoryStorage implements Storage {
	readonly values = new Map<string, Uint8Array>();
	power = POWER_ON;
	writes = 0;
	/** Number of changes that still work; then the power fails. */
	stepsLeft = Number.POSITIVE_INFINITY;

	get(key: string): Uint8Array | undefined {
		return this.values.get(key)?.slice();
	}

	set(key: string, value: Uint8Array): void {
		if (!/^[a-z0-9_]{1,15}$/.test(key) || value.length > 4500) throw new RangeError(`storage: ${key}`);
		this.#step();
		this.writes++;
		if (this.power !== CUT_BEFORE) this.values.set(key, value.slice());
		if (this.power !== POWER_ON) throw new Error("power cut");
	}

	delete(key: string): void {
		this.#step();
		this.values.delete(key);
	}

	#step(): void {
		if (--this.stepsLeft < 0) throw new Error("power cut");
	}
}

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

export const textCodec: TextCodec = {
	encode: (text) => new TextEncoder().encode(text),
	decode: (bytes, start = 0, end = bytes.length) => decoder.decode(bytes.subarray(start, end)),
};
