/** Writes entries in order of time to an erased sector. */
import type { Partition } from "../io/flash.js";
import { ENTRY_LIMIT, type Entry } from "./entry.js";
import { SLOT } from "./sectors.js";

const PIECE = 4 * SLOT;

export class EntryWriter {
	/** Time of the last entry that was written; at first, time of the entry before the first one. */
	lastS: number;
	readonly #partition: Partition;
	readonly #bytes = new Uint8Array(PIECE + ENTRY_LIMIT);
	/** Number of bytes that are not in flash yet, and their position in flash (`#at`). */
	#waiting = 0;
	#at: number;

	/** `at` is the position of the first entry in the partition; `beforeS` is the time of the entry before it. */
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

	/** Writes `count` bytes to flash. They are padded to a multiple of SLOT. */
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
