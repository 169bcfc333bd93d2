/** `memory` of the host contract (memory-xs.c). */
import type { Memory } from "../../modules/io/memory.js";

class Bindings {
	static suffices(slots: number, chunkBytes: number): boolean {
		return native("xs_memory_suffices").call(this, slots, chunkBytes);
	}
	/** Returns the free amount, or a negative number if there is no limit. */
	static free(what: number): number {
		return native("xs_memory_free").call(this, what);
	}
	static stacks(): string {
		return native("xs_memory_stacks").call(this);
	}
}

class HeapBytes extends Native("xs_heap_bytes_destructor") {
	constructor(length: number) {
		super();
		native("xs_heap_bytes").call(this, length);
	}
	get isThere(): boolean {
		return native("xs_heap_bytes_is_there").call(this);
	}
	drop(): void {
		native("xs_heap_bytes_drop").call(this);
	}
}

/** Arguments for `free`, as in memory-xs.c. */
const SLOTS = 0;
const CHUNK_BYTES = 1;
const HEAP_BYTES = 2;
const LEAST_HEAP_BYTES = 3;

function heap(what: number): number | undefined {
	const bytes = Bindings.free(what);
	return bytes < 0 ? undefined : bytes;
}

export const MEMORY: Memory = Object.freeze({
	suffices: (slots: number, chunkBytes: number) => Bindings.suffices(slots, chunkBytes),
	heapBytes: (length: number) => {
		const buffer = new HeapBytes(length);
		return buffer.isThere ? new Uint8Array(buffer as unknown as ArrayBuffer) : undefined;
	},
	drop: (bytes: Uint8Array) => (bytes.buffer as unknown as HeapBytes).drop(),
	free: () => ({
		slots: Bindings.free(SLOTS),
		chunkBytes: Bindings.free(CHUNK_BYTES),
		heapBytes: heap(HEAP_BYTES),
		leastHeapBytes: heap(LEAST_HEAP_BYTES),
	}),
	stacks: () => Bindings.stacks(),
});
