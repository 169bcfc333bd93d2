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

/** How sure the filter can be of its decision: so many characters that say otherwise reverse it. */
const EVIDENCE_LIMIT = 8;

/**
 * Removes the parity bit of received characters and marks damaged ones.
 * Some 8N1 paths deliver the parity bit (a UART set to 8N1), some have taken it off already (a TCP bridge, a pseudo-
 * terminal, a mode D meter that sends 8N1). The first `/`, with which every identification begins, tells which: its
 * parity bit is set. Until then characters pass with bit 7 off and unchecked.
 * That `/` may have been noise, or damaged. So characters that can only be right one way are counted from then on, and
 * the filter follows them: a listener that hears the same line for months must not stay deaf.
 */
export class ParityFilter {
	#state = UNDECIDED;
	/** Above 0 for a line that carries parity, below for one that doesn't. */
	#evidence = 0;

	/** Rewrites `bytes[start..end)` in place: 0x00 to 0x7F good characters, 0x80 and above damaged ones. */
	filter(bytes: Uint8Array, start: number, end: number): void {
		for (let i = start; i < end; i++) {
			const byte = bytes[i];
			// Nearly all of a line without parity, for which there is little time at 115200 Bd.
			if (this.#evidence === -EVIDENCE_LIMIT && byte < 0x80) continue;
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
