/**
 * Memory of XS that operations have been promised: each asks for the most that it takes before it begins, and gives that
 * back when it is over. Without it, operations that fit one by one end the machine when they come side by side.
 *
 * What was promised counts in full until it is given back, though some of it is in use by then: a promise is kept even
 * if everything that has begun reaches its highest at once. Beyond that RESERVE is never promised: small requests take
 * memory too, and claim none.
 */

/** What is left of the memory of the firmware's own machine, which ends when there is too little. */
export interface Memory {
	/** Whether so many slots and so many bytes of chunks are free. May take as long as a collection of garbage. */
	suffices(slots: number, chunkBytes: number): boolean;
	/** What is free at this moment, without a collection. */
	free?(): FreeMemory;
	/** Lines "task bytes": of each task's stack, how much it has never used. Empty where the host does not know. */
	stacks?(): string;
	/**
	 * `length` bytes of zeros outside the machine's chunks, for what is long and is held for a moment only. Undefined: the
	 * heap has too few. The bytes stay there until `drop`, or until nobody refers to them.
	 */
	heapBytes?(length: number): Uint8Array | undefined;
	/** Frees bytes of `heapBytes`; the array has a length of 0 from then on. */
	drop?(bytes: Uint8Array): void;
}

export interface FreeMemory {
	readonly slots: number;
	readonly chunkBytes: number;
	/** Bytes of the heap that all else takes its memory of; undefined: it has no limit. */
	readonly heapBytes: number | undefined;
	/** The least of `heapBytes` since the start. */
	readonly leastHeapBytes?: number | undefined;
}

/** The most that an operation takes beside what there is before it begins. */
export interface Cost {
	readonly slots: number;
	readonly chunkBytes: number;
}

/** What no claim is granted of, for whatever claims nothing. */
export const RESERVE: Cost = Object.freeze({ slots: 250, chunkBytes: 2048 });

/** Working with such bytes: a piece of them from flash or a client, and the names in six certificates. */
const BYTES_COST: Cost = Object.freeze({ slots: 150, chunkBytes: 8192 });

export class MemoryLedger {
	readonly #memory: Memory | undefined;
	#slots = 0;
	#chunkBytes = 0;

	/** Undefined: the host has as much as is wanted. */
	constructor(memory: Memory | undefined) {
		this.#memory = memory;
	}

	/** False: there is too little, the operation must not begin. */
	claim(cost: Cost): boolean {
		if (!this.fits(cost)) return false;
		this.#slots += cost.slots;
		this.#chunkBytes += cost.chunkBytes;
		return true;
	}

	/** Whether so much is there beside all that was promised, for whatever takes it at once. */
	fits({ slots, chunkBytes }: Cost): boolean {
		const wantedBytes = this.#chunkBytes + chunkBytes + RESERVE.chunkBytes;
		return this.#memory?.suffices(this.#slots + slots + RESERVE.slots, wantedBytes) !== false;
	}

	/** Once for each claim that was granted. */
	release({ slots, chunkBytes }: Cost): void {
		this.#slots -= slots;
		this.#chunkBytes -= chunkBytes;
	}

	/**
	 * `length` bytes, outside the chunks where the host has such memory, and room to work with them in this turn of the
	 * event loop. Undefined: there is too little.
	 */
	bytes(length: number): Uint8Array | undefined {
		const memory = this.#memory;
		if (memory?.heapBytes !== undefined) return this.fits(BYTES_COST) ? memory.heapBytes(length) : undefined;
		const { slots, chunkBytes } = BYTES_COST;
		return this.fits({ slots, chunkBytes: chunkBytes + length }) ? new Uint8Array(length) : undefined;
	}

	/** Gives back what `bytes` gave. */
	drop(bytes: Uint8Array): void {
		this.#memory?.drop?.(bytes);
	}
}
