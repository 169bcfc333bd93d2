/**
 * The meter's side of HDLC frames of format type 3 (IEC 62056-46, 6.4):
 *
 *   7E | A, S bit, length (2) | destination | source | control | HCS (2) | information | FCS (2) | 7E
 */

export const FLAG = 0x7e;
export const CHARACTER_GAP_MS = 500;
const SEGMENTED = 0x08;
/** Length of the shortest frame, which has format, two addresses of 1 byte, control and FCS. */
const SHORTEST = 7;

export interface Frame {
	isSegmented: boolean;
	destination: Buffer;
	source: Buffer;
	control: number;
	information: Buffer;
}

/** Returns CRC-16/X.25, low byte first. */
export function checkOf(bytes: Uint8Array): Buffer {
	let crc = 0xffff;
	for (const byte of bytes) {
		crc ^= byte;
		for (let i = 0; i < 8; i++) crc = crc & 1 ? (crc >>> 1) ^ 0x8408 : crc >>> 1;
	}
	crc ^= 0xffff;
	return Buffer.of(crc & 0xff, crc >> 8);
}

export function makeFrame({ isSegmented, destination, source, control, information }: Frame): Buffer {
	const addresses = Buffer.concat([destination, source, Buffer.of(control)]);
	const length = 2 + addresses.length + (information.length > 0 ? 2 + information.length : 0) + 2;
	const head = Buffer.concat([
		Buffer.of(0xa0 | (isSegmented ? SEGMENTED : 0) | (length >> 8), length & 0xff),
		addresses,
	]);
	const body = information.length > 0 ? Buffer.concat([head, checkOf(head), information]) : head;
	return Buffer.concat([Buffer.of(FLAG), body, checkOf(body), Buffer.of(FLAG)]);
}

export function addressAt(bytes: Buffer, start: number): Buffer | undefined {
	for (let end = start + 1; end <= start + 4 && end <= bytes.length; end++) {
		if (bytes[end - 1] & 1) return bytes.subarray(start, end);
	}
	return undefined;
}

export function partsOf(address: Uint8Array): { upper: number; lower?: number } | undefined {
	const [a, b, c, d] = [...address].map((byte) => byte >> 1);
	if (address.length === 1) return { upper: a };
	if (address.length === 2) return { upper: a, lower: b };
	return address.length === 4 ? { upper: (a << 7) | b, lower: (c << 7) | d } : undefined;
}

/** Reads the bytes between two flags. Returns undefined if a check is wrong or the bytes are not a frame. */
export function readFrame(bytes: Buffer): Frame | undefined {
	const destination = addressAt(bytes, 2);
	const source = destination && addressAt(bytes, 2 + destination.length);
	if (destination === undefined || source === undefined) return undefined;
	const head = 3 + destination.length + source.length;
	const end = bytes.length - 2;
	if (end < head || !checkOf(bytes.subarray(0, end)).equals(bytes.subarray(end))) return undefined;
	const common = { isSegmented: (bytes[0] & SEGMENTED) !== 0, destination, source, control: bytes[head - 1] };
	if (end === head) return { ...common, information: Buffer.alloc(0) };
	if (end < head + 2 || !checkOf(bytes.subarray(0, head)).equals(bytes.subarray(head, head + 2))) return undefined;
	return { ...common, information: bytes.subarray(head + 2, end) };
}

export const PENDING = 0;
export const DAMAGED = 1;

/** Finds frames in received bytes. Each frame contains its length. */
export class FrameFinder {
	#bytes: number[] = [];
	#isOpen = false;
	#lastMs = 0;

	take(byte: number, nowMs: number): Frame | typeof PENDING | typeof DAMAGED {
		if (nowMs - this.#lastMs > CHARACTER_GAP_MS) this.#isOpen = false;
		this.#lastMs = nowMs;
		const bytes = this.#bytes;
		if (!this.#isOpen || (bytes.length === 0 && byte === FLAG)) {
			this.#isOpen = byte === FLAG;
			this.#bytes = [];
			return PENDING;
		}
		bytes.push(byte);
		const length = ((bytes[0] & 0x07) << 8) | bytes[1];
		if ((bytes[0] & 0xf0) !== 0xa0 || (bytes.length === 2 && length < SHORTEST)) {
			this.#isOpen = false;
			return DAMAGED;
		}
		if (bytes.length < 2 || bytes.length <= length) return PENDING;
		// The closing flag may also open the next frame.
		this.#isOpen = byte === FLAG;
		this.#bytes = [];
		return (this.#isOpen && readFrame(Buffer.from(bytes.slice(0, -1)))) || DAMAGED;
	}
}
