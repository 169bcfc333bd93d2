/** The number in a value's text, as JSON writes it. The text is never turned into a double: nothing is rounded. */

/** A number with more significant digits than a double carries is a text. */
const SIGNIFICANT_DIGITS = 17;
/** A longer row of digits is an identification, which a double would change. */
const INTEGER_DIGITS = 15;

const BLANK = 0x20;
const PLUS = 0x2b;
const COMMA = 0x2c;
const MINUS = 0x2d;
const DOT = 0x2e;
const DIGIT_0 = 0x30;

/**
 * Writes the decimal number that `text[0..length)` is (blanks around it, a sign, digits with at most one `.` or `,`) to
 * `into` from 0 on, in the form of RFC 8259, 6; returns its length, at most length + 1. 0 if the text is no number.
 */
export function putNumber(text: Uint8Array, length: number, into: Uint8Array): number {
	let from = 0;
	let end = length;
	while (from < end && text[from] === BLANK) from++;
	while (end > from && text[end - 1] === BLANK) end--;
	const negative = text[from] === MINUS;
	if (negative || text[from] === PLUS) from++;
	let to = 0;
	if (negative) into[to++] = MINUS;
	const first = to;
	let significant = 0;
	let point = -1;
	let digits = 0;
	for (let i = from; i < end; i++) {
		const character = text[i];
		if (character === DOT || character === COMMA) {
			if (point >= 0) return 0;
			point = i;
			if (to === first) into[to++] = DIGIT_0;
			into[to++] = DOT;
			continue;
		}
		const digit = character - DIGIT_0;
		if (digit < 0 || digit > 9) return 0;
		digits++;
		if (digit > 0 || significant > 0) significant++;
		// Zeros in front are dropped; the one before the point is written there.
		if (digit > 0 || to > first) into[to++] = character;
		if (significant > SIGNIFICANT_DIGITS) return 0;
	}
	if (digits === 0 || (point < 0 && significant > INTEGER_DIGITS)) return 0;
	if (to === first) into[to++] = DIGIT_0;
	if (into[to - 1] === DOT) to--;
	return to;
}
