/**
 * Extracts HDLC frames (frame.ts; IEC 62056-46, 6.4), for a connection or a passive listener.
 *
 * A frame is collected in the caller's buffer from `base` on. If its type, length, address or check value is wrong, the
 * search continues at the next flag within the collected bytes. So a valid frame after a truncated one is found. A
 * frame becomes ready when the flag after its check value arrives, or when the line falls silent. With any other byte
 * there it is damaged: one in 65 536 damaged frames has a right check value.
 *
 * Limits: the buffer must have at least ROOM bytes after `base`. If a frame is longer than the buffer, only its header
 * is kept.
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

/** Number of bytes that must be free after `base`. A frame without information, or a header, needs so many. */
export const ROOM = BARE_FRAME_LIMIT;

const VERDICT_MORE = 0;
const VERDICT_BAD = 1;
const VERDICT_READY = 2;

/** Length of the shortest header, from the format to the control byte. */
const HEADER_MIN = 5;

export class FrameDecoder {
	readonly bytes: Uint8Array;
	/** True if a frame is complete. The members below describe it until `release` is called. */
	ready = false;
	/**
	 * True if the frame does not fit the buffer. Only the header is valid then, and the frame check is not verified.
	 */
	tooLong = false;
	control = 0;
	/** True if more segments follow (bit S of the format field). */
	segmented = false;
	/**
	 * End of the destination address, which begins at `destinationStart`, and start of the source address, which ends
	 * at `sourceEnd`.
	 */
	sourceStart = 0;
	sourceEnd = 0;
	/** Start of the information, which ends at `infoEnd`. */
	infoStart = 0;
	/** Number of damaged or truncated frames, including noise that looked like a frame. */
	bad = 0;
	#base = 0;
	/**
	 * Start and end (`#to`) of the bytes collected of the current frame, with its flag. They are equal before a flag.
	 */
	#from = 0;
	#to = 0;
	/** Value that `#to` must reach before the bytes are examined again. */
	#need = 0;
	/** End of the complete frame, before its closing flag. */
	#frameEnd = 0;
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

	/** True inside a frame, in which the next byte must follow soon. */
	get inside(): boolean {
		return this.#to - this.#from > 1 || this.#skip > 0;
	}

	/** End of the bytes in the buffer. Until the header check has arrived, it is at most 14 bytes after `base`. */
	get written(): number {
		return this.#to;
	}

	get hasFlag(): boolean {
		return this.#to - this.#from === 1;
	}

	/** Takes bytes until a frame is ready. Returns the position of the first byte that was not taken. */
	read(bytes: Uint8Array, start: number, end: number): number {
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
	 * Call when the line has become silent. A complete frame without a closing flag then becomes ready. Call it again
	 * after each `release`, until no frame is ready.
	 */
	silence(): void {
		this.#skip = 0;
		if (!this.ready) this.scan(true);
	}

	/**
	 * Drops the frame. Afterwards the next frame may be ready. `base` is where the next frame is collected; it must not
	 * be after the end of the dropped frame's information.
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

	private begin(bytes: Uint8Array, start: number, end: number): number {
		let at = start;
		while (at < end && bytes[at] !== FLAG) at++;
		if (at === end) return end;
		this.bytes[this.#to++] = FLAG;
		this.scan(false);
		return at + 1;
	}

	private gather(bytes: Uint8Array, start: number, end: number): number {
		const into = this.bytes;
		const count = Math.min(end - start, this.#need - this.#to);
		let to = this.#to;
		for (let at = start; at < start + count; at++) into[to++] = bytes[at];
		this.#to = to;
		if (to === this.#need) this.scan(false);
		return start + count;
	}

	/** Searches the collected bytes for a frame. `isSilent` is true if no more bytes follow. */
	private scan(isSilent: boolean): void {
		while (this.findFlag()) {
			const verdict = this.examine(isSilent);
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

	/**
	 * Moves to the next flag; if several flags follow each other, to the last of them. Returns false if there is no
	 * flag.
	 */
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

	private examine(isSilent: boolean): number {
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
		return this.examineChecks(start + length, isSilent);
	}

	/** Checks the length and the check values. `end` is the end of the frame according to its length field. */
	private examineChecks(end: number, isSilent: boolean): number {
		const { bytes } = this;
		const start = this.#from + 1;
		const headerEnd = this.sourceEnd + 1;
		if (end === headerEnd + CHECK_LENGTH) this.infoStart = headerEnd;
		else {
			this.infoStart = headerEnd + CHECK_LENGTH;
			if (end < this.infoStart + CHECK_LENGTH) return VERDICT_BAD;
			if (this.#to < this.infoStart) return this.more(this.infoStart);
			if (!this.isCheckValid(start, headerEnd)) return VERDICT_BAD;
		}
		this.#frameEnd = end;
		this.control = bytes[this.sourceEnd];
		this.segmented = (bytes[start] & FORMAT_SEGMENTED) !== 0;
		if (this.#base + (end - this.#from) + 1 > bytes.length) {
			this.tooLong = true;
			return VERDICT_READY;
		}
		if (this.#to < end || (this.#to === end && !isSilent)) return this.more(end + 1);
		const isClosed = this.#to === end || bytes[end] === FLAG;
		return isClosed && this.isCheckValid(start, this.infoEnd) ? VERDICT_READY : VERDICT_BAD;
	}

	private isCheckValid(start: number, end: number): boolean {
		return crc16(this.bytes, start, end) === (this.bytes[end] | (this.bytes[end + 1] << 8));
	}

	private more(need: number): number {
		this.#need = need;
		return VERDICT_MORE;
	}
}
