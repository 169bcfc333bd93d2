/** SHA-256 (FIPS 180-4) for the login: browsers have no `crypto.subtle` over plain HTTP, which the access point speaks. */

/** UTF-8. */
export function bytesOf(text: string): readonly number[] {
	return [...new TextEncoder().encode(text)];
}

export function hexOf(bytes: readonly number[]): string {
	return bytes.map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** 4.2.2 and 5.3.3: the first 32 bits behind the point of roots of the first primes. */
const fraction = (root: number) => ((root % 1) * 2 ** 32) | 0;
const PRIMES: number[] = [];
for (let n = 2; PRIMES.length < 64; n++) if (PRIMES.every((prime) => n % prime !== 0)) PRIMES.push(n);
const START = PRIMES.slice(0, 8).map((prime) => fraction(Math.sqrt(prime)));
const ROUNDS = PRIMES.map((prime) => fraction(Math.cbrt(prime)));

const turn = (word: number, by: number) => (word >>> by) | (word << (32 - by));

/** 32 bytes. */
export function sha256(message: readonly number[]): readonly number[] {
	const hash = [...START];
	const padding = new Array<number>((119 - (message.length % 64)) % 64).fill(0);
	// The length in bits, of which the page needs no more than 32.
	const bits = [24, 16, 8, 0].map((shift) => ((message.length * 8) >>> shift) & 255);
	const bytes = [...message, 0x80, ...padding, 0, 0, 0, 0, ...bits];
	for (let at = 0; at < bytes.length; at += 64) {
		const words: number[] = [];
		let [a, b, c, d, e, f, g, h] = hash;
		for (let i = 0; i < 64; i++) {
			if (i < 16) {
				const [b0, b1, b2, b3] = bytes.slice(at + i * 4);
				words[i] = (b0 << 24) | (b1 << 16) | (b2 << 8) | b3;
			} else {
				const near = words[i - 2];
				const far = words[i - 15];
				words[i] =
					((turn(near, 17) ^ turn(near, 19) ^ (near >>> 10)) +
						words[i - 7] +
						(turn(far, 7) ^ turn(far, 18) ^ (far >>> 3)) +
						words[i - 16]) |
					0;
			}
			const one = (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g)) + h + ROUNDS[i] + words[i];
			const two = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
			[h, g, f, e, d, c, b, a] = [g, f, e, (d + one) | 0, c, b, a, (one + two) | 0];
		}
		[a, b, c, d, e, f, g, h].forEach((word, i) => {
			hash[i] = (hash[i] + word) | 0;
		});
	}
	return hash.flatMap((word) => [24, 16, 8, 0].map((shift) => (word >>> shift) & 255));
}
