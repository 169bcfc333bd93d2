/**
 * The history in flash: one entry for each quarter of an hour that was read in, the first reading of it. Entries are added
 * to the head (sectors.ts), each as a block of its own: an entry, and behind it the state of the meter (meter-state.ts) where
 * that doesn't follow from the entry, which is so in the first block of a sector and after an exchange. What a power cut
 * leaves of a block is not looked at again: readings go on in another sector then.
 */
import { ERASE_SIZE, type Partition } from "../io/flash.js";
import { QUARTER_S } from "../time/calendar.js";
import { type Entry, REGISTER_COUNT } from "./entry.js";
import { EntryCursor } from "./entry-cursor.js";
import { MeterState } from "./meter-state.js";
import { BLOCK_LIMIT, DATA_END, END_S, KIND_RAW, makeBlock, RAW_START, Sectors } from "./sectors.js";

export class Journal {
	readonly sectors: Sectors;
	/** As of the last entry. */
	readonly state = new MeterState();
	/** Time of the last entry; 0: there is none. */
	lastS = 0;
	/** Where the next block goes in the head. */
	#at = DATA_END;

	/** Finds out what there is. Throws what the flash throws, as all methods do; then make another one. */
	constructor(partition: Partition) {
		const sectors = new Sectors(partition);
		this.sectors = sectors;
		if (sectors.head < 0) return;
		const cursor = new EntryCursor(sectors, sectors.baseOf(sectors.head), this.state);
		while (cursor.next()) this.lastS = cursor.entry.timeS;
		// A power cut may have left something there.
		const rest = new Uint8Array(DATA_END - cursor.position);
		sectors.partition.read(sectors.head * ERASE_SIZE + cursor.position, rest);
		if (rest.every((byte) => byte === 0xff)) this.#at = cursor.position;
	}

	/** The next entry needs another sector. */
	get isFull(): boolean {
		return this.#at + BLOCK_LIMIT > DATA_END;
	}

	/**
	 * Adds an entry, which leads to that state, behind the one of the time `afterS`: what came later counts no more. With
	 * `isBreak` the state doesn't follow from the entry. The journal knows nothing of it then: make another one.
	 */
	append(entry: Entry, state: MeterState, isBreak: boolean, afterS = this.lastS): void {
		const { sectors } = this;
		const isNew = this.isFull || afterS !== this.lastS;
		const bytes = new Uint8Array(RAW_START + BLOCK_LIMIT);
		const hasState = isNew || isBreak;
		let end = entry.encode(bytes, RAW_START + 1, afterS, hasState);
		if (hasState) {
			bytes.set(state.bytes, end);
			end += state.bytes.length;
		}
		const size = makeBlock(bytes, RAW_START, end - RAW_START - 1);
		if (isNew) {
			const sector = sectors.allocate();
			sectors.makeRecord(bytes, KIND_RAW, afterS, END_S);
			sectors.partition.write(sector * ERASE_SIZE, bytes, 0, RAW_START + size);
			sectors.load();
		} else {
			sectors.partition.write(sectors.head * ERASE_SIZE + this.#at, bytes, RAW_START, RAW_START + size);
		}
	}

	/**
	 * The clock was put back: adds to `entry` all that the entries tell that are not before its quarter of an hour, and
	 * returns the time of the last one before that; 0: there is none.
	 */
	takeBack(entry: Entry): number {
		const { timeS } = entry;
		const quarterS = timeS - (timeS % QUARTER_S);
		const cursor = new EntryCursor(this.sectors);
		let beforeS = 0;
		while (cursor.next()) {
			const { entry: old } = cursor;
			if (old.timeS < quarterS) {
				beforeS = old.timeS;
				continue;
			}
			entry.flags |= old.flags;
			for (let i = 0; i < REGISTER_COUNT; i++) entry.rises[i] += old.rises[i];
			entry.known |= old.known;
		}
		return beforeS;
	}
}
