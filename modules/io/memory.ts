/**
 * Ledger of XS memory: operations claim their maximum before they begin. Several operations, each of which fits, could
 * together exceed the memory, which ends the XS machine.
 *
 * A claim counts in full until released. RESERVE is for small operations without a claim.
 */

export interface Memory {
	/** May run a garbage collection. */
	suffices(slots: number, chunkBytes: number): boolean;
	free?(): FreeMemory;
	/** Lines "task bytes": stack that a task has never used; empty if unknown. */
	stacks?(): string;
	/**
	 * Zero bytes outside the chunks, for large short-lived data; undefined when the heap is short. `drop()` or garbage
	 * collection frees them.
	 */
	heapBytes?(length: number): Uint8Array | undefined;
	/** Frees bytes of `heapBytes()`; the array then has length 0. */
	drop?(bytes: Uint8Array): void;
}

export interface FreeMemory {
	readonly slots: number;
	readonly chunkBytes: number;
	/** Free heap; undefined without a limit. */
	readonly heapBytes: number | undefined;
	readonly leastHeapBytes?: number | undefined;
}

export interface Cost {
	readonly slots: number;
	readonly chunkBytes: number;
}

export const RESERVE: Cost = Object.freeze({ slots: 250, chunkBytes: 2048 });

/**
 * Heap that must be free before an outgoing connection or an update: 24 KB that are left for everything else (LEAST_HEAP
 * of hosts/native/memory-lock.h), and 15 KB. An update takes 11 KB for unpacking and 4 KB for verifying the signature; a
 * connection takes 10 KB for the stack of its thread and 4 KB for frames that arrive during its handshake. Two browsers can
 * leave less for a while.
 */
const MUCH_HEAP_BYTES = 39 * 1024;

/** Memory to process bytes of `bytes()`: a piece from flash or a client, or the names in six certificates. */
const BYTES_COST: Cost = Object.freeze({ slots: 150, chunkBytes: 8192 });

export class MemoryLedger {
	readonly #memory: Memory | undefined;
	#slots = 0;
	#chunkBytes = 0;

	constructor(memory: Memory | undefined) {
		this.#memory = memory;
	}

	/** Returns false if memory is short; the operation must not begin then. */
	claim(cost: Cost): boolean {
		if (!this.fits(cost)) return false;
		this.#slots += cost.slots;
		this.#chunkBytes += cost.chunkBytes;
		return true;
	}

	/** Returns true if this much memory is free beyond all claims. Use it at once, because it is not claimed. */
	fits({ slots, chunkBytes }: Cost): boolean {
		const wantedBytes = this.#chunkBytes + chunkBytes + RESERVE.chunkBytes;
		return this.#memory?.suffices(this.#slots + slots + RESERVE.slots, wantedBytes) !== false;
	}

	/**
	 * Claims the memory of an outgoing connection or of an update. Returns false also if its memory outside of the engine
	 * would leave too little heap.
	 */
	claimWithHeap(cost: Cost): boolean {
		const heapBytes = this.#memory?.free?.().heapBytes ?? Number.POSITIVE_INFINITY;
		return heapBytes >= MUCH_HEAP_BYTES && this.claim(cost);
	}

	release({ slots, chunkBytes }: Cost): void {
		this.#slots -= slots;
		this.#chunkBytes -= chunkBytes;
	}

	/**
	 * Allocates bytes, if possible outside the chunks. Returns undefined if memory is short for them, or for processing
	 * them in this tick.
	 */
	bytes(length: number): Uint8Array | undefined {
		const memory = this.#memory;
		if (memory?.heapBytes !== undefined) return this.fits(BYTES_COST) ? memory.heapBytes(length) : undefined;
		const { slots, chunkBytes } = BYTES_COST;
		return this.fits({ slots, chunkBytes: chunkBytes + length }) ? new Uint8Array(length) : undefined;
	}

	drop(bytes: Uint8Array): void {
		this.#memory?.drop?.(bytes);
	}
}
