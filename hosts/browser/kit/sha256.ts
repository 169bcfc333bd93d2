/**
 * SHA-256 (FIPS 180-4), for the login: browsers have no `crypto.subtle` over plain HTTP, which the gateway's own network
 * uses. It hashes a few dozen bytes, so short code counts more than speed.
 */

/** The first 64 primes. */
const PRIMES: readonly number[] = primes(64);
/** The first 32 bits of the fractional parts of the roots of the first primes (FIPS 180-4, 4.2.2 and 5.3.3). */
const ROUNDS: readonly number[] = PRIMES.map((prime) => fraction(Math.cbrt(prime)));
const START: readonly number[] = PRIMES.slice(0, 8).map((prime) => fraction(Math.sqrt(prime)));

const BLOCK = 64;

function primes(count: number): number[] {
	const found: number[] = [];
	for (let number = 2; found.length < count; number++) {
		if (found.every((prime) => number % prime !== 0)) found.push(number);
	}
	return found;
}

function fraction(root: number): number {
	return Math.floor((root % 1) * 2 ** 32);
}

function rotate(word: number, bits: number): number {
	return (word >>> bits) | (word << (32 - bits));
}

/** The message with its padding: a 1 bit, zeros, and the number of bits in the last 8 bytes (5.1.1). */
function padded(message: Uint8Array): DataView {
	const bytes = new Uint8Array(Math.ceil((message.length + 9) / BLOCK) * BLOCK);
	bytes.set(message);
	bytes[message.length] = 0x80;
	const view = new DataView(bytes.buffer);
	view.setUint32(bytes.length - 4, message.length * 8);
	return view;
}

/** The hash of a message of less than 512 MB. */
export function sha256(message: Uint8Array): Uint8Array {
	const view = padded(message);
	const hash = Int32Array.from(START);
	const words = new Int32Array(ROUNDS.length);
	for (let block = 0; block < view.byteLength; block += BLOCK) {
		let [a, b, c, d, e, f, g, h] = hash;
		for (const [index, constant] of ROUNDS.entries()) {
			if (index < 16) words[index] = view.getUint32(block + index * 4);
			else {
				const early = words[index - 15];
				const late = words[index - 2];
				const sigma0 = rotate(early, 7) ^ rotate(early, 18) ^ (early >>> 3);
				const sigma1 = rotate(late, 17) ^ rotate(late, 19) ^ (late >>> 10);
				words[index] = words[index - 16] + sigma0 + words[index - 7] + sigma1;
			}
			const first = h + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + ((e & f) ^ (~e & g)) + constant + words[index];
			const second = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
			[h, g, f, e, d, c, b, a] = [g, f, e, (d + first) | 0, c, b, a, (first + second) | 0];
		}
		[a, b, c, d, e, f, g, h].forEach((word, index) => {
			hash[index] += word;
		});
	}
	const result = new DataView(new ArrayBuffer(32));
	hash.forEach((word, index) => {
		result.setInt32(index * 4, word);
	});
	return new Uint8Array(result.buffer);
}
