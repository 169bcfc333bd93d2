/** Converts bytes to hexadecimal text, and back. */

/** Returns the value of a hex digit; -1 for other characters. */
export function hexDigitValue(character: number): number {
	if (character >= 0x30 && character <= 0x39) return character - 0x30;
	const letter = character | 0x20;
	return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}

/** Returns the hex digit of a number below 16, in lower case or from the given `letterA` on. */
export function hexDigit(value: number, letterA = 0x61): number {
	return value < 10 ? value + 0x30 : value - 10 + letterA;
}

export function putHex(into: Uint8Array, at: number, byte: number): void {
	into[at] = hexDigit(byte >> 4);
	into[at + 1] = hexDigit(byte & 15);
}

export function encodeHex(bytes: Uint8Array): Uint8Array {
	const text = new Uint8Array(bytes.length * 2);
	for (let i = 0; i < bytes.length; i++) putHex(text, i * 2, bytes[i]);
	return text;
}

/** Returns the bytes of a hexadecimal text, or undefined if it is invalid. */
export function decodeHex(text: Uint8Array, start: number, end: number): Uint8Array | undefined {
	if ((end - start) % 2 !== 0) return undefined;
	const bytes = new Uint8Array((end - start) / 2);
	for (let i = 0; i < bytes.length; i++) {
		const high = hexDigitValue(text[start + i * 2]);
		const low = hexDigitValue(text[start + i * 2 + 1]);
		if (high < 0 || low < 0) return undefined;
		bytes[i] = high * 16 + low;
	}
	return bytes;
}
