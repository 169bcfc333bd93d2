/** Storage in memory for tests, with what goes wrong in flash: the power is cut, it is full, it refuses. */
import type { Storage } from "../../modules/io/host.js";

export const STORAGE_KEY_PATTERN = /^[a-z0-9_]{1,15}$/;
/** Bytes in one value. */
export const STORAGE_VALUE_LIMIT = 4000;

/** Thrown by a write that the power cut interrupted, and by all that is asked after it. */
export class PowerCut extends Error {
	override readonly name = "PowerCut";
}

export class VirtualStorage implements Storage {
	/** Calls of `set` and `delete` so far. */
	writes = 0;
	/** Bytes that all values together may take; beyond it `set` throws. */
	capacity = Number.POSITIVE_INFINITY;
	/** While above 0, each `set` or `delete` throws, changes nothing, and takes one off. */
	refusals = 0;
	/** Writes that are still taken before the refusals begin. */
	#writesToRefusal = 0;
	readonly #values = new Map<string, Uint8Array>();
	#writesToCut = Number.POSITIVE_INFINITY;
	#keepsNew = false;
	#isOff = false;

	/**
	 * The power goes off during the write number `count` from now (1 = the next), which then is seen after `powerUp`
	 * as never done, or as done (`keepsNew`): a write is atomic, so it is one or the other.
	 */
	cutPowerAt(count: number, keepsNew: boolean): void {
		this.#writesToCut = count;
		this.#keepsNew = keepsNew;
	}

	/** The write number `count` from now (1 = the next) is refused, and no other. */
	refuseAt(count: number): void {
		this.#writesToRefusal = count - 1;
		this.refusals = 1;
	}

	/** Power is back: what the storage holds can be read again. Make a new world on it, as a reboot would. */
	powerUp(): void {
		this.#isOff = false;
		this.#writesToCut = Number.POSITIVE_INFINITY;
	}

	/** A copy with the same values, and power. */
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
		if (!STORAGE_KEY_PATTERN.test(key)) throw new RangeError(`"${key}" is no storage key`);
	}
}
