/**
 * The sectors of the history in its flash partition. One is either
 *
 *   raw     0 record, 16 on blocks (journal.ts), one a reading; the newest of them is the head, to which readings are added
 *   dense   0 on entries (entry.ts) one after another, 4080 record; compacted (compaction.ts), and never added to
 *
 * and counts from when its record, and of a raw one its first block, is there: until then it is free. A record:
 *
 *   0   4  number of the sector, one more with each: of two that tell of the same time the higher one counts
 *   4   4  it tells of the time after this (Unix time in seconds, that of the entry before its first)
 *   8   4  until this, and including it; of a raw one it is open: until where the next raw one begins
 *   12  2  KIND_…
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
/** A history needs at least so many sectors. */
const SECTOR_MINIMUM = 5;

export const RECORD_SIZE = 16;
/** Bytes of a sector for readings: from behind the first record to before the last one. */
export const RAW_START = RECORD_SIZE;
export const DATA_END = ERASE_SIZE - RECORD_SIZE;
export const SLOT = 16;
/** The longest block, bytes: length, entry, state, check. */
export const BLOCK_LIMIT = 112;
/** Later than any entry. */
export const END_S = 0xffffffff;

export const KIND_RAW = 0x5248;
export const KIND_DENSE = 0x4448;

/** Columns of the table, and words of a record. */
const NUMBER = 0;
const BASE = 1;
const UNTIL = 2;
const KIND = 3;
const COLUMNS = 4;

export class Sectors {
	readonly partition: Partition;
	readonly count: number;
	/** The newest raw sector; -1: there is none yet. */
	head = -1;
	/** A row for each sector, as its record; number 0: it is free. */
	readonly #table: Uint32Array;
	/** Bits of those from which something would be read, up to where `walk` has come. */
	#live = 0;

	/** Throws what the flash throws, as all methods do. */
	constructor(partition: Partition) {
		this.partition = partition;
		this.count = countOf(partition);
		this.#table = new Uint32Array(this.count * COLUMNS);
		this.load();
	}

	/** Finds out what stands in flash. */
	load(): void {
		const table = this.#table;
		table.fill(0);
		const block = new Uint8Array(BLOCK_LIMIT);
		for (let i = 0; i < this.count; i++) {
			const record = this.recordOf(i, KIND_DENSE) ?? this.recordOf(i, KIND_RAW);
			if (record === undefined) continue;
			this.partition.read(i * ERASE_SIZE + RAW_START, block);
			if (record[KIND] === KIND_DENSE || blockSize(block, 0) > 0) table.set(record, i * COLUMNS);
		}
		this.head = -1;
		// A raw sector ends where the next one begins, be it before its own readings: the clock was put back then.
		for (let i = 0; i < this.count; i++) {
			if (!this.isRaw(i)) continue;
			let next = -1;
			for (let j = 0; j < this.count; j++) {
				if (!this.isRaw(j) || this.get(j, NUMBER) <= this.get(i, NUMBER)) continue;
				if (next < 0 || this.get(j, NUMBER) < this.get(next, NUMBER)) next = j;
			}
			if (next < 0) this.head = i;
			else table[i * COLUMNS + UNTIL] = this.get(next, BASE);
		}
	}

	/** Writes the record of the next sector into `into[0..RECORD_SIZE)`. */
	makeRecord(into: Uint8Array, kind: number, baseS: number, untilS: number): void {
		let highest = 0;
		for (let i = 0; i < this.count; i++) highest = Math.max(highest, this.get(i, NUMBER));
		new Uint32Array(into.buffer).set([highest + 1, baseS, untilS, kind]);
		checkAt(into, 0, RECORD_SIZE);
	}

	baseOf(sector: number): number {
		return this.get(sector, BASE);
	}

	isRaw(sector: number): boolean {
		return this.get(sector, KIND) === KIND_RAW;
	}

	/** Whether the sector still is what it was: another one who knows the partition may have put it to another use. */
	isIntact(sector: number): boolean {
		return this.recordOf(sector, this.get(sector, KIND))?.[NUMBER] === this.get(sector, NUMBER);
	}

