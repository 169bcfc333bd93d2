/** Writes entries in order of time to an erased sector. */
import type { Partition } from "../io/flash.js";
import { ENTRY_LIMIT, type Entry } from "./entry.js";
import { SLOT } from "./sectors.js";

const PIECE = 4 * SLOT;

export class EntryWriter {
	/** Time of the last entry, or of the one before the first. */
	lastS: number;
	readonly #partition: Partition;
	readonly #bytes = new Uint8Array(PIECE + ENTRY_LIMIT);
	/** Bytes not yet in flash, and their position there. */
	#waiting = 0;
	#at: number;

	/** `at`: position of the first entry; `beforeS`: time of the entry before it. */
	constructor(partition: Partition, at: number, beforeS: number) {
		this.#partition = partition;
		this.#at = at;
		this.lastS = beforeS;
	}

	endOf(entry: Entry): number {
		return this.#at + entry.encode(this.#bytes, this.#waiting, this.lastS);
	}

	put(entry: Entry): void {
		this.#waiting = entry.encode(this.#bytes, this.#waiting, this.lastS);
		this.lastS = entry.timeS;
		if (this.#waiting >= PIECE) this.write(PIECE);
	}

	flush(): void {
		this.write(this.#waiting);
	}

	/** The bytes are padded to a multiple of SLOT. */
	private write(count: number): void {
		if (count === 0) return;
		const bytes = this.#bytes;
		const size = Math.ceil(count / SLOT) * SLOT;
		bytes.fill(0xff, this.#waiting, size);
		this.#partition.write(this.#at, bytes, 0, size);
		this.#at += size;
		bytes.copyWithin(0, count, this.#waiting);
		this.#waiting = Math.max(0, this.#waiting - size);
	}
}
