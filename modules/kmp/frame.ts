/**
 * Frames of Kamstrup's KMP (Kamstrup Meter Protocol, 3.1 and 3.2).
 *
 * | bytes | meaning |
 * |---|---|
 * | 80 or 40 | start of a request or of an answer |
 * | 3F | address of the meter |
 * | 1 | command |
 * | n | data |
 * | 2 | CRC from the address to the data, high byte first |
 * | 0D | end |
 *
 * Between start and end, each of the bytes 06, 0D, 1B, 40 and 80 is sent as two bytes: 1B and its complement.
 */

const REQUEST = 0x80;
const ANSWER = 0x40;
const END = 0x0d;
const ESCAPE = 0x1b;
const ACK = 0x06;
const METER_ADDRESS = 0x3f;
/** Maximum length of an answer without start, end and escapes: eight registers with 8-byte values have 108 bytes. */
const ANSWER_LIMIT = 128;
/** Length of the shortest answer, which has only address, command and CRC. */
const SHORTEST = 4;
const CRC_LENGTH = 2;

/** Polynomial of the CRC, with its highest term. The CRC starts with 0 and is not inverted (CRC-16/XMODEM). */
const POLYNOMIAL = 0x11021;

function crcOf(bytes: ArrayLike<number>, end: number): number {
	let register = 0;
	for (let i = 0; i < end; i++) {
		register ^= bytes[i] << 8;
		for (let bit = 0; bit < 8; bit++) register = (register << 1) ^ (register & 0x8000 ? POLYNOMIAL : 0);
	}
	return register;
}

export function requestFrame(body: readonly number[]): Uint8Array {
	const plain = [METER_ADDRESS, ...body];
	const crc = crcOf(plain, plain.length);
	plain.push(crc >> 8, crc & 0xff);
	const frame = [REQUEST];
	for (const byte of plain) {
		if (byte === REQUEST || byte === ANSWER || byte === END || byte === ESCAPE || byte === ACK)
			frame.push(ESCAPE, byte ^ 0xff);
		else frame.push(byte);
	}
	frame.push(END);
	return new Uint8Array(frame);
}

/** Extracts answers from the received bytes. An echo of a request is ignored. */
export class AnswerFrames {
	/** After `take()` has returned true, command and data are `bytes[1..end)` until the next call. */
	readonly bytes = new Uint8Array(ANSWER_LIMIT);
	end = 0;
	#isInside = false;
	#isEscaped = false;

	/** Returns true if the byte completes a frame with a correct CRC. */
	take(byte: number): boolean {
		if (byte === ANSWER) {
			this.#isInside = true;
			this.#isEscaped = false;
			this.end = 0;
		} else if (byte === REQUEST) this.#isInside = false;
		else if (this.#isInside && byte === END) {
			this.#isInside = false;
			return this.isRight();
		} else if (this.#isInside) this.add(byte);
		return false;
	}

	private add(byte: number): void {
		if (byte === ESCAPE && !this.#isEscaped) {
			this.#isEscaped = true;
			return;
		}
		if (this.end === ANSWER_LIMIT) this.#isInside = false;
		else this.bytes[this.end++] = this.#isEscaped ? byte ^ 0xff : byte;
		this.#isEscaped = false;
	}

	private isRight(): boolean {
		const { bytes } = this;
		if (this.#isEscaped || this.end < SHORTEST || bytes[0] !== METER_ADDRESS || crcOf(bytes, this.end) !== 0)
			return false;
		this.end -= CRC_LENGTH;
		return true;
	}
}
