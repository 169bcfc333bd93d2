/**
 * List of the objects that a readout reads, in the format in which it is stored in flash (classes of IEC 62056-6-2):
 *
 *   offset  bytes  content
 *   0       1      number of objects, at most POLL_LIMIT
 *   1       8 each A B C D E F (1 each), class, attribute
 *
 * An empty array stands for the default list.
 */
import { asciiBytes } from "../bytes/ascii.js";
import { findRepeated } from "../bytes/rows.js";
import { BILLING_PERIOD_CURRENT, OBISCode } from "../obis/code.js";

export const POLL_LIMIT = 32;
export const POLL_ENTRY_SIZE = 8;
export const POLL_CODE_LENGTH = 6;
export const POLL_SIZE_LIMIT = 1 + POLL_LIMIT * POLL_ENTRY_SIZE;

/** Offsets of class and attribute in an object; they follow the code. */
export const POLL_CLASS = 6;
export const POLL_ATTRIBUTE = 7;

/** Allowed classes: Data, Register, Extended register, Demand register, Clock. */
export const POLL_CLASSES = Object.freeze([1, 3, 4, 5, 8]);
const CLASS_DATA = 1;
const CLASS_REGISTER = 3;
const CLASS_CLOCK = 8;
/** Attribute with the value; for a clock, with the time. */
export const ATTRIBUTE_VALUE = 2;

/** Codes of the default list: clock, serial number, registers. */
const DEFAULT_CODES =
	"0-0:1.0.0 0-0:96.1.0 1-0:1.8.0 1-0:1.8.1 1-0:1.8.2 1-0:2.8.0 1-0:1.7.0 1-0:2.7.0 " +
	"1-0:32.7.0 1-0:52.7.0 1-0:72.7.0 1-0:31.7.0 1-0:51.7.0 1-0:71.7.0";

export function pollListOf(stored: Uint8Array): Uint8Array {
	if (stored.length > 0) return stored;
	const codes = DEFAULT_CODES.split(" ");
	const list = new Uint8Array(1 + codes.length * POLL_ENTRY_SIZE);
	const code = new OBISCode();
	let at = 1;
	for (let i = 0; i < codes.length; i++) {
		const text = asciiBytes(codes[i]);
		code.parse(text, 0, text.length);
		list[at] = code.a;
		list[at + 1] = code.b;
		list[at + 2] = code.c;
		list[at + 3] = code.d;
		list[at + 4] = code.e;
		list[at + 5] = BILLING_PERIOD_CURRENT;
		list[at + POLL_CLASS] = i === 0 ? CLASS_CLOCK : i === 1 ? CLASS_DATA : CLASS_REGISTER;
		list[at + POLL_ATTRIBUTE] = ATTRIBUTE_VALUE;
		at += POLL_ENTRY_SIZE;
	}
	list[0] = codes.length;
	return list;
}

export function isPollList(stored: Uint8Array): boolean {
	if (stored.length === 0) return true;
	if (stored[0] > POLL_LIMIT || stored.length !== 1 + stored[0] * POLL_ENTRY_SIZE) return false;
	for (let at = 1; at < stored.length; at += POLL_ENTRY_SIZE) {
		const attribute = stored[at + POLL_ATTRIBUTE];
		if (!POLL_CLASSES.includes(stored[at + POLL_CLASS]) || attribute < 1 || attribute > 127) return false;
	}
	return true;
}

export function findDuplicate(list: Uint8Array): number {
	return findRepeated(list, POLL_ENTRY_SIZE);
}
