/**
 * State machine for the grammar of a JSON number (RFC 8259, 6).
 *
 *     [ "-" ] ( "0" / digit1-9 *digit ) [ "." 1*digit ] [ "e" [ "+" / "-" ] 1*digit ]
 */

export const NUMBER_NONE = 0;
export const NUMBER_MINUS = 1;
/** A leading zero, after which only a point or an exponent may follow. */
export const NUMBER_ZERO = 2;
export const NUMBER_INTEGER = 3;
const NUMBER_POINT = 4;
const NUMBER_FRACTION = 5;
const NUMBER_E = 6;
const NUMBER_E_SIGN = 7;
const NUMBER_EXPONENT = 8;
export const NUMBER_START = 9;

const MINUS = 0x2d;
const ZERO = 0x30;

export function isNumberComplete(part: number): boolean {
	return part === NUMBER_ZERO || part === NUMBER_INTEGER || part === NUMBER_FRACTION || part === NUMBER_EXPONENT;
}

/** Returns the state after `byte`; NUMBER_NONE if `byte` can't continue the number. */
export function nextNumberPart(part: number, byte: number): number {
	const afterInteger = part === NUMBER_ZERO || part === NUMBER_INTEGER;
	if (byte >= ZERO && byte <= 0x39) {
		switch (part) {
			case NUMBER_START:
			case NUMBER_MINUS:
				return byte === ZERO ? NUMBER_ZERO : NUMBER_INTEGER;
			case NUMBER_ZERO:
				return NUMBER_NONE;
			case NUMBER_INTEGER:
				return NUMBER_INTEGER;
			case NUMBER_POINT:
			case NUMBER_FRACTION:
				return NUMBER_FRACTION;
			default:
				return NUMBER_EXPONENT;
		}
	}
	switch (byte) {
		case MINUS:
			if (part === NUMBER_START) return NUMBER_MINUS;
			return part === NUMBER_E ? NUMBER_E_SIGN : NUMBER_NONE;
		case 0x2b:
			return part === NUMBER_E ? NUMBER_E_SIGN : NUMBER_NONE;
		case 0x2e:
			return afterInteger ? NUMBER_POINT : NUMBER_NONE;
		case 0x45:
		case 0x65:
			return afterInteger || part === NUMBER_FRACTION ? NUMBER_E : NUMBER_NONE;
		default:
			return NUMBER_NONE;
	}
}
