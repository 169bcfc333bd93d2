/** Reads the entries of the history in order of time, from all sectors. */
import { ERASE_SIZE } from "../io/flash.js";
import { Entry, REGISTER_COUNT } from "./entry.js";
import { type MeterState, READINGS } from "./meter-state.js";
import type { EntrySource } from "./periods.js";
import { BLOCK_LIMIT, blockSize, DATA_END, END_S, RAW_START, type Sectors } from "./sectors.js";

/**
 * Size of the window (the buffer for a part of a sector), bytes. A block that begins in the first WINDOW - BLOCK_LIMIT
 * bytes is completely in the window.
 */
const WINDOW = 240;

export class EntryCursor implements EntrySource {
	readonly entry = new Entry();
	readonly #sectors: Sectors;
	readonly #state: MeterState | undefined;
	readonly #window = new Uint8Array(WINDOW);
	/** Position of the window in the sector; Infinity if the window must be filled. */
	#windowAt = Number.POSITIVE_INFINITY;
	#sector = -1;
	#at = 0;
	#endS = 0;
	#beforeS = 0;
	#timeS: number;

	/**
	 * The first entry is the one after `fromS`, or the first one of the history if `fromS` is 0. `state` is updated
	 * with each entry from a raw sector.
	 */
	constructor(sectors: Sectors, fromS = 0, state?: MeterState) {
		this.#sectors = sectors;
		this.#timeS = fromS;
		this.#state = state;
	}

	get timeS(): number {
		return this.#timeS;
	}

	/** Position for the next entry in the head sector. Valid when `next` has returned false. */
	get position(): number {
		return this.#at;
	}

	/**
	 * Moves to the next entry. Returns false at the end. Throws if the sector was reused in the meantime, or if the
	 * flash fails.
	 */
	next(): boolean {
		for (;;) {
			if (this.#sector < 0 && !this.open()) return false;
			const { entry } = this;
			if (!this.decode()) {
				if (this.#endS === END_S) return false;
				// The rest of a damaged sector is skipped.
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

	private decode(): boolean {
		const sectors = this.#sectors;
		const window = this.#window;
		if (this.#at >= DATA_END) return false;
		if (this.#at < this.#windowAt || this.#at > this.#windowAt + WINDOW - BLOCK_LIMIT) {
			if (!sectors.isIntact(this.#sector)) throw new Error("the history was compacted while it was read");
			this.#windowAt = this.#at;
			const length = Math.min(WINDOW, DATA_END - this.#at);
			sectors.partition.read(this.#sector * ERASE_SIZE + this.#at, window, 0, length);
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
			// A state that older firmware has written has fewer registers, so the rest is set to 0.
			if (entry.hasState) state.bytes.fill(0).set(window.subarray(end, at + 1 + window[at]));
			else for (let i = 0; i < REGISTER_COUNT; i++) state.numbers[READINGS + i] += entry.rises[i];
		}
		return end > 0;
	}
}
