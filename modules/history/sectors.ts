/**
 * The sectors of the history in its flash partition. One is either
 *
 *   raw     0 record, 16 on blocks (journal.ts), one a reading; the newest of them is the head, to which readings are added
 *   dense   0 on entries (entry.ts) one after another, 4080 record; compacted (compaction.ts), and never added to
 *
 * and counts from when its record, and of a raw one its first block, is there: until then it is free. A record:
 *
 *   0   1  kind, KIND_…
 *   1   1  1, the version
 *   2   4  number of the sector, one more with each: of two that tell of the same time the higher one counts
 *   6   4  it tells of the time after this (Unix time in seconds, that of the entry before its first)
 *   10  4  until this, and including it; of a raw one it is open: until where the next raw one begins
 *   14  2  check (below)
 *
 * all numbers with the low byte first. So a compacted sector takes the place of those it was made of when its record is
 * written, in one moment, and nothing needs to be marked or erased then. A sector that counts nowhere any more is erased just
 * before it is used again, by which nothing depends on what a power cut in the middle of an erase has left.
 *
 * Checks stand at the end of what they check and have 7 bits a byte, so an erased byte is never one: a write that a power
 * cut has ended before its last byte doesn't pass, whatever the bytes are.
 */
import { crc16 } from "../bytes/crc16.js";
import { ERASE_SIZE, type Partition } from "../io/flash.js";

/** What is used of a larger partition: the history has no use for more. */
const SECTOR_LIMIT = 16;
/** Of fewer it can't be made. */
const SECTOR_MINIMUM = 5;

export const RECORD_SIZE = 16;
/** Bytes of a sector for readings: from behind the first record to before the last one. */
export const RAW_START = RECORD_SIZE;
export const DATA_END = ERASE_SIZE - RECORD_SIZE;
export const SLOT = 16;
/** The longest block, bytes: length, entry, state, check. */
export const BLOCK_LIMIT = 96;
/** Later than any entry. */
export const END_S = 0xffffffff;

const KIND_RAW = 0x52;
const KIND_DENSE = 0x44;
const VERSION = 1;

/** Columns of the table. */
const NUMBER = 0;
const BASE = 1;
const UNTIL = 2;
const COLUMNS = 3;

export class Sectors {
	readonly partition: Partition;
	readonly count: number;
	/** The newest raw sector; -1: there is none yet. */
	head = -1;
	/** A row for each sector: its number (0: it is free), base, until. */
	readonly #table: Uint32Array;
	/** Bits of the raw ones. */
	#raw = 0;

	/** Finds out what stands in flash. Throws what the flash throws, as all methods do. */
	constructor(partition: Partition) {
		this.partition = partition;
		this.count = countOf(partition);
		this.#table = new Uint32Array(this.count * COLUMNS);
		const bytes = new Uint8Array(BLOCK_LIMIT);
		for (let i = 0; i < this.count; i++) {
			this.partition.read(i * ERASE_SIZE + DATA_END, bytes, 0, RECORD_SIZE);
			if (isRecord(bytes, KIND_DENSE)) {
				this.take(i, bytes);
				continue;
			}
			this.partition.read(i * ERASE_SIZE, bytes, 0, RECORD_SIZE);
			if (!isRecord(bytes, KIND_RAW)) continue;
			this.take(i, bytes);
			this.partition.read(i * ERASE_SIZE + RAW_START, bytes);
			if (blockSize(bytes, 0, BLOCK_LIMIT) > 0) this.#raw |= 1 << i;
			else this.clearRow(i);
		}
		this.chainRaw();
	}

	/** Writes a raw sector's record into `into[0..RECORD_SIZE)`. */
	makeRaw(into: Uint8Array, baseS: number): void {
		this.makeRecord(into, KIND_RAW, baseS, END_S);
	}

