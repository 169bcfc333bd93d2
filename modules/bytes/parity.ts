/**
 * Even parity in software, for ports with 8N1 only (IEC 62056-21, 5.2: 7 data bits, even parity). A 7E1 character
 * equals an 8N1 character with the parity in bit 7.
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

const EVIDENCE_LIMIT = 8;

/**
 * Removes the parity bit of received characters and marks damaged ones. Some paths deliver the parity bit (a UART set
 * to 8N1), others have none (a TCP bridge, a pseudo-terminal, a mode D meter with 8N1). The first `/`, which starts an
 * identification and has a parity bit of one, shows which is the case. Before that, bit 7 is cleared unchecked.
 *
 * Because that `/` may be noise, the filter counts later characters that are valid in one case only, and adapts.
 */
export class ParityFilter {
	#state = UNDECIDED;
	/** Evidence of parity bits: positive with parity, negative without. */
	#evidence = 0;

	/** Good characters become 0x00 to 0x7F, damaged ones 0x80 to 0xFF. */
	filter(bytes: Uint8Array, start: number, end: number): void {
		for (let i = start; i < end; i++) {
			const byte = bytes[i];
			// Fast path without parity bits, for 115200 Bd.
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
