/**
 * The history in flash. The first reading in each quarter hour makes an entry, which is appended to the head sector
 * (sectors.ts) as a block of its own. The block also contains the meter state (meter-state.ts) if the state can't be
 * calculated from the earlier state and the rises. This is the case in the first block of a sector, and after an
 * exchange of the meter. If a power cut has left a partial block, the next entry begins another sector.
 */
import { ERASE_SIZE, type Partition } from "../io/flash.js";
import { QUARTER_S } from "../time/calendar.js";
import { type Entry, REGISTER_COUNT } from "./entry.js";
import { EntryCursor } from "./entry-cursor.js";
import { MeterState } from "./meter-state.js";
import { BLOCK_LIMIT, DATA_END, END_S, KIND_RAW, makeBlock, RAW_START, Sectors } from "./sectors.js";

export class Journal {
	readonly sectors: Sectors;
	readonly state = new MeterState();
	/** Time of the last entry, Unix seconds; 0 if there is none. */
	lastS = 0;
	#at = DATA_END;

	/** The constructor and all methods throw if the flash fails. Create a new Journal then. */
	constructor(partition: Partition) {
		const sectors = new Sectors(partition);
		this.sectors = sectors;
		if (sectors.head < 0) return;
		const cursor = new EntryCursor(sectors, sectors.baseOf(sectors.head), this.state);
		while (cursor.next()) this.lastS = cursor.entry.timeS;
		// A power cut may have left a partial block after the last entry. The sector is used further only if the rest
		// of it is erased.
		const rest = new Uint8Array(DATA_END - cursor.position);
		sectors.partition.read(sectors.head * ERASE_SIZE + cursor.position, rest);
		if (rest.every((byte) => byte === 0xff)) this.#at = cursor.position;
	}

	get isFull(): boolean {
		return this.#at + BLOCK_LIMIT > DATA_END;
	}

	endSector(): void {
		this.#at = DATA_END;
	}

	/**
	 * Appends `entry`. Earlier entries with a time after `afterS` become invalid. `state` is the meter state after
	 * `entry`. `isBreak` is true if `state` can't be calculated from the state before and `entry`. Create a new Journal
	 * after each call.
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
	 * Call after the clock was set back. Adds the rises of all stored entries in the quarter hour of `entry` and later
	 * to `entry`. Returns the time of the last entry before this quarter hour, or 0.
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
