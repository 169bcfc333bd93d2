/** Reads the entries of the history in the order of their times, from whatever sectors they are in, with one small buffer. */
import { ERASE_SIZE } from "../io/flash.js";
import { Entry, REGISTER_COUNT } from "./entry.js";
import { type MeterState, READINGS } from "./meter-state.js";
import type { EntrySource } from "./periods.js";
import { BLOCK_LIMIT, blockSize, DATA_END, END_S, RAW_START, type Sectors } from "./sectors.js";

/** Bytes that are read at once: what begins in the first half is whole. */
const WINDOW = 224;

export class EntryCursor implements EntrySource {
	/** The current one. */
	readonly entry = new Entry();
	readonly #sectors: Sectors;
	readonly #state: MeterState | undefined;
	readonly #window = new Uint8Array(WINDOW);
	/** Where in the sector the window begins; Infinity: it is to be filled. */
	#windowAt = Number.POSITIVE_INFINITY;
	/** -1: the one that comes next is to be found. */
	#sector = -1;
	/** Position of the next entry in the sector. */
	#at = 0;
	/** How far the sector counts. */
	#endS = 0;
	/** Time of the entry before it in the sector. */
	#beforeS = 0;
	/** Time of the last entry given. */
	#timeS: number;

	/** From the first entry after `fromS`, the time of an entry or 0. A `state` is kept as the raw entries tell it. */
	constructor(sectors: Sectors, fromS = 0, state?: MeterState) {
		this.#sectors = sectors;
		this.#timeS = fromS;
		this.#state = state;
	}

	/** Time of the last entry given, or the time it began from. */
	get timeS(): number {
		return this.#timeS;
	}

	/** Where the head's next entry may be written, after `next` has given false. */
	get position(): number {
		return this.#at;
	}

	/**
	 * Goes to the next entry; false: there is none. Throws an Error when the sector that is read was put to another use
	 * since the cursor was made, and what the flash throws.
	 */
	next(): boolean {
		for (;;) {
			if (this.#sector < 0 && !this.open()) return false;
			const { entry } = this;
			if (!this.decode()) {
				if (this.#endS === END_S) return false;
				// Damaged: what is left of it is lost.
				entry.timeS = END_S;
			}
			this.#beforeS = entry.timeS;
			if (entry.timeS > this.#endS) {
				this.#timeS = this.#endS;
				this.#sector = -1;
			} else if (entry.timeS > this.#timeS) {
				this.#timeS = entry.timeS;
				if (entry.timeS === this.#endS) this.#sector = -1;
				return true;
			}
		}
	}

	/** Goes on with the sector that tells of what follows. */
	private open(): boolean {
		const sectors = this.#sectors;
		this.#sector = sectors.at(this.#timeS);
		if (this.#sector < 0) return false;
		this.#beforeS = sectors.baseOf(this.#sector);
		this.#endS = sectors.endOf(this.#sector, this.#timeS);
		this.#at = sectors.isRaw(this.#sector) ? RAW_START : 0;
		this.#windowAt = Number.POSITIVE_INFINITY;
		return true;
	}

	/** Takes the next entry from the sector; false: it has no more. */
	private decode(): boolean {
		const sectors = this.#sectors;
		const window = this.#window;
		if (this.#at >= DATA_END) return false;
		if (this.#at < this.#windowAt || this.#at > this.#windowAt + WINDOW - BLOCK_LIMIT) {
			if (!sectors.isIntact(this.#sector)) throw new Error("the history was compacted while it was read");
			this.#windowAt = this.#at;
			const length = Math.min(WINDOW, DATA_END - this.#at);
			sectors.partition.read(this.#sector * ERASE_SIZE + this.#at, window, 0, length);
			// Behind the last entry there is nothing.
			window.fill(0xff, length);
		}
		const at = this.#at - this.#windowAt;
		if (!sectors.isRaw(this.#sector)) {
			const end = this.entry.decode(window, at, this.#beforeS);
			this.#at += end - at;
			return end > 0;
		}
		const size = blockSize(window, at);
		if (size === 0) return false;
		const { entry } = this;
		const end = entry.decode(window, at + 1, this.#beforeS);
		this.#at += size;
		const state = this.#state;
		if (state !== undefined) {
			if (entry.hasState) state.bytes.set(window.subarray(end, end + state.bytes.length));
			else for (let i = 0; i < REGISTER_COUNT; i++) state.numbers[READINGS + i] += entry.rises[i];
		}
		return end > 0;
	}
}