	/** The sector that tells what came after `timeS`; -1: nothing has. */
	at(timeS: number): number {
		let found = -1;
		let later = -1;
		for (let i = 0; i < this.count; i++) {
			if (this.get(i, UNTIL) <= timeS) continue;
			if (this.get(i, BASE) > timeS) {
				if (later < 0 || this.get(i, BASE) < this.get(later, BASE)) later = i;
			} else if (found < 0 || this.get(i, NUMBER) > this.get(found, NUMBER)) found = i;
		}
		// Where flash has lost a sector, the history goes on with the one behind it.
		return found < 0 ? later : found;
	}

	/** How far that sector counts, from `timeS` on: to its end, or to where one with a higher number begins. */
	endOf(sector: number, timeS: number): number {
		const fromS = Math.max(timeS, this.get(sector, BASE));
		let endS = this.get(sector, UNTIL);
		for (let i = 0; i < this.count; i++) {
			if (this.get(i, NUMBER) > this.get(sector, NUMBER) && this.get(i, BASE) > fromS)
				endS = Math.min(endS, this.get(i, BASE));
		}
		return endS;
	}

	/** Goes from sector to sector up to `timeS`; returns where the one begins in which that is: 0, or the time of an entry. */
	walk(timeS: number): number {
		this.#live = 0;
		for (let startS = 0; ; ) {
			const sector = this.at(startS);
			if (sector < 0) return startS;
			this.#live |= 1 << sector;
			const endS = this.endOf(sector, startS);
			if (endS >= timeS) return startS;
			startS = endS;
		}
	}

	/** How many sectors there are from which nothing would be read. */
	get free(): number {
		this.walk(END_S);
		let free = 0;
		for (let i = 0; i < this.count; i++) if ((this.#live & (1 << i)) === 0) free++;
		return free;
	}

	/** Erases the free sector that has been free for longest, and gives it. */
	allocate(): number {
		this.walk(END_S);
		let found = -1;
		for (let i = 0; i < this.count; i++) {
			if (this.#live & (1 << i)) continue;
			if (found < 0 || this.get(i, NUMBER) < this.get(found, NUMBER)) found = i;
		}
		if (found < 0) throw new Error("the history has no free sector");
		this.partition.erase(found * ERASE_SIZE, ERASE_SIZE);
		return found;
	}

	private get(sector: number, column: number): number {
		return this.#table[sector * COLUMNS + column];
	}

	/** The record of that kind in flash; undefined: there is none. */
	private recordOf(sector: number, kind: number): Uint32Array | undefined {
		const bytes = new Uint8Array(RECORD_SIZE);
		this.partition.read(sector * ERASE_SIZE + (kind === KIND_RAW ? 0 : DATA_END), bytes);
		if (!checkAt(bytes, 0, RECORD_SIZE)) return undefined;
		const record = new Uint32Array(bytes.buffer);
		record[KIND] &= 0xffff;
		return record[KIND] === kind ? record : undefined;
	}
}

/** Sectors of a partition that are used; 0: it is too small. */
export function countOf({ size }: Partition): number {
	const count = Math.min(Math.floor(size / ERASE_SIZE), SECTOR_LIMIT);
	return count < SECTOR_MINIMUM ? 0 : count;
}

/**
 * Bytes of the block at `bytes[at..)`, whole slots; 0 where none begins. A block: length of what it holds, that, 0xFF up
 * to the check in the last two bytes of its last slot.
 */
export function blockSize(bytes: Uint8Array, at: number): number {
	const size = Math.ceil((bytes[at] + 3) / SLOT) * SLOT;
	return at + size <= bytes.length && checkAt(bytes, at, at + size) ? size : 0;
}

/** Completes a block of `length` bytes, which begins at `bytes[at]`; returns its size. */
export function makeBlock(bytes: Uint8Array, at: number, length: number): number {
	const size = Math.ceil((length + 3) / SLOT) * SLOT;
	bytes[at] = length;
	bytes.fill(0xff, at + 1 + length, at + size);
	checkAt(bytes, at, at + size);
	return size;
}

/** Puts the check at the end of `bytes[start..end)`; returns whether it stood there already. */
function checkAt(bytes: Uint8Array, start: number, end: number): boolean {
	const check = crc16(bytes, start, end - 2);
	const isThere = bytes[end - 2] === (check & 127) && bytes[end - 1] === ((check >> 7) & 127);
	bytes[end - 2] = check & 127;
	bytes[end - 1] = (check >> 7) & 127;
	return isThere;
}
