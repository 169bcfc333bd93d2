/** Short texts: ASCII as bytes, and what characters they have. In place of regular expressions, which XS runs outside its heap. */

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
