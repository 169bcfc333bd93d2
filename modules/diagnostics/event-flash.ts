/**
 * Event log in the flash partition `log`. The sectors are used in turn. Each is erased, and then filled with records.
 *
 *   offset  bytes  content
 *   0       4      "SMGL"
 *   4       4      sequence number, little-endian, one more than that of the previous sector
 *   8       2      CRC-16/X.25 of the eight bytes before
 *   10      6      0
 *   16             records (event-record.ts), then erased flash; a power cut may leave an invalid record
 *
 * Wear: on a 4 MB chip the log has two sectors of 4 KB, with room for at least 63 records each. With WRITES_A_DAY
 * writes each day, a sector is erased up to 28 000 times in ten years. The flash is rated for 100 000 erase cycles per
 * sector.
 */
import { crc16 } from "../bytes/crc16.js";
import { putUint16LE, putUint32LE, uint16LE, uint32LE } from "../bytes/integers.js";
import { ERASE_SIZE, type Partition } from "../io/flash.js";
import { RECORD_LIMIT, recordLength, UNIT } from "./event-record.js";

/** Maximum number of writes a day, which event-log.ts enforces. */
export const WRITES_A_DAY = 960;

const MAGIC = Object.freeze([0x53, 0x4d, 0x47, 0x4c]);
const FILLING = 4;
const CHECK = 8;
const ERASED = 0xff;
const NONE = -1;

export class EventFlash {
	readonly #partition: Partition;
	/** Position of the next record in the current sector; 0 before a sector is started. */
	#at = 0;
	#sector = 0;
	#filling = 0;

	constructor(partition: Partition) {
		this.#partition = partition;
	}

	/**
	 * Calls `taken` for each record, oldest first. `taken` must not keep the bytes after it returns. Throws what the flash
	 * throws.
	 */
	load(taken: (bytes: Uint8Array, start: number, end: number) => void): void {
		const partition = this.#partition;
		const sectors = partition.size / ERASE_SIZE;
		const bytes = new Uint8Array(ERASE_SIZE);
		const fillings: number[] = [];
		for (let sector = 0; sector < sectors; sector++) {
			partition.read(sector * ERASE_SIZE, bytes, 0, UNIT);
			fillings.push(fillingOf(bytes));
		}
		for (;;) {
			let oldest = NONE;
			for (let sector = 0; sector < sectors; sector++) {
				if (fillings[sector] !== NONE && (oldest === NONE || fillings[sector] < fillings[oldest])) oldest = sector;
			}
			if (oldest === NONE) return;
			partition.read(oldest * ERASE_SIZE, bytes);
			this.#sector = oldest;
			this.#filling = fillings[oldest];
			fillings[oldest] = NONE;
			this.#at = readSector(bytes, taken);
		}
	}

	/** Throws what the flash throws. */
	append(record: Uint8Array): void {
		if (this.#at === 0 || this.#at + record.length > ERASE_SIZE) this.beginSector();
		const offset = this.#sector * ERASE_SIZE + this.#at;
		// The position is advanced before the write, because a failed write may leave bytes that are not erased.
		this.#at += record.length;
		this.#partition.write(offset, record);
	}

	/** Throws what the flash throws. */
	erase(): void {
		this.#at = 0;
		this.#partition.erase(0, this.#partition.size);
	}

	private beginSector(): void {
		const partition = this.#partition;
		const sector = this.#filling === 0 ? 0 : (this.#sector + 1) % (partition.size / ERASE_SIZE);
		const head = new Uint8Array(UNIT);
		const filling = this.#filling + 1;
		head.set(MAGIC);
		putUint32LE(head, FILLING, filling);
		putUint16LE(head, CHECK, crc16(head, 0, CHECK));
		// The position is 0 until the head is written. If erasing or writing fails, the next event starts the sector
		// again.
		this.#at = 0;
		partition.erase(sector * ERASE_SIZE, ERASE_SIZE);
		partition.write(sector * ERASE_SIZE, head);
		this.#sector = sector;
		this.#filling = filling;
		this.#at = UNIT;
	}
}

/** Returns the sequence number in the head of a sector, or NONE if the head is invalid. */
function fillingOf(head: Uint8Array): number {
	if (MAGIC.some((byte, index) => head[index] !== byte)) return NONE;
	if (crc16(head, 0, CHECK) !== uint16LE(head, CHECK)) return NONE;
	return uint32LE(head, FILLING);
}

/** Calls `taken` for each record of a sector. Returns the position after the last record. */
function readSector(bytes: Uint8Array, taken: (bytes: Uint8Array, start: number, end: number) => void): number {
	let end = ERASE_SIZE;
	while (end > UNIT && isErased(bytes, end - UNIT)) end -= UNIT;
	for (let at = UNIT; at < end; ) {
		const length = recordLength(bytes, at, Math.min(end, at + RECORD_LIMIT));
		if (length > 0) taken(bytes, at, at + length);
		at += length || UNIT;
	}
	return end;
}

function isErased(bytes: Uint8Array, at: number): boolean {
	for (let i = at; i < at + UNIT; i++) if (bytes[i] !== ERASED) return false;
	return true;
}
