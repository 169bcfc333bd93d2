/**
 * Exact decimal text of COSEM numbers: an integer of up to 64 bits with its decimal point shifted by the scaler, or the
 * shortest text of a float.
 */

export const DECIMAL_LIMIT = 160;

const TWO_32 = 2 ** 32;
const MINUS = 0x2d;
const DOT = 0x2e;
const DIGIT_0 = 0x30;
const LETTER_E = 0x65;
/** Number of significant digits that identify every float32. */
const FLOAT32_DIGITS = 9;

/** Number in the bytes from `start` to before `end`, big-endian. */
export interface Span {
	readonly bytes: Uint8Array;
	readonly start: number;
	readonly end: number;
}

/**
 * Writes an integer of 1 to 8 bytes (two's complement if `signed`), multiplied by 10^scaler, to `into`. Returns the
 * length of the text, at most DECIMAL_LIMIT.
 */
export function putInteger(source: Span, signed: boolean, scaler: number, into: Uint8Array): number {
	const { bytes, start, end } = source;
	const negative = signed && bytes[start] >= 0x80;
	let high = negative ? TWO_32 - 1 : 0;
	let low = negative ? TWO_32 - 1 : 0;
	for (let i = start; i < end; i++) {
		high = (high * 0x100 + Math.floor(low / 0x1000000)) % TWO_32;
		low = (low * 0x100 + bytes[i]) % TWO_32;
	}
	if (negative) {
		low = TWO_32 - low;
		high = TWO_32 - 1 - high;
		if (low === TWO_32) {
			low = 0;
			high++;
		}
	}
	const first = negative ? 1 : 0;
	into[0] = MINUS;
	return shiftPoint(into, first, putDigits(high, low, into, first), scaler);
}

/**
 * Writes a float of 4 or 8 bytes, multiplied by 10^scaler, to `into`. Returns the length of the text; 0 for NaN, for
 * infinity, and if the text would be longer than DECIMAL_LIMIT.
 */
export function putFloat(source: Span, scaler: number, into: Uint8Array): number {
	const { bytes, start, end } = source;
	const view = new DataView(bytes.buffer, bytes.byteOffset + start, end - start);
	const short = end - start === 4;
	const value = short ? view.getFloat32(0) : view.getFloat64(0);
	if (!Number.isFinite(value)) return 0;
	return short ? putFloat32(value, scaler, into) : putExponential(value.toExponential(), scaler, into);
}

/**
 * Writes the shortest text that means the same float32. A DataView rounds to float32, because Math.fround in XS does
 * not round integers.
 */
function putFloat32(value: number, scaler: number, into: Uint8Array): number {
	const size = Math.abs(value);
	const view = new DataView(into.buffer, into.byteOffset, 4);
	let digits = 0;
	let power = size === 0 ? 0 : Number(size.toExponential().split("e")[1]) + 1;
	for (let count = 0; size > 0 && count < FLOAT32_DIGITS; count++) {
		power--;
		const unit = 10 ** Math.abs(power);
		digits = Math.round(power > 0 ? size / unit : size * unit);
		view.setFloat32(0, power > 0 ? digits * unit : digits / unit);
		if (view.getFloat32(0) === size) break;
	}
	const first = value < 0 ? 1 : 0;
	into[0] = MINUS;
	return closeFloat(into, first, putDigits(0, digits, into, first), power + scaler);
}

/** Writes the number `text`, which has the form `d.ddde+x`, multiplied by 10^scaler and without an exponent. */
function putExponential(text: string, scaler: number, into: Uint8Array): number {
	let to = 0;
	let first = 0;
	let shift = scaler;
	let fraction = false;
	for (let i = 0; i < text.length; i++) {
		const character = text.charCodeAt(i);
		if (character === MINUS) {
			into[to++] = character;
			first = to;
		} else if (character === DOT) fraction = true;
		else if (character === LETTER_E) {
			shift += Number(text.slice(i + 1));
			break;
		} else {
			into[to++] = character;
			if (fraction) shift--;
		}
	}
	return closeFloat(into, first, to, shift);
}

/** Moves the decimal point and returns the length of the text; 0 if the text is too long. */
function closeFloat(into: Uint8Array, first: number, end: number, shift: number): number {
	let to = end;
	let power = shift;
	while (power < 0 && to > first + 1 && into[to - 1] === DIGIT_0) {
		to--;
		power++;
	}
	return to + Math.abs(power) + 2 > DECIMAL_LIMIT ? 0 : shiftPoint(into, first, to, power);
}

function putDigits(high: number, low: number, into: Uint8Array, at: number): number {
	let to = at;
	let upper = high;
	let lower = low;
	do {
		const rest = (upper % 10) * TWO_32 + lower;
		upper = Math.floor(upper / 10);
		lower = Math.floor(rest / 10);
		into[to++] = DIGIT_0 + (rest % 10);
	} while (upper > 0 || lower > 0);
	reverse(into, at, to);
	return to;
}

/** Multiplies the digits from `first` to before `end` by 10^shift in place. Returns the end of the text. */
export function shiftPoint(into: Uint8Array, first: number, end: number, shift: number): number {
	const zero = end === first + 1 && into[first] === DIGIT_0;
	if (shift >= 0) {
		if (zero) return end;
		into.fill(DIGIT_0, end, end + shift);
		return end + shift;
	}
	// At least one digit precedes the decimal point.
	const missing = Math.max(0, 1 - shift - (end - first));
	into.copyWithin(first + missing, first, end);
	into.fill(DIGIT_0, first, first + missing);
	const point = end + missing + shift;
	into.copyWithin(point + 1, point, end + missing);
	into[point] = DOT;
	return end + missing + 1;
}

function reverse(bytes: Uint8Array, start: number, end: number): void {
	for (let i = start, j = end - 1; i < j; i++, j--) {
		const byte = bytes[i];
		bytes[i] = bytes[j];
		bytes[j] = byte;
	}
}
