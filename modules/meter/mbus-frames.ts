/**
 * Cuts the long frames of M-Bus out of what a line brings, and puts together the APDU that they carry in segments
 * (EN 13757-2, 5.5; EN 13757-3 and IEC 62056-7-3 for the DLMS transport).
 *
 * | bytes | field |
 * |---|---|
 * | 4 | 68 L L 68; L counts from C to the data. L below 3 can't be: those are 256 to 258 (Sagemcom T210-D) |
 * | 2 | C: SND_UD, 53 or 73; A: any |
 * | 1 | CI: number of the segment from 0 on (4 bits), 10 in the last one |
 * | 2 | transport selectors of source and destination |
 * | n | data |
 * | 2 | sum of C to the data, 16 |
 *
 * A frame that is damaged, or a segment out of its row, costs the APDU. Limits: the buffer; a longer one is dropped.
 */

const START = 0x68;
const END = 0x16;
const SND_UD = 0x53;
const LAST = 0x10;
/** C to the transport selectors. */
const HEAD = 5;

export class MBusFrames {
	/** The APDU, when `take` has said so: `bytes[0..length)`. */
	readonly bytes: Uint8Array;
	length = 0;
	/** Bytes of the frame so far, what its length says, its sum and CI. */
	#at = 0;
	#frameLength = 0;
	#sum = 0;
	#control = 0;
	/** Where the data of this frame goes. */
	#to = 0;
	/** Segments that are there. */
	#segments = 0;

	constructor(bytes: Uint8Array) {
		this.bytes = bytes;
	}

	/** The line has gone silent. */
	reset(): void {
		this.#at = this.#segments = 0;
	}

	/** Takes a byte; true when an APDU is whole: it is there until the next call. */
	take(byte: number): boolean {
		const at = this.#at++;
		const end = this.#frameLength + 4;
		if (at < 4) this.takeHead(at, byte);
		else if (at < end) this.takeBody(at - 4, byte);
		else if (at === end) {
			if (byte !== this.#sum) this.reset();
		} else {
			this.#at = 0;
			return byte === END && this.isWhole();
		}
		return false;
	}

	private takeHead(at: number, byte: number): void {
		this.#sum = 0;
		if (at === 1) this.#frameLength = byte < 3 ? byte + 256 : byte;
		else if (byte !== (at === 2 ? this.#frameLength & 0xff : START)) {
			// The one before may have been noise, and what was taken for the length begins the frame.
			const isLate = at === 2 && this.#frameLength === START;
			this.#at = isLate ? 2 : byte === START ? 1 : 0;
			if (isLate) this.#frameLength = byte;
		}
	}

	private takeBody(at: number, byte: number): void {
		this.#sum = (this.#sum + byte) & 0xff;
		if (at === 0 && (byte & 0xdf) !== SND_UD) this.reset();
		else if (at === 2) {
			const segment = byte & 0x0f;
			if (segment === 0) this.#segments = 0;
			if (byte >= 0x20 || segment !== this.#segments) this.reset();
			this.#control = byte;
			this.#to = segment === 0 ? 0 : this.length;
		} else if (at >= HEAD) {
			if (this.#to === this.bytes.length) this.reset();
			else this.bytes[this.#to++] = byte;
		}
	}

	private isWhole(): boolean {
		this.length = this.#to;
		this.#segments++;
		const isLast = (this.#control & LAST) !== 0;
		if (isLast) this.#segments = 0;
		return isLast && this.#frameLength > HEAD;
	}
}
