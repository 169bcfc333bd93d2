/**
 * Cuts HDLC frames out of what a line brings, for a connection or a listener: by their length field, never by looking
 * for a closing flag. frame.ts has the layout, IEC 62056-46, 6.4.
 *
 * A frame is gathered in the owner's buffer from `base` on, where its information then stands. One whose type, length,
 * addresses or checks are wrong is dropped, and the search goes on with the next flag inside it, so that the good frame
 * that it ran into is not lost. A frame is ready with the byte after its frame check, or when the line has gone silent.
 *
 * Limits: ROOM bytes must be free behind `base`; a frame that is longer than what is free gives its header alone.
 */
import { crc16 } from "../bytes/crc16.js";
import { ADDRESS_BAD, addressEnd } from "./address.js";
import {
	ADDRESS_AT,
	BARE_FRAME_LIMIT,
	CHECK_LENGTH,
	FLAG,
	FORMAT_LENGTH_MASK,
	FORMAT_SEGMENTED,
	FORMAT_TYPE,
	FORMAT_TYPE_MASK,
} from "./frame.js";

/** Bytes that are always free behind `base`: a frame without information, or the header of one with it. */
export const ROOM = BARE_FRAME_LIMIT;

const VERDICT_MORE = 0;
const VERDICT_BAD = 1;
const VERDICT_READY = 2;

/** Shortest header, format to control. */
const HEADER_MIN = 5;

export class FrameDecoder {
	/** The owner's buffer. What is before `base` is the owner's alone. */
	readonly bytes: Uint8Array;
	/** A frame is whole; the fields below tell of it until `release`. */
	ready = false;
	/** It is longer than the buffer: only its header is known, its frame check is not. */
	tooLong = false;
	control = 0;
	/** The S bit. */
	segmented = false;
	/** The addresses are `bytes[destinationStart..sourceStart)` and `bytes[sourceStart..sourceEnd)`. */
	sourceStart = 0;
	sourceEnd = 0;
	/** The information is `bytes[infoStart..infoEnd)`. */
	infoStart = 0;
	/** What began like a frame and was none, or was damaged or cut. */
	bad = 0;
	#base = 0;
	/** The frame looked at is `bytes[#from..#to)`, its flag included; nothing has begun while both are the same. */
	#from = 0;
	#to = 0;
	/** Where `#to` must be for another look. */
	#need = 0;
	/** End of the frame that is ready, before its closing flag. */
	#frameEnd = 0;
	/** Bytes still to come of a frame that was too long. */
	#skip = 0;

	constructor(bytes: Uint8Array) {
		this.bytes = bytes;
	}

	get destinationStart(): number {
		return this.#from + ADDRESS_AT;
	}

	get infoEnd(): number {
		return this.#frameEnd - CHECK_LENGTH;
	}

	/** A frame has begun; its next byte must not be long in coming. */
	get inside(): boolean {
		return this.#to - this.#from > 1 || this.#skip > 0;
	}

	/** How far into the buffer it has written: not beyond a header (14 bytes from `base`) before its check is known. */
	get written(): number {
		return this.#to;
	}

	/** A flag came last: it closed a frame or opens one. */
	get hasFlag(): boolean {
		return this.#to - this.#from === 1;
	}

