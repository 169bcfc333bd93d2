/**
 * Ledger of XS memory: operations claim their maximum before they begin. Without it, operations that fit singly could
 * together end the XS machine.
 *
 * A claim counts in full until released, so all maxima are covered at once. RESERVE is for small operations without a
 * claim.
 */

/** Free memory of the firmware's XS machine, which ends when it runs out. */
export interface Memory {
	/** Returns true when so many slots and bytes of chunks are free. May take as long as a garbage collection. */
	suffices(slots: number, chunkBytes: number): boolean;
	/** Returns the memory free now, without a collection. */
	free?(): FreeMemory;
	/**
	 * Returns lines "task bytes": the number of stack bytes that each task has never used. Empty where the host does not
	 * know.
	 */
	stacks?(): string;
	/**
	 * Returns `length` zero bytes outside the machine's chunks, for large short-lived data; undefined when the heap has
	 * too little. The bytes are freed by `drop()` or by garbage collection.
	 */
	heapBytes?(length: number): Uint8Array | undefined;
	/** Frees bytes of `heapBytes()`; the array then has length 0. */
	drop?(bytes: Uint8Array): void;
}

export interface FreeMemory {
	readonly slots: number;
	readonly chunkBytes: number;
	/** Free bytes of the general heap; undefined without a limit. */
	readonly heapBytes: number | undefined;
	/** Minimum of `heapBytes` since the start. */
	readonly leastHeapBytes?: number | undefined;
}

/** Maximum additional memory of an operation. */
export interface Cost {
	readonly slots: number;
	readonly chunkBytes: number;
}

/** Memory never granted to claims, for operations without one. */
export const RESERVE: Cost = Object.freeze({ slots: 250, chunkBytes: 2048 });

/** Memory for working with such bytes: a piece from flash or a client, and the names in six certificates. */
const BYTES_COST: Cost = Object.freeze({ slots: 150, chunkBytes: 8192 });

export class MemoryLedger {
	readonly #memory: Memory | undefined;
	#slots = 0;
	#chunkBytes = 0;

	/** `memory` undefined: the host has no limit. */
	constructor(memory: Memory | undefined) {
		this.#memory = memory;
	}

	/** Claims memory; false when there is too little and the operation must not begin. */
	claim(cost: Cost): boolean {
		if (!this.fits(cost)) return false;
		this.#slots += cost.slots;
		this.#chunkBytes += cost.chunkBytes;
		return true;
	}

	/** Returns true when so much memory is free in addition to all claims, for immediate use. */
	fits({ slots, chunkBytes }: Cost): boolean {
		const wantedBytes = this.#chunkBytes + chunkBytes + RESERVE.chunkBytes;
		return this.#memory?.suffices(this.#slots + slots + RESERVE.slots, wantedBytes) !== false;
	}

	/** Releases a claim; call it once for each granted claim. */
	release({ slots, chunkBytes }: Cost): void {
		this.#slots -= slots;
		this.#chunkBytes -= chunkBytes;
	}

	/**
	 * Returns `length` bytes, outside the chunks where the host supports that, with enough memory to process them in this
	 * tick. Undefined when there is too little.
	 */
	bytes(length: number): Uint8Array | undefined {
		const memory = this.#memory;
		if (memory?.heapBytes !== undefined) return this.fits(BYTES_COST) ? memory.heapBytes(length) : undefined;
		const { slots, chunkBytes } = BYTES_COST;
		return this.fits({ slots, chunkBytes: chunkBytes + length }) ? new Uint8Array(length) : undefined;
	}

	/** Frees bytes of `bytes()`. */
	drop(bytes: Uint8Array): void {
		this.#memory?.drop?.(bytes);
	}
}
