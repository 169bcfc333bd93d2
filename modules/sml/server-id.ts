/**
 * Server id as text. An id of DIN 43863-5 is written as on the meter's label (`1EMH0004921570`), any other in hex. The
 * bytes are:
 *
 *   0A (09 in older meters), medium (1: electricity), three letters of the manufacturer, block, number (4, high byte first)
 */
import { uint32BE } from "../bytes/integers.js";
import { putHexText } from "../bytes/octets.js";

const LENGTH = 10;
const TEXT_LENGTH = 14;
const NUMBER_LIMIT = 100_000_000;
const DIGIT_0 = 0x30;

export function meterIdOf(id: Uint8Array): Uint8Array {
	const { length } = id;
	const text = new Uint8Array(Math.max(TEXT_LENGTH, length * 2));
	let number = uint32BE(id, 6);
	let isPrinted = length === LENGTH && (id[0] === 9 || id[0] === 10) && id[1] < 10 && number < NUMBER_LIMIT;
	for (let i = 2; i < 5; i++) if (id[i] < 0x41 || id[i] > 0x5a) isPrinted = false;
	putHexText(id, 0, length, text);
	if (!isPrinted) return text.slice(0, length * 2);
	// In hex, 0A 01 45 4D 48 00 … becomes 0A01454D4800….
	text[0] = text[3];
	for (let i = 1; i < 4; i++) text[i] = id[i + 1];
	text[4] = text[10];
	text[5] = text[11];
	for (let i = TEXT_LENGTH - 1; i > 5; i--) {
		text[i] = DIGIT_0 + (number % 10);
		number = Math.floor(number / 10);
	}
	return text.slice(0, TEXT_LENGTH);
}
