/**
 * Extracts long M-Bus frames and assembles APDUs (EN 13757-2, 5.5; EN 13757-3 and IEC 62056-7-3 for the DLMS
 * transport).
 *
 * | bytes | field |
 * |---|---|
 * | 4 | 68 L L 68; L counts from C to the data. L below 3 is impossible and means 256 to 258 (Sagemcom T210-D) |
 * | 2 | C: SND_UD, 53 or 73; A: any |
 * | 1 | CI: number of the segment from 0 on (4 bits), 10 in the last one |
 * | 2 | transport selectors of source and destination |
 * | n | data |
 * | 2 | sum of C to the data, 16 |
 *
 * A damaged or misplaced frame discards the APDU, and so does an APDU longer than the buffer.
 */

const START = 0x68;
const END = 0x16;
const SND_UD = 0x53;
const LAST_SEGMENT = 0x10;
const HEAD = 5;
/** Value of `#next` after the last segment. No segment has this number. */
const NONE_NEXT = 0x20;

/** Offset of the APDU in the buffer. The caller may use the bytes before it. */
export const MBUS_AT = 16;

export class MBusFrames {
	/** The caller's buffer. When `take()` returns true, the APDU is `bytes[MBUS_AT..end)`. */
	readonly bytes: Uint8Array;
	end = MBUS_AT;
	#at = 0;
	#frameLength = 0;
	#sum = 0;
	#next = 0;

	constructor(bytes: Uint8Array) {
		this.bytes = bytes;
	}

	get inside(): boolean {
		return this.#at > 0;
	}

	/** True if segments of an APDU were received, and the last one is still to come. */
	get isHalf(): boolean {
		return this.#next > 0 && this.#next < NONE_NEXT;
	}

	/** Discards an incomplete APDU. Call it after a silence, and when the buffer is used for other frames. */
	reset(): void {
		this.#at = this.#next = 0;
	}

	/** Processes a byte. Returns true if it completes an APDU, which is valid until the next call. */
	take(byte: number): boolean {
		const at = this.#at++;
		const end = this.#frameLength + 4;
		if (at < 4) this.processHead(at, byte);
		else if (at < end) this.processBody(at - 4, byte);
		else if (at === end) {
			if (byte !== this.#sum) this.reset();
		} else if (byte !== END) this.reset();
		else {
			this.#at = 0;
			return this.endFrame();
		}
		return false;
	}

	private processHead(at: number, byte: number): void {
		this.#sum = 0;
		if (at === 1) this.#frameLength = byte < 3 ? byte + 256 : byte;
		else if (byte !== (at === 2 ? this.#frameLength & 0xff : START)) {
			// If the first 68 was noise, the byte taken for the length was the real first 68.
			const isLate = at === 2 && this.#frameLength === START;
			this.#at = isLate ? 2 : byte === START ? 1 : 0;
			if (isLate) this.#frameLength = byte;
		}
	}

	private processBody(at: number, byte: number): void {
		this.#sum = (this.#sum + byte) & 0xff;
		if (at === 0 && (byte & 0xdf) !== SND_UD) this.reset();
		else if (at === 2) {
			const segment = byte & 0x0f;
			if (segment === 0) this.end = MBUS_AT;
			if (byte >= 0x20 || (segment !== 0 && segment !== this.#next)) this.reset();
			else this.#next = byte >= LAST_SEGMENT ? NONE_NEXT : segment + 1;
		} else if (at >= HEAD) {
			if (this.end === this.bytes.length) this.reset();
			else this.bytes[this.end++] = byte;
		}
	}

	/** Processes a complete frame. Returns true if it has the last segment. */
	private endFrame(): boolean {
		const isLast = this.#next === NONE_NEXT;
		if (isLast) this.#next = 0;
		return isLast && this.#frameLength > HEAD;
	}
}
