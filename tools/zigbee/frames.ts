/**
 * Frames of TI's UART interface (UNPI): FE, length, type and subsystem, command, data, XOR of all bytes after FE. This
 * code shares nothing with the firmware, so that each reveals the other's mistakes.
 */
export const SREQ = 1;
export const AREQ = 2;
export const SRSP = 3;

const START = 0xfe;
const DATA_LIMIT = 250;
/** Length of the head: FE, length, and two bytes of command. */
const HEAD_BYTES = 4;

export interface Frame {
	readonly type: number;
	readonly subsystem: number;
	readonly command: number;
	readonly data: Buffer;
}

/** Encodes a number, low byte first, as on the UART and over the air. */
export function uint16(value: number): [number, number] {
	return [value & 0xff, value >> 8];
}

export function encodeFrame({ type, subsystem, command, data }: Frame): Buffer {
	const frame = Buffer.from([START, data.length, (type << 5) | subsystem, command, ...data, 0]);
	frame[frame.length - 1] = checkOf(frame.subarray(1, -1));
	return frame;
}

function checkOf(bytes: Buffer): number {
	return bytes.reduce((sum, byte) => sum ^ byte, 0);
}

/** Finds frames. Skips everything else byte by byte. */
export class FrameReader {
	#waiting: Buffer = Buffer.alloc(0);

	push(bytes: Uint8Array): Frame[] {
		this.#waiting = Buffer.concat([this.#waiting, bytes]);
		const frames: Frame[] = [];
		for (;;) {
			const start = this.#waiting.indexOf(START);
			this.#waiting = start < 0 ? Buffer.alloc(0) : this.#waiting.subarray(start);
			if (this.#waiting.length < HEAD_BYTES + 1) return frames;
			const end = HEAD_BYTES + this.#waiting[1];
			if (this.#waiting[1] <= DATA_LIMIT && this.#waiting.length <= end) return frames;
			if (this.#waiting[1] > DATA_LIMIT || checkOf(this.#waiting.subarray(1, end)) !== this.#waiting[end]) {
				this.#waiting = this.#waiting.subarray(1);
				continue;
			}
			const [, , kind, command] = this.#waiting;
			const data = Buffer.from(this.#waiting.subarray(HEAD_BYTES, end));
			frames.push({ type: kind >> 5, subsystem: kind & 0x1f, command, data });
			this.#waiting = this.#waiting.subarray(end + 1);
		}
	}

	clear(): void {
		this.#waiting = Buffer.alloc(0);
	}
}
