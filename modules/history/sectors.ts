/**
 * Sectors of the history's partition, of two kinds:
 *
 *   raw     0 record, 16 on blocks (journal.ts), one per reading; readings are appended to the newest sector, the head
 *   dense   0 on entries (entry.ts) in sequence, 4080 record; made by compaction (compaction.ts), nothing is appended
 *
 * A sector is valid when its record has been written; a raw sector must also have its first block. Until then it counts
 * as free. The format of a record, low byte first:
 *
 *   0   4  number of the sector, increasing; if two sectors cover the same time, the one with the higher number is used
 *   4   4  start of the time covered, exclusive: Unix time in seconds of the entry before its first entry
 *   8   4  end of the time covered, inclusive; a raw sector covers the time until the start of the next raw sector
 *   12  2  KIND_…
 *   14  2  check value (below)
 *
 * When the record of a compacted sector is written, the sector replaces its source sectors atomically. The source
 * sectors are not marked. A sector is erased only just before it is used again.
 *
 * A check value follows the bytes that it protects. It has 7 bits in each byte, so none of its bytes looks like erased
 * flash. If a power cut ends a write before the last byte, the check value is therefore wrong.
 */
import { crc16 } from "../bytes/crc16.js";
import { ERASE_SIZE, type Partition } from "../io/flash.js";

const SECTOR_LIMIT = 16;
const SECTOR_MINIMUM = 5;

export const RECORD_SIZE = 16;
/**
 * Bounds of the readings in a sector. In a raw sector, they are after RAW_START, where the record ends. In a dense
 * sector, they are before DATA_END, where the record begins.
 */
export const RAW_START = RECORD_SIZE;
export const DATA_END = ERASE_SIZE - RECORD_SIZE;
export const SLOT = 16;
/** Maximum length of a block, which consists of length, entry, meter state and check value. */
export const BLOCK_LIMIT = 144;
/** A time that is later than the time of every entry. */
export const END_S = 0xffffffff;

export const KIND_RAW = 0x5248;
export const KIND_DENSE = 0x4448;

const NUMBER = 0;
const BASE = 1;
const UNTIL = 2;
const KIND = 3;
const COLUMNS = 4;

export class Sectors {
	readonly partition: Partition;
	readonly count: number;
	head = -1;
	/** Records of all sectors. The number in the record is 0 if the sector has no valid record. */
	readonly #table: Uint32Array;
	/** Bit mask of the sectors that `walk` has found in use. */
	#live = 0;

	/** The constructor and all methods throw if the flash fails. */
	constructor(partition: Partition) {
		this.partition = partition;
		this.count = countOf(partition);
		this.#table = new Uint32Array(this.count * COLUMNS);
		this.load();
	}

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
		// A raw sector ends where the next raw sector starts. If the clock was set back, this may be before some of its
		// readings.
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

	/** Returns false if the sector has been reused since this object read its record. */
	isIntact(sector: number): boolean {
		return this.recordOf(sector, this.get(sector, KIND))?.[NUMBER] === this.get(sector, NUMBER);
	}

	/** Returns the sector that contains the entries after `timeS`, or -1. */
	at(timeS: number): number {
		let found = -1;
		let later = -1;
		for (let i = 0; i < this.count; i++) {
			if (this.get(i, UNTIL) <= timeS) continue;
			if (this.get(i, BASE) > timeS) {
				if (later < 0 || this.get(i, BASE) < this.get(later, BASE)) later = i;
			} else if (found < 0 || this.get(i, NUMBER) > this.get(found, NUMBER)) found = i;
		}
		// If the sector that covers this time is lost, the history continues with the next sector.
		return found < 0 ? later : found;
	}

	/**
	 * Returns where the valid range of the sector ends, which is at its own end or at the start of a sector with a
	 * higher number.
	 */
	endOf(sector: number, timeS: number): number {
		const fromS = Math.max(timeS, this.get(sector, BASE));
		let endS = this.get(sector, UNTIL);
		for (let i = 0; i < this.count; i++) {
			if (this.get(i, NUMBER) > this.get(sector, NUMBER) && this.get(i, BASE) > fromS)
				endS = Math.min(endS, this.get(i, BASE));
		}
		return endS;
	}

	/**
	 * Goes through all sectors in use, up to the valid range that contains `timeS`. Returns the start of this range,
	 * which is 0 or the time of an entry.
	 */
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

	get free(): number {
		this.walk(END_S);
		let free = 0;
		for (let i = 0; i < this.count; i++) if ((this.#live & (1 << i)) === 0) free++;
		return free;
	}

	/** Erases a free sector and returns its index. Throws if no sector is free. */
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

	private recordOf(sector: number, kind: number): Uint32Array | undefined {
		const bytes = new Uint8Array(RECORD_SIZE);
		this.partition.read(sector * ERASE_SIZE + (kind === KIND_RAW ? 0 : DATA_END), bytes);
		if (!checkAt(bytes, 0, RECORD_SIZE)) return undefined;
		const record = new Uint32Array(bytes.buffer);
		record[KIND] &= 0xffff;
		return record[KIND] === kind ? record : undefined;
	}
}

export function countOf({ size }: Partition): number {
	const count = Math.min(Math.floor(size / ERASE_SIZE), SECTOR_LIMIT);
	return count < SECTOR_MINIMUM ? 0 : count;
}

/**
 * Returns the size of the block at `at`, a multiple of SLOT; 0 if it is invalid. A block has the length of the content
 * (1 byte), the content, 0xFF as padding, and the check value (2 bytes).
 */
export function blockSize(bytes: Uint8Array, at: number): number {
	const size = Math.ceil((bytes[at] + 3) / SLOT) * SLOT;
	return at + size <= bytes.length && checkAt(bytes, at, at + size) ? size : 0;
}

export function makeBlock(bytes: Uint8Array, at: number, length: number): number {
	const size = Math.ceil((length + 3) / SLOT) * SLOT;
	bytes[at] = length;
	bytes.fill(0xff, at + 1 + length, at + size);
	checkAt(bytes, at, at + size);
	return size;
}

/** Writes the check value. Returns true if the bytes already had this check value. */
function checkAt(bytes: Uint8Array, start: number, end: number): boolean {
	const check = crc16(bytes, start, end - 2);
	const isThere = bytes[end - 2] === (check & 127) && bytes[end - 1] === ((check >> 7) & 127);
	bytes[end - 2] = check & 127;
	bytes[end - 1] = (check >> 7) & 127;
	return isThere;
}
