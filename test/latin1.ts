/** Bytes written as text in tests: each character is one byte. */

export function bytesOf(text: string): Uint8Array {
	return Uint8Array.from(Buffer.from(text, "latin1"));
}

export function textOf(bytes: Uint8Array, start = 0, end = bytes.length): string {
	return Buffer.from(bytes.subarray(start, end)).toString("latin1");
}
