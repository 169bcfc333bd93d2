/** Reads and writes integers without a sign: BE has the high byte first, LE the low byte. */

export function uint16BE(bytes: Uint8Array, at: number): number {
	return (bytes[at] << 8) | bytes[at + 1];
}

/** Returns a number of four bytes. The high bytes are multiplied, because a shift could give a negative number. */
export function uint32BE(bytes: Uint8Array, at: number): number {
	return uint16BE(bytes, at) * 0x1_0000 + uint16BE(bytes, at + 2);
}

export function putUint16BE(into: Uint8Array, at: number, value: number): void {
	into[at] = value >> 8;
	into[at + 1] = value;
}

/** Returns the end of the number. */
export function putUint32BE(into: Uint8Array, at: number, value: number): number {
	putUint16BE(into, at, value >>> 16);
	putUint16BE(into, at + 2, value);
	return at + 4;
}

export function uint16LE(bytes: Uint8Array, at: number): number {
	return bytes[at] | (bytes[at + 1] << 8);
}

export function uint32LE(bytes: Uint8Array, at: number): number {
	return uint16LE(bytes, at) + uint16LE(bytes, at + 2) * 0x1_0000;
}

export function putUint16LE(into: Uint8Array, at: number, value: number): void {
	into[at] = value;
	into[at + 1] = value >> 8;
}

export function putUint32LE(into: Uint8Array, at: number, value: number): void {
	putUint16LE(into, at, value);
	putUint16LE(into, at + 2, value >>> 16);
}
