/** The `memory` of the host contract, for every host that runs in XS by the Moddable SDK. */
import type { Memory } from "../../modules/io/memory.js";

/** The C function, in the form that XS calls without a detour. */
class Bindings {
	static suffices(slots: number, chunkBytes: number): boolean {
		return native("xs_memory_suffices").call(this, slots, chunkBytes);
	}
	/** Below 0: it has no limit. */
	static free(what: number): number {
		return native("xs_memory_free").call(this, what);
	}
}

/** The native buffer. It has no fields: XS would not initialise them. */
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

/** What `free` asks for, as memory-face.c has it. */
const SLOTS = 0;
const CHUNK_BYTES = 1;
const HEAP_BYTES = 2;

export const MEMORY: Memory = Object.freeze({
	suffices: (slots: number, chunkBytes: number) => Bindings.suffices(slots, chunkBytes),
	heapBytes: (length: number) => {
		const buffer = new HeapBytes(length);
		// XS takes a host's buffer where an ArrayBuffer is wanted.
		return buffer.isThere ? new Uint8Array(buffer as unknown as ArrayBuffer) : undefined;
	},
	drop: (bytes: Uint8Array) => (bytes.buffer as unknown as HeapBytes).drop(),
	free: () => {
		const heapBytes = Bindings.free(HEAP_BYTES);
		return {
			slots: Bindings.free(SLOTS),
			chunkBytes: Bindings.free(CHUNK_BYTES),
			heapBytes: heapBytes < 0 ? undefined : heapBytes,
		};
	},
});
