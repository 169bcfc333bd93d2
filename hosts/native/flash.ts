/**
 * The flash partitions of the host contract, for every host that runs in XS. Each such host implements the C functions
 * of partition.h.
 */
import type { Flash, Partition } from "../../modules/io/flash.js";

class NativeFlash {
	static size(name: string): number {
		return native("xs_partition_size").call(this, name);
	}
	static read(name: string, offset: number, into: Uint8Array, start: number, end: number): void {
		native("xs_partition_read").call(this, name, offset, into, start, end);
	}
	static write(name: string, offset: number, bytes: Uint8Array, start: number, end: number): void {
		native("xs_partition_write").call(this, name, offset, bytes, start, end);
	}
	static erase(name: string, offset: number, length: number): void {
		native("xs_partition_erase").call(this, name, offset, length);
	}
}

class NativePartition implements Partition {
	readonly size: number;
	readonly #name: string;

	constructor(name: string, size: number) {
		this.size = size;
		this.#name = name;
	}

	read(offset: number, into: Uint8Array, start = 0, end = into.length): void {
		NativeFlash.read(this.#name, offset, into, start, end);
	}

	write(offset: number, bytes: Uint8Array, start = 0, end = bytes.length): void {
		NativeFlash.write(this.#name, offset, bytes, start, end);
	}

	erase(offset: number, length: number): void {
		NativeFlash.erase(this.#name, offset, length);
	}
}

/** This object is frozen, so XS keeps it in flash. */
export const FLASH: Flash = Object.freeze({
	open(name: string): Partition | undefined {
		const size = NativeFlash.size(name);
		return size === 0 ? undefined : new NativePartition(name, size);
	},
});
