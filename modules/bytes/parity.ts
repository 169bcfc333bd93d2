/**
 * Even parity in software, for ports that can only carry 8N1 (IEC 62056-21, 5.2: 7 data bits, even parity).
 * On the wire a 7E1 character is an 8N1 character whose bit 7 is the parity of the other seven.
 */

/** True when the count of one bits in the low eight bits is even. */
export function hasEvenParity(byte: number): boolean {
	// 0x6996 holds the parity of each nibble value, one bit each.
	return ((0x6996 >> ((byte ^ (byte >> 4)) & 15)) & 1) === 0;
}

/** Sets bit 7 of each of `bytes[start..end)` so that the character has even parity. In place. */
export function addParity(bytes: Uint8Array, start: number, end: number): void {
	for (let i = start; i < end; i++) {
		const character = bytes[i] & 0x7f;
		bytes[i] = hasEvenParity(character) ? character : character | 0x80;
	}
}

const UNDECIDED = 0;
const CHECKED = 1;
const STRIPPED = 2;

/** `/` as it looks with its parity bit, and without. */
const SLASH_WITH_PARITY = 0xaf;
const SLASH = 0x2f;

/** Two for each damaged character, less one for each good one: what makes the filter take back its decision. */
const DOUBT_LIMIT = 16;

/**
 * Removes the parity bit of received characters and marks damaged ones.
 * Some 8N1 paths deliver the parity bit (a UART set to 8N1), some have taken it off already (a TCP bridge, a pseudo-
 * terminal, a mode D meter that sends 8N1). The first `/`, with which every identification begins, tells which: its
 * parity bit is set. Until then characters pass with bit 7 off and unchecked. It may have been noise or damaged, and a
 * wrong decision makes half of all characters damaged: then it is reversed.
 */
export class ParityFilter {
	#state = UNDECIDED;
	#doubt = 0;

	/** Rewrites `bytes[start..end)` in place: 0x00 to 0x7F good characters, 0x80 and above damaged ones. */
	filter(bytes: Uint8Array, start: number, end: number): void {
		for (let i = start; i < end; i++) {
			const byte = bytes[i];
			if (this.#state === UNDECIDED) {
				if (byte === SLASH_WITH_PARITY) this.#state = CHECKED;
				else if (byte === SLASH) this.#state = STRIPPED;
				bytes[i] = byte & 0x7f;
			} else if (this.#state === CHECKED ? hasEvenParity(byte) : byte < 0x80) {
				bytes[i] = byte & 0x7f;
				if (this.#doubt > 0) this.#doubt--;
			} else {
				bytes[i] = byte | 0x80;
				this.#doubt += 2;
				if (this.#doubt >= DOUBT_LIMIT) this.#reverse();
			}
		}
	}

	#reverse(): void {
		this.#state = this.#state === CHECKED ? STRIPPED : CHECKED;
		this.#doubt = 0;
	}
}
