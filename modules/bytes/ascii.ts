/**
 * Operations on short ASCII texts. They replace regular expressions, which XS runs outside its heap, and toLowerCase,
 * which needs 12 KB of tables.
 */

/**
 * Returns the text as bytes. For short texts only: the time is quadratic, because XS counts from the start of the text
 * to find each character.
 */
export function asciiBytes(text: string): Uint8Array {
	const bytes = new Uint8Array(text.length);
	for (let i = 0; i < bytes.length; i++) bytes[i] = text.charCodeAt(i);
	return bytes;
}

/**
 * Returns true if each character is in one of `ranges`, which are pairs of a first and a last character, such as
 * "09AZaz". If the last range has no last character, it is open-ended.
 */
export function hasOnly(text: string, ranges: string): boolean {
	for (let i = 0; i < text.length; i++) {
		const character = text.charCodeAt(i);
		let range = 0;
		// After the last range charCodeAt returns NaN, which ends the loop.
		while (character < ranges.charCodeAt(range) || character > ranges.charCodeAt(range + 1)) range += 2;
		if (range >= ranges.length) return false;
	}
	return true;
}

export function lowerCase(text: string): string {
	return replaceLetters(text, 0x41, "abcdefghijklmnopqrstuvwxyz");
}

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

/** Reads a whole number from 0 to `limit`, with at most as many digits as `limit`. Returns NaN for any other text. */
export function wholeNumber(text: string, limit: number): number {
	if (text === "" || text.length > String(limit).length || !hasOnly(text, "09")) return Number.NaN;
	const number = Number(text);
	return number <= limit ? number : Number.NaN;
}

export function isDigit(byte: number): boolean {
	return byte >= 0x30 && byte <= 0x39;
}