	/** Takes bytes of `bytes[start..end)` until a frame is ready; returns where the next one to take stands. */
	take(bytes: Uint8Array, start: number, end: number): number {
		let at = start;
		while (at < end && !this.ready) {
			if (this.#skip > 0) {
				const count = Math.min(this.#skip, end - at);
				this.#skip -= count;
				at += count;
			} else if (this.#from === this.#to) at = this.begin(bytes, at, end);
			else at = this.gather(bytes, at, end);
		}
		return at;
	}

	/**
	 * The line has gone silent: what has begun is whole now or never. Ask again after each `release` until nothing is
	 * ready.
	 */
	silence(): void {
		this.#skip = 0;
		if (!this.ready) this.scan(true);
	}

	/**
	 * Forgets the frame that is ready, if any, and gathers from `base` on, which is at most where its information ended.
	 * Another frame may be ready after it.
	 */
	release(base: number): void {
		if (this.tooLong) {
			this.#skip = Math.max(0, this.#frameEnd - this.#to);
			this.#to = this.#from;
		} else if (this.ready) this.#from = this.#frameEnd;
		this.ready = false;
		this.tooLong = false;
		this.#base = base;
		this.scan(false);
	}

	/** Looks for the first flag; returns where the byte after it stands. */
	private begin(bytes: Uint8Array, start: number, end: number): number {
		let at = start;
		while (at < end && bytes[at] !== FLAG) at++;
		if (at === end) return end;
		this.bytes[this.#to++] = FLAG;
		this.scan(false);
		return at + 1;
	}

	/** Takes as many bytes as the next look needs, if there are so many. */
	private gather(bytes: Uint8Array, start: number, end: number): number {
		const into = this.bytes;
		const count = Math.min(end - start, this.#need - this.#to);
		let to = this.#to;
		for (let at = start; at < start + count; at++) into[to++] = bytes[at];
		this.#to = to;
		if (to === this.#need) this.scan(false);
		return start + count;
	}

	/** Looks at what is there until a frame is ready or more must come. `isSilent`: no more will come. */
	private scan(isSilent: boolean): void {
		while (this.findFlag()) {
			const verdict = this.look(isSilent);
			if (verdict === VERDICT_READY) {
				this.ready = true;
				return;
			}
			const isLoneFlag = this.#to - this.#from === 1;
			if (verdict === VERDICT_MORE && (!isSilent || isLoneFlag)) {
				this.compact();
				return;
			}
			this.bad++;
			this.#from++;
		}
		this.#from = this.#base;
		this.#to = this.#base;
		this.#need = this.#base;
	}

	/** Goes on to the last flag of the next row of flags; false when there is none. */
	private findFlag(): boolean {
		const { bytes } = this;
		while (this.#from < this.#to && bytes[this.#from] !== FLAG) this.#from++;
		while (this.#from + 1 < this.#to && bytes[this.#from + 1] === FLAG) this.#from++;
		return this.#from < this.#to;
	}

	private compact(): void {
		const shift = this.#from - this.#base;
		if (shift === 0) return;
		this.bytes.copyWithin(this.#base, this.#from, this.#to);
		this.#from -= shift;
		this.#to -= shift;
		this.#need -= shift;
	}

	private look(isSilent: boolean): number {
		const { bytes } = this;
		const start = this.#from + 1;
		if (this.#to < start + 1) return this.more(start + 1);
		if ((bytes[start] & FORMAT_TYPE_MASK) !== FORMAT_TYPE) return VERDICT_BAD;
		if (this.#to < start + HEADER_MIN) return this.more(start + HEADER_MIN);
		const length = ((bytes[start] & FORMAT_LENGTH_MASK) << 8) | bytes[start + 1];
		this.sourceStart = addressEnd(bytes, this.#from + ADDRESS_AT, this.#to);
		if (this.sourceStart === ADDRESS_BAD) return VERDICT_BAD;
		this.sourceEnd = this.sourceStart === 0 ? 0 : addressEnd(bytes, this.sourceStart, this.#to);
		if (this.sourceEnd === ADDRESS_BAD) return VERDICT_BAD;
		if (this.sourceEnd === 0 || this.sourceEnd >= this.#to) return this.more(this.#to + 1);
		return this.lookAtChecks(start + length, isSilent);
	}

	/** The header is there up to the control byte; the length says that the frame ends at `end`. */
	private lookAtChecks(end: number, isSilent: boolean): number {
		const { bytes } = this;
		const start = this.#from + 1;
		const headerEnd = this.sourceEnd + 1;
		if (end === headerEnd + CHECK_LENGTH) this.infoStart = headerEnd;
		else {
			this.infoStart = headerEnd + CHECK_LENGTH;
			if (end < this.infoStart + CHECK_LENGTH) return VERDICT_BAD;
			if (this.#to < this.infoStart) return this.more(this.infoStart);
			if (!this.checks(start, headerEnd)) return VERDICT_BAD;
		}
		this.#frameEnd = end;
		this.control = bytes[this.sourceEnd];
		this.segmented = (bytes[start] & FORMAT_SEGMENTED) !== 0;
		if (this.#base + (end - this.#from) + 1 > bytes.length) {
			this.tooLong = true;
			return VERDICT_READY;
		}
		if (this.#to < end || (this.#to === end && !isSilent)) return this.more(end + 1);
		return this.checks(start, this.infoEnd) ? VERDICT_READY : VERDICT_BAD;
	}

	/** The check value after `bytes[start..end)` is right. */
	private checks(start: number, end: number): boolean {
		return crc16(this.bytes, start, end) === (this.bytes[end] | (this.bytes[end + 1] << 8));
	}

	private more(need: number): number {
		this.#need = need;
		return VERDICT_MORE;
	}
}
