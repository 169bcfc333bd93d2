/**
 * The server id, by which a meter calls itself, as text: the identification of DIN 43863-5 that is printed on it
 * (`1EMH0004921570`), where it is one; else hex.
 *
 *   0A (in older meters 09), medium (1: electricity), three letters of the maker, his block, number (4, high byte first)
 */
import { encodeHex, putHex } from "../bytes/hex.js";

const LENGTH = 10;
const TEXT_LENGTH = 14;
const NUMBER_LIMIT = 100_000_000;
const DIGIT_0 = 0x30;

export function meterIdOf(id: Uint8Array, length: number): Uint8Array {
	const text = new Uint8Array(TEXT_LENGTH);
	let number = ((id[6] * 256 + id[7]) * 256 + id[8]) * 256 + id[9];
	let isPrinted = length === LENGTH && (id[0] === 9 || id[0] === 10) && id[1] < 10 && number < NUMBER_LIMIT;
	text[0] = DIGIT_0 + id[1];
	for (let i = 2; i < 5; i++) {
		text[i - 1] = id[i];
		if (id[i] < 0x41 || id[i] > 0x5a) isPrinted = false;
	}
	if (!isPrinted) return encodeHex(id.subarray(0, length));
	putHex(text, 4, id[5]);
	for (let i = TEXT_LENGTH - 1; i > 5; i--) {
		text[i] = DIGIT_0 + (number % 10);
		number = Math.floor(number / 10);
	}
	return text;
}