	/** The raw sector that was begun with that record is in flash. */
	addRaw(sector: number, record: Uint8Array): void {
		this.take(sector, record);
		this.#raw |= 1 << sector;
		this.chainRaw();
	}

	/** Completes a dense sector: from now on it counts. */
	addDense(sector: number, baseS: number, untilS: number): void {
		const record = new Uint8Array(RECORD_SIZE);
		this.makeRecord(record, KIND_DENSE, baseS, untilS);
		this.partition.write(sector * ERASE_SIZE + DATA_END, record);
		this.take(sector, record);
	}

	baseOf(sector: number): number {
		return this.#table[sector * COLUMNS + BASE];
	}

	isRaw(sector: number): boolean {
		return (this.#raw & (1 << sector)) !== 0;
	}

	/** The sector that tells what came after `timeS`; -1: nothing has. */
	at(timeS: number): number {
		const table = this.#table;
		let found = -1;
		let later = -1;
		for (let row = 0, i = 0; i < this.count; i++, row += COLUMNS) {
			if (table[row] === 0 || table[row + UNTIL] <= timeS) continue;
			if (table[row + BASE] > timeS) {
				if (later < 0 || table[row + BASE] < this.baseOf(later)) later = i;
			} else if (found < 0 || table[row] > table[found * COLUMNS]) found = i;
		}
		// Where flash has lost a sector, the history goes on with the one behind it.
		return found < 0 ? later : found;
	}

	/** How far that sector counts, from `timeS` on: to its end, or to where one with a higher number begins. */
	endOf(sector: number, timeS: number): number {
		const number = this.#table[sector * COLUMNS];
		let endS = this.#table[sector * COLUMNS + UNTIL];
		for (let row = 0; row < this.#table.length; row += COLUMNS) {
			if (this.#table[row] > number && this.#table[row + BASE] > timeS) endS = Math.min(endS, this.#table[row + BASE]);
		}
		return endS;
	}

	/** A time before `timeS` from which reading can begin: 0, or that of the last entry of the sector before. */
	startBefore(timeS: number): number {
		let startS = 0;
		for (;;) {
			const sector = this.at(startS);
			const endS = sector < 0 ? END_S : this.endOf(sector, Math.max(startS, this.baseOf(sector)));
			if (endS >= timeS) return startS;
			startS = endS;
		}
	}

	/** Sectors that nothing would be read from. */
	get free(): number {
		let free = 0;
		for (let live = this.live(), i = 0; i < this.count; i++) if ((live & (1 << i)) === 0) free++;
		return free;
	}

	/** Erases the free sector that has been free for longest, and gives it. */
	allocate(): number {
		const live = this.live();
		let found = -1;
		for (let i = 0; i < this.count; i++) {
			if (live & (1 << i)) continue;
			if (found < 0 || this.#table[i * COLUMNS] < this.#table[found * COLUMNS]) found = i;
		}
		if (found < 0) throw new Error("the history has no free sector");
		this.clearRow(found);
		this.partition.erase(found * ERASE_SIZE, ERASE_SIZE);
		return found;
	}

	/** Whether the sector still is what it was: another one who knows the partition may have put it to another use. */
	isIntact(sector: number): boolean {
		const record = new Uint8Array(RECORD_SIZE);
		const isRaw = this.isRaw(sector);
		this.partition.read(sector * ERASE_SIZE + (isRaw ? 0 : DATA_END), record);
		const number = this.#table[sector * COLUMNS];
		return isRecord(record, isRaw ? KIND_RAW : KIND_DENSE) && number32(record, 2) === number;
	}

	/** Bits of the sectors from which something would be read. */
	private live(): number {
		let live = 0;
		for (let timeS = 0; timeS < END_S; ) {
			const sector = this.at(timeS);
			if (sector < 0) break;
			live |= 1 << sector;
			timeS = this.endOf(sector, Math.max(timeS, this.baseOf(sector)));
		}
		return live;
	}

	private clearRow(sector: number): void {
		this.#table.fill(0, sector * COLUMNS, (sector + 1) * COLUMNS);
		this.#raw &= ~(1 << sector);
	}

	private take(sector: number, record: Uint8Array): void {
		this.#table[sector * COLUMNS] = number32(record, 2);
		this.#table[sector * COLUMNS + BASE] = number32(record, 6);
		this.#table[sector * COLUMNS + UNTIL] = number32(record, 10);
	}

	/** A raw sector ends where the next one begins, be it before its own readings: the clock was put back then. */
	private chainRaw(): void {
		this.head = -1;
		let endS = END_S;
		for (let below = END_S; ; ) {
			let found = -1;
			for (let i = 0; i < this.count; i++) {
				const number = this.#table[i * COLUMNS];
				if (!this.isRaw(i) || number >= below) continue;
				if (found < 0 || number > this.#table[found * COLUMNS]) found = i;
			}
			if (found < 0) return;
			if (this.head < 0) this.head = found;
			below = this.#table[found * COLUMNS];
			this.#table[found * COLUMNS + UNTIL] = endS;
			endS = this.#table[found * COLUMNS + BASE];
		}
	}

	private makeRecord(into: Uint8Array, kind: number, baseS: number, untilS: number): void {
		let highest = 0;
		for (let row = 0; row < this.#table.length; row += COLUMNS) highest = Math.max(highest, this.#table[row + NUMBER]);
		into[0] = kind;
		into[1] = VERSION;
		putNumber32(into, 2, highest + 1);
		putNumber32(into, 6, baseS);
		putNumber32(into, 10, untilS);
		putCheck(into, 0, RECORD_SIZE);
	}
}

/** Sectors of a partition that are used; 0: it is too small. */
export function countOf({ size }: Partition): number {
	const count = Math.min(Math.floor(size / ERASE_SIZE), SECTOR_LIMIT);
	return count < SECTOR_MINIMUM ? 0 : count;
}

/**
 * Bytes of the block at `bytes[at..end)`, whole slots; 0 where none begins. A block: length of what it holds, that, 0xFF up
 * to the check in the last two bytes of its last slot.
 */
export function blockSize(bytes: Uint8Array, at: number, end: number): number {
	const size = sizeOfBlock(bytes[at]);
	return at + size <= end && isChecked(bytes, at, at + size) ? size : 0;
}

/** Completes a block of `length` bytes, which begins at `bytes[at]`; returns its size. */
export function makeBlock(bytes: Uint8Array, at: number, length: number): number {
	const size = sizeOfBlock(length);
	bytes[at] = length;
	bytes.fill(0xff, at + 1 + length, at + size);
	putCheck(bytes, at, at + size);
	return size;
}

function sizeOfBlock(length: number): number {
	return Math.ceil((length + 3) / SLOT) * SLOT;
}

function isRecord(bytes: Uint8Array, kind: number): boolean {
	return bytes[0] === kind && bytes[1] === VERSION && isChecked(bytes, 0, RECORD_SIZE);
}

function putCheck(bytes: Uint8Array, start: number, end: number): void {
	const check = crc16(bytes, start, end - 2);
	bytes[end - 2] = check & 127;
	bytes[end - 1] = (check >> 7) & 127;
}

function isChecked(bytes: Uint8Array, start: number, end: number): boolean {
	const check = crc16(bytes, start, end - 2);
	return bytes[end - 2] === (check & 127) && bytes[end - 1] === ((check >> 7) & 127);
}

function number32(bytes: Uint8Array, at: number): number {
	return bytes[at] + bytes[at + 1] * 256 + bytes[at + 2] * 65_536 + bytes[at + 3] * 16_777_216;
}

function putNumber32(into: Uint8Array, at: number, value: number): void {
	into[at] = value;
	into[at + 1] = value >>> 8;
	into[at + 2] = value >>> 16;
	into[at + 3] = value >>> 24;
}
