/**
 * Ledger of XS memory. An operation claims the most memory that it can need before it begins. Otherwise several
 * operations that each fit could together exceed the memory, which ends the XS machine.
 *
 * A claim counts in full until released. RESERVE is kept free for small operations, which claim nothing.
 */

export interface Memory {
	/** Returns true if this much XS memory is free. It may run a garbage collection. */
	suffices(slots: number, chunkBytes: number): boolean;
	free?(): FreeMemory;
	/** Returns lines "task bytes": the part of the task's stack that was never used, in bytes. Empty if unknown. */
	stacks?(): string;
	/**
	 * Allocates zero bytes outside the chunks, for large short-lived data. Returns undefined if too little heap is free.
	 * `drop()` or garbage collection frees them.
	 */
	heapBytes?(length: number): Uint8Array | undefined;
	/** Frees an array from `heapBytes()`, which then has length 0. */
	drop?(bytes: Uint8Array): void;
}

export interface FreeMemory {
	readonly slots: number;
	readonly chunkBytes: number;
	/** Free heap outside of XS; undefined on a host without a limit. */
	readonly heapBytes: number | undefined;
	readonly leastHeapBytes?: number | undefined;
}

export interface Cost {
	readonly slots: number;
	readonly chunkBytes: number;
}

export const RESERVE: Cost = Object.freeze({ slots: 250, chunkBytes: 2048 });

/**
 * Heap that must be free before an outgoing connection or an update: 24 KB that stay free for everything else (LEAST_HEAP
 * of hosts/native/memory-lock.h), and 15 KB. An update takes 11 KB for unpacking and 4 KB for verifying the signature; a
 * connection takes 10 KB for the stack of its thread and 4 KB for frames that arrive during its handshake. On an
 * ESP32, two connected browsers can leave less than that for a while.
 */
const MUCH_HEAP_BYTES = 39 * 1024;

/** Memory to process an array from `bytes()`: a piece from flash or from a client, or the names in six certificates. */
const BYTES_COST: Cost = Object.freeze({ slots: 150, chunkBytes: 8192 });

export class MemoryLedger {
	readonly #memory: Memory | undefined;
	#slots = 0;
	#chunkBytes = 0;

	constructor(memory: Memory | undefined) {
		this.#memory = memory;
	}

	/** Returns false if too little memory is free. The operation must not begin then. */
	claim(cost: Cost): boolean {
		if (!this.fits(cost)) return false;
		this.#slots += cost.slots;
		this.#chunkBytes += cost.chunkBytes;
		return true;
	}

	/**
	 * Returns true if this much memory is free beyond all claims. Use the memory immediately, because it is not claimed.
	 */
	fits({ slots, chunkBytes }: Cost): boolean {
		const wantedBytes = this.#chunkBytes + chunkBytes + RESERVE.chunkBytes;
		return this.#memory?.suffices(this.#slots + slots + RESERVE.slots, wantedBytes) !== false;
	}

	/**
	 * Claims the memory of an outgoing connection or of an update. It also returns false if the memory that it needs
	 * outside of the engine would leave too little heap.
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
	 * Allocates bytes, outside the chunks if possible. Returns undefined if too little memory is free for them, or for
	 * processing them in this tick.
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
