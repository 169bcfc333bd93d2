/** Converts the number in a value's text to JSON without a double, so that nothing is rounded. */

/** Maximum number of significant digits. A number with more is written as text. */
const SIGNIFICANT_DIGITS = 17;
/** Maximum number of digits of an integer. A longer one counts as an identification. */
const INTEGER_DIGITS = 15;

/** Maximum length of an amount. */
const AMOUNT_LIMIT = 32;

const BLANK = 0x20;
const PLUS = 0x2b;
const COMMA = 0x2c;
const MINUS = 0x2d;
const DOT = 0x2e;
const DIGIT_0 = 0x30;
const DIGIT_9 = 0x39;

/**
 * Writes a value as a JSON number (RFC 8259, 6). The text may have blanks, a sign, and digits with at most one `.` or
 * `,`. Returns the number of bytes, at most `length` + 1; 0 for any other text.
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
	// Leading zeros are dropped. A zero before the decimal point is added again below.
	let isNumber = false;
	while (from < end && text[from] === DIGIT_0) {
		from++;
		isNumber = true;
	}
	let point = -1;
	let significant = -1;
	for (let i = from; i < end; i++) {
		const character = text[i];
		if (character >= DIGIT_0 && character <= DIGIT_9) {
			if (significant < 0 && character > DIGIT_0) significant = to;
			into[to++] = character;
		} else {
			if (point >= 0 || (character !== DOT && character !== COMMA)) return 0;
			if (to === first) into[to++] = DIGIT_0;
			else isNumber = true;
			point = to;
			into[to++] = DOT;
		}
	}
	if (point < 0) {
		if (to === first) {
			if (!isNumber) return 0;
			into[to++] = DIGIT_0;
		} else if (to - first > INTEGER_DIGITS) return 0;
		return to;
	}
	if (to === point + 1) {
		// JSON requires a digit after the decimal point.
		if (!isNumber) return 0;
		to--;
	}
	// A decimal point between these digits is not counted as a digit.
	const count = significant < 0 ? 0 : to - significant - (significant < point && point < to ? 1 : 0);
	return count > SIGNIFICANT_DIGITS ? 0 : to;
}

/** Returns the value multiplied by 10^exponent, rounded down; -1 if it is negative, not a number, or too long. */
export function amountFrom(text: Uint8Array, length: number, exponent: number): number {
	const digits = new Uint8Array(AMOUNT_LIMIT + 1);
	const end = length > AMOUNT_LIMIT ? 0 : putNumber(text, length, digits);
	if (end === 0 || digits[0] === MINUS) return -1;
	let value = 0;
	let isWhole = true;
	let places = exponent;
	for (let i = 0; i < end && places >= 0; i++) {
		if (digits[i] === DOT) isWhole = false;
		else if (isWhole || places-- > 0) value = value * 10 + digits[i] - DIGIT_0;
	}
	return value * 10 ** Math.max(0, places);
}
