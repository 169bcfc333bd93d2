/**
 * Short texts: ASCII as bytes, what characters they have, and their letters' case. In place of regular expressions, which
 * XS runs outside its heap, and of toLowerCase, for which it has 12 KB of Unicode's tables.
 */

/** Bytes of `text`, which is ASCII and short: a loop over characters is quadratic in XS. */
export function asciiBytes(text: string): Uint8Array {
	const bytes = new Uint8Array(text.length);
	for (let i = 0; i < bytes.length; i++) bytes[i] = text.charCodeAt(i);
	return bytes;
}

/**
 * Whether each character of `text` is in one of the ranges, each its first and its last character: "09AZaz". The last range
 * has no end if that is left out.
 */
export function hasOnly(text: string, ranges: string): boolean {
	for (let i = 0; i < text.length; i++) {
		const character = text.charCodeAt(i);
		let range = 0;
		// Beyond the last range there is NaN, which no comparison holds for: the search ends there.
		while (character < ranges.charCodeAt(range) || character > ranges.charCodeAt(range + 1)) range += 2;
		if (range >= ranges.length) return false;
	}
	return true;
}

/** The text with small letters for ASCII's capital ones; all else stays, since names and numbers have no more. */
export function lowerCase(text: string): string {
	return replaceLetters(text, 0x41, "abcdefghijklmnopqrstuvwxyz");
}

/** The text with capital letters for ASCII's small ones; all else stays. */
export function upperCase(text: string): string {
	return replaceLetters(text, 0x61, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
}

/** `letters` in place of those whose codes run from `first` on. */
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
