/** SHA-256 (FIPS 180-4): a page that came over plain HTTP, as in the access point, has no `crypto.subtle`. */

/** The first 32 bits of the fractions of the roots of the first primes: 64 cubic (4.2.2), eight square (5.3.3). */
const K: number[] = [];
const H: number[] = [];
for (let n = 2; K.length < 64; n++) {
	let isPrime = true;
	for (let factor = 2; factor * factor <= n; factor++) isPrime &&= n % factor !== 0;
	if (!isPrime) continue;
	if (H.length < 8) H.push((n ** (1 / 2) * 2 ** 32) | 0);
	K.push((n ** (1 / 3) * 2 ** 32) | 0);
}

const rotate = (x: number, n: number) => (x >>> n) | (x << (32 - n));

export function sha256(message: Uint8Array): Uint8Array {
	const { length } = message;
	const bytes = new Uint8Array((((length + 8) >> 6) + 1) << 6);
	bytes.set(message);
	bytes[length] = 0x80;
	const view = new DataView(bytes.buffer);
	view.setUint32(bytes.length - 4, length * 8);
	const hash = Int32Array.from(H);
	const w = new Int32Array(64);
	for (let at = 0; at < bytes.length; at += 64) {
		let [a, b, c, d, e, f, g, h] = hash;
		for (let i = 0; i < 64; i++) {
			const [x, y] = [w[i - 15], w[i - 2]];
			w[i] =
				i < 16
					? view.getInt32(at + 4 * i)
					: (rotate(x, 7) ^ rotate(x, 18) ^ (x >>> 3)) +
						(rotate(y, 17) ^ rotate(y, 19) ^ (y >>> 10)) +
						w[i - 7] +
						w[i - 16];
			const t = (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + ((e & f) ^ (~e & g)) + h + K[i] + w[i];
			const u = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
			[h, g, f, e, d, c, b, a] = [g, f, e, (d + t) | 0, c, b, a, (t + u) | 0];
		}
		for (const [i, value] of [a, b, c, d, e, f, g, h].entries()) hash[i] += value;
	}
	for (const [i, value] of hash.entries()) view.setInt32(4 * i, value);
	return bytes.slice(0, 32);
}
