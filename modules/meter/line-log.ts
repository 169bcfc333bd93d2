/**
 * Log of the raw optical session (`log_en`), for `GET iec62056/log` and the diagnostic report: a ring of LOG_LIMIT
 * bytes. DLMS/COSEM secrets are masked before logging (cosem/association-session.ts).
 *
 * | bytes of an entry | meaning |
 * |---|---|
 * | 1 | kind: LOG_RECEIVED, LOG_TRANSMITTED, LOG_LINE |
 * | 1 | length of the data, 1 to ENTRY_LIMIT |
 * | 4 | monotonic time, ms, low byte first |
 * | n | the characters (0x80 and above: damaged); for LOG_LINE, the speed in Bd, 3 bytes, low byte first |
 */
import { type LinkLog, TRANSMITTED } from "../io/link.js";

export const LOG_LIMIT = 4096;
const ENTRY_LIMIT = 255;
const HEAD = 6;
/** Longest pause within an entry, ms. Bytes that arrive later begin a new entry. */
const JOIN_MS = 100;

export const LOG_RECEIVED = 0;
export const LOG_TRANSMITTED = 1;
export const LOG_LINE = 2;

export class LineLog implements LinkLog {
	readonly #ring = new Uint8Array(LOG_LIMIT);
	readonly #speed = new Uint8Array(3);
	#first = 0;
	#length = 0;
	#newest = -1;
	dropped = 0;

	bytes(direction: number, bytes: Uint8Array, start: number, end: number, nowMs: number): void {
		const kind = direction === TRANSMITTED ? LOG_TRANSMITTED : LOG_RECEIVED;
		for (let from = start; from < end; ) {
			let room = this.joinRoom(kind, nowMs);
			if (room === 0) {
				room = Math.min(ENTRY_LIMIT, end - from);
				this.open(kind, nowMs);
			}
			from = this.append(bytes, from, Math.min(end, from + room));
		}
	}

	line(baud: number, nowMs: number): void {
		this.#speed[0] = baud & 0xff;
		this.#speed[1] = (baud >> 8) & 0xff;
		this.#speed[2] = baud >> 16;
		this.open(LOG_LINE, nowMs);
		this.append(this.#speed, 0, 3);
	}

	copy(): Uint8Array {
		const copy = new Uint8Array(this.#length);
		for (let i = 0; i < copy.length; i++) copy[i] = this.#ring[(this.#first + i) % LOG_LIMIT];
		return copy;
	}

	/** Returns the space left in the last entry; 0 if a new entry must begin. */
	private joinRoom(kind: number, nowMs: number): number {
		if (this.#newest < 0 || this.at(this.#newest) !== kind) return 0;
		const timeMs = this.timeOf(this.#newest);
		if (((nowMs >>> 0) - timeMs) >>> 0 > JOIN_MS) return 0;
		return ENTRY_LIMIT - this.at(this.#newest + 1);
	}

	private open(kind: number, nowMs: number): void {
		this.makeRoom(HEAD);
		this.#newest = this.#length;
		const timeMs = nowMs >>> 0;
		this.put(kind);
		this.put(0);
		for (let shift = 0; shift < 32; shift += 8) this.put((timeMs >>> shift) & 0xff);
	}

	private append(bytes: Uint8Array, start: number, end: number): number {
		this.makeRoom(end - start);
		for (let i = start; i < end; i++) this.put(bytes[i]);
		const lengthAt = (this.#first + this.#newest + 1) % LOG_LIMIT;
		this.#ring[lengthAt] += end - start;
		return end;
	}

	private makeRoom(bytes: number): void {
		while (LOG_LIMIT - this.#length < bytes) {
			const entry = HEAD + this.at(1);
			this.#first = (this.#first + entry) % LOG_LIMIT;
			this.#length -= entry;
			this.#newest -= entry;
			this.dropped++;
		}
	}

	private put(byte: number): void {
		this.#ring[(this.#first + this.#length) % LOG_LIMIT] = byte;
		this.#length++;
	}

	private at(offset: number): number {
		return this.#ring[(this.#first + offset) % LOG_LIMIT];
	}

	private timeOf(entry: number): number {
		let timeMs = 0;
		for (let i = 3; i >= 0; i--) timeMs = timeMs * 256 + this.at(entry + 2 + i);
		return timeMs;
	}
}

export class LogCursor {
	readonly bytes: Uint8Array;
	kind = LOG_RECEIVED;
	timeMs = 0;
	start = 0;
	end = 0;

	constructor(bytes: Uint8Array) {
		this.bytes = bytes;
	}

	next(): boolean {
		if (this.end >= this.bytes.length) return false;
		const at = this.end;
		this.kind = this.bytes[at];
		this.timeMs = 0;
		for (let i = 3; i >= 0; i--) this.timeMs = this.timeMs * 256 + this.bytes[at + 2 + i];
		this.start = at + HEAD;
		this.end = this.start + this.bytes[at + 1];
		return true;
	}
}
