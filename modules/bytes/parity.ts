/**
 * Even parity in software, for ports that support only 8N1 (IEC 62056-21, 5.2: 7 data bits, even parity). On the wire a
 * 7E1 character equals an 8N1 character with the parity of the other seven in bit 7.
 */

/** Returns whether the number of one bits in the low eight bits is even. */
export function hasEvenParity(byte: number): boolean {
	// 0x6996 contains the parity of each nibble value, one bit each.
	return ((0x6996 >> ((byte ^ (byte >> 4)) & 15)) & 1) === 0;
}

/** Sets bit 7 of each byte of `bytes[start..end)`, in place, for even parity. */
export function addParity(bytes: Uint8Array, start: number, end: number): void {
	for (let i = start; i < end; i++) {
		const character = bytes[i] & 0x7f;
		bytes[i] = hasEvenParity(character) ? character : character | 0x80;
	}
}

const UNDECIDED = 0;
const CHECKED = 1;
const STRIPPED = 2;

/** The character `/` with and without its parity bit. */
const SLASH_WITH_PARITY = 0xaf;
const SLASH = 0x2f;

/** Number of contradicting characters that reverses the decision. */
const EVIDENCE_LIMIT = 8;

/**
 * Removes the parity bit of received characters and marks damaged ones. Some 8N1 paths deliver the parity bit (a UART
 * set to 8N1), others have removed it (a TCP bridge, a pseudo-terminal, a mode D meter that sends 8N1). The first `/`,
 * which starts every identification and has a parity bit of one, tells which. Until then the filter clears bit 7 and
 * does not check.
 *
 * That `/` may have been noise or damaged. The filter therefore counts later characters that are valid in one case only
 * and adapts; otherwise a listener could stay deaf for months.
 */
export class ParityFilter {
	#state = UNDECIDED;
	/** Positive for a line with parity, negative without. */
	#evidence = 0;

	/** Rewrites `bytes[start..end)` in place: good characters to 0x00 to 0x7F, damaged ones to 0x80 and above. */
	filter(bytes: Uint8Array, start: number, end: number): void {
		for (let i = start; i < end; i++) {
			const byte = bytes[i];
			// Fast path for a line without parity, needed at 115200 Bd.
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
