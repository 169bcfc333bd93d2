/**
 * Even parity in software, for serial ports that support only 8N1. IEC 62056-21, 5.2 requires 7 data bits with even
 * parity (7E1). On the line, a 7E1 character equals an 8N1 character with the parity in bit 7.
 */

export function hasEvenParity(byte: number): boolean {
	return ((0x6996 >> ((byte ^ (byte >> 4)) & 15)) & 1) === 0;
}

export function addParity(bytes: Uint8Array, start: number, end: number): void {
	for (let i = start; i < end; i++) {
		const character = bytes[i] & 0x7f;
		bytes[i] = hasEvenParity(character) ? character : character | 0x80;
	}
}

const UNDECIDED = 0;
const CHECKED = 1;
const STRIPPED = 2;

const SLASH_WITH_PARITY = 0xaf;
const SLASH = 0x2f;
const QUESTION_MARK = 0x3f;

const EVIDENCE_LIMIT = 8;

/**
 * Removes the parity bit from received characters and marks damaged characters. Some connections deliver the parity bit
 * (a UART that is set to 8N1). Others do not (a TCP bridge, a pseudo-terminal, a mode D meter with 8N1). The first `/`,
 * which starts the meter's identification, shows which is the case, because its parity bit is one. Before this `/`, bit
 * 7 is cleared without a check.
 *
 * A `/?` is the echo of a sign-on, which has the parity bit even if the meter sends none. The next `/` decides then.
 *
 * Because this `/` may be noise, the filter also counts the later characters that are valid in one of the two cases
 * only, and corrects its decision if necessary.
 */
export class ParityFilter {
	#state = UNDECIDED;
	/** Evidence of parity bits: positive if the characters seem to have them, negative if not. */
	#evidence = 0;
	/** True if the last character was a `/`. */
	#isAfterSlash = false;

	/** Replaces the characters in place. Good characters become 0x00 to 0x7F, damaged characters 0x80 to 0xFF. */
	filter(bytes: Uint8Array, start: number, end: number): void {
		for (let i = start; i < end; i++) {
			const byte = bytes[i];
			// If it is certain that there are no parity bits, a good character needs no further work. 115200 Bd
			// requires this speed.
			if (this.#evidence === -EVIDENCE_LIMIT && byte < 0x80) continue;
			if (this.#isAfterSlash && (byte & 0x7f) === QUESTION_MARK) {
				this.#state = UNDECIDED;
				this.#evidence = 0;
			}
			this.#isAfterSlash = (byte & 0x7f) === SLASH;
			if (this.#state === UNDECIDED) {
				if (byte === SLASH_WITH_PARITY) this.decide(EVIDENCE_LIMIT);
				else if (byte === SLASH) this.decide(-EVIDENCE_LIMIT);
				bytes[i] = byte & 0x7f;
				continue;
			}
			const isEven = hasEvenParity(byte);
			if (isEven === byte >= 0x80) this.decide(this.#evidence + (isEven ? 1 : -1));
			const isGood = this.#state === CHECKED ? isEven : byte < 0x80;
			bytes[i] = isGood ? byte & 0x7f : byte | 0x80;
		}
	}

	private decide(evidence: number): void {
		this.#evidence = Math.max(-EVIDENCE_LIMIT, Math.min(EVIDENCE_LIMIT, evidence));
		if (evidence !== 0) this.#state = evidence > 0 ? CHECKED : STRIPPED;
	}
}
