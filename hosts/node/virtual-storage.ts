/** Storage in memory for tests. It simulates the faults of flash: power cuts, lack of room, refused operations. */
import type { Storage } from "../../modules/io/host.js";

export const STORAGE_KEY_PATTERN = /^[a-z0-9_]{1,15}$/;
export const STORAGE_VALUE_LIMIT = 4500;

/** Thrown by the interrupted write and by all later calls. */
export class PowerCut extends Error {
	override readonly name = "PowerCut";
}

export class VirtualStorage implements Storage {
	writes = 0;
	/** Limit for the size of all values together. If a value exceeds it, `set` throws. */
	capacity = Number.POSITIVE_INFINITY;
	/** Number of calls to `set` and `delete` that will be refused. */
	refusals = 0;
	#writesToRefusal = 0;
	readonly #values = new Map<string, Uint8Array>();
	#writesToCut = Number.POSITIVE_INFINITY;
	#keepsNew = false;
	#isOff = false;

	/**
	 * Cuts the power during the write number `count` (1 is the next one). A write is atomic. After `powerUp` the new
	 * value is stored if `keepsNew` is true, otherwise the old one.
	 */
	cutPowerAt(count: number, keepsNew: boolean): void {
		this.#writesToCut = count;
		this.#keepsNew = keepsNew;
	}

	refuseAt(count: number): void {
		this.#writesToRefusal = count - 1;
		this.refusals = 1;
	}

	/** Restores the power. Make a new virtual world afterwards. */
	powerUp(): void {
		this.#isOff = false;
		this.#writesToCut = Number.POSITIVE_INFINITY;
	}

	copy(): VirtualStorage {
		const copy = new VirtualStorage();
		for (const [key, value] of this.#values) copy.#values.set(key, value);
		return copy;
	}

	get(key: string): Uint8Array | undefined {
		this.#check(key);
		return this.#values.get(key)?.slice();
	}

	set(key: string, value: Uint8Array): void {
		this.#check(key);
		if (value.length > STORAGE_VALUE_LIMIT) throw new RangeError(`${key}: ${value.length} bytes in one value`);
		let used = value.length;
		for (const [other, bytes] of this.#values) if (other !== key) used += bytes.length;
		if (used > this.capacity) throw new Error("flash is full");
		const copy = value.slice();
		this.#write(() => this.#values.set(key, copy));
	}

	delete(key: string): void {
		this.#check(key);
		this.#write(() => this.#values.delete(key));
	}

	keys(): string[] {
		return [...this.#values.keys()].sort();
	}

	#write(change: () => void): void {
		if (this.refusals > 0 && --this.#writesToRefusal < 0) {
			this.refusals--;
			throw new Error("the flash refuses");
		}
		this.writes++;
		if (--this.#writesToCut > 0) {
			change();
			return;
		}
		if (this.#keepsNew) change();
		this.#isOff = true;
		throw new PowerCut("power cut");
	}

	#check(key: string): void {
		if (this.#isOff) throw new PowerCut("no power");
		if (!STORAGE_KEY_PATTERN.test(key)) throw new RangeError(`"${key}" is not a storage key`);
	}
}
