/**
 * Operations on short ASCII texts, instead of regular expressions, which XS runs outside its heap, and toLowerCase,
 * which needs 12 KB of Unicode tables in XS.
 */

/** Takes quadratic time in XS, which counts from the start of the text to find each character. */
export function asciiBytes(text: string): Uint8Array {
	const bytes = new Uint8Array(text.length);
	for (let i = 0; i < bytes.length; i++) bytes[i] = text.charCodeAt(i);
	return bytes;
}

/**
 * True if each character is in a range, given by first and last characters: "09AZaz". The last range is open-ended
 * without a last character.
 */
export function hasOnly(text: string, ranges: string): boolean {
	for (let i = 0; i < text.length; i++) {
		const character = text.charCodeAt(i);
		let range = 0;
		// Past the last range charCodeAt returns NaN, which ends the loop.
		while (character < ranges.charCodeAt(range) || character > ranges.charCodeAt(range + 1)) range += 2;
		if (range >= ranges.length) return false;
	}
	return true;
}

/** Changes ASCII capitals only. */
export function lowerCase(text: string): string {
	return replaceLetters(text, 0x41, "abcdefghijklmnopqrstuvwxyz");
}

/** Changes ASCII lower-case letters only. */
export function upperCase(text: string): string {
	return replaceLetters(text, 0x61, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
}

function replaceLetters(text: string, first: number, letters: string): string {
	let replaced = "";
	let copied = 0;
	for (let i = 0; i < text.length; i++) {
		const letter = text.charCodeAt(i) - first;
		if (letter < 0 || letter >= letters.length) continue;
		replaced += text.slice(copied, i) + letters.charAt(letter);
		copied = i + 1;
	}
	return copied === 0 ? text : replaced + text.slice(copied);
}

/** Returns whether a byte is a decimal digit. */
export function isDigit(byte: number): boolean {
	return byte >= 0x30 && byte <= 0x39;
}
