/**
 * Storage and flash that refuse writes while the batteries are empty, because power could fail during a write, and the
 * next start might not be able to read the result.
 */
import type { Flash, Partition } from "../io/flash.js";
import type { Storage } from "../io/host.js";

export interface FlashGuard {
	readonly isShut: boolean;
}

function pass({ isShut }: FlashGuard): void {
	if (isShut) throw new Error("the cells are empty: nothing is written");
}

export class StorageGate implements Storage {
	readonly #storage: Storage;
	readonly #guard: FlashGuard;

	constructor(storage: Storage, guard: FlashGuard) {
		this.#storage = storage;
		this.#guard = guard;
	}

	get(key: string): Uint8Array | undefined {
		return this.#storage.get(key);
	}

	set(key: string, value: Uint8Array): void {
		pass(this.#guard);
		this.#storage.set(key, value);
	}

	delete(key: string): void {
		pass(this.#guard);
		this.#storage.delete(key);
	}
}

export class FlashGate implements Flash {
	readonly #flash: Flash;
	readonly #guard: FlashGuard;

	constructor(flash: Flash, guard: FlashGuard) {
		this.#flash = flash;
		this.#guard = guard;
	}

	open(name: string): Partition | undefined {
		const partition = this.#flash.open(name);
		return partition && new PartitionGate(partition, this.#guard);
	}
}

class PartitionGate implements Partition {
	readonly size: number;
	readonly #partition: Partition;
	readonly #guard: FlashGuard;

	constructor(partition: Partition, guard: FlashGuard) {
		this.size = partition.size;
		this.#partition = partition;
		this.#guard = guard;
	}

	read(offset: number, into: Uint8Array, start?: number, end?: number): void {
		this.#partition.read(offset, into, start, end);
	}

	write(offset: number, bytes: Uint8Array, start?: number, end?: number): void {
		pass(this.#guard);
		this.#partition.write(offset, bytes, start, end);
	}

	erase(offset: number, length: number): void {
		pass(this.#guard);
		this.#partition.erase(offset, length);
	}
}
