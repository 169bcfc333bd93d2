/** Short ASCII constants as bytes. */

/** Bytes of `text`, which is ASCII and short: a loop over characters is quadratic in XS. */
export function asciiBytes(text: string): Uint8Array {
	const bytes = new Uint8Array(text.length);
	for (let i = 0; i < bytes.length; i++) bytes[i] = text.charCodeAt(i);
	return bytes;
}
