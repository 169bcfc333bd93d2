/**
 * HDLC frame of type 3 and its control byte (IEC 62056-46, 6.4; ISO/IEC 13239):
 *
 * | bytes | field |
 * |---|---|
 * | 1 | flag 7E; one flag may close a frame and open the next one |
 * | 2 | format: `1010`, S (more segments of the same APDU follow), length of everything between the flags (11 bits) |
 * | 1, 2, 4 | destination address (address.ts) |
 * | 1, 2, 4 | source address |
 * | 1 | control |
 * | 2 | header check, CRC-16/X.25 of format to control, low byte first; only if information follows |
 * | n | information |
 * | 2 | frame check, CRC-16/X.25 of format to information, low byte first |
 * | 1 | flag 7E |
 *
 * There is no byte stuffing, so any field may contain 7E. Only the length determines the end of a frame.
 *
 * An APDU's first segment begins with the LLC header: E6 E6 00 to the meter, E6 E7 00 from it.
 */

export const FLAG = 0x7e;
export const FORMAT_TYPE = 0xa0;
export const FORMAT_TYPE_MASK = 0xf0;
export const FORMAT_SEGMENTED = 0x08;
export const FORMAT_LENGTH_MASK = 0x07;
export const ADDRESS_AT = 3;
export const CHECK_LENGTH = 2;
const LENGTH_MAX = 0x7ff;
export const FRAME_LIMIT = LENGTH_MAX + 2;
/** Length of the longest frame without information, with both flags and two server addresses. */
export const BARE_FRAME_LIMIT = 16;

/** Control bytes without the P/F bit and, for I, RR, RNR and REJ, without N(R) and N(S). */
export const CONTROL_RR = 0x01;
export const CONTROL_RNR = 0x05;
export const CONTROL_REJ = 0x09;
export const CONTROL_SNRM = 0x83;
export const CONTROL_DISC = 0x43;
export const CONTROL_UA = 0x63;
export const CONTROL_DM = 0x0f;
export const CONTROL_FRMR = 0x87;
/** P/F bit. The client sets it to request a response. The server sets it in the last frame of the response. */
export const POLL_FINAL = 0x10;
/** I frame, which carries information. Its control byte also contains N(R) and N(S). */
export const CONTROL_I = 0x00;

export const LLC_LENGTH = 3;
export const LLC_DESTINATION = 0xe6;
export const LLC_COMMAND = 0xe6;
export const LLC_RESPONSE = 0xe7;

export function controlKind(control: number): number {
	if ((control & 0x01) === 0) return CONTROL_I;
	return control & ((control & 0x02) === 0 ? 0x0f : 0xff ^ POLL_FINAL);
}

/** Returns N(R) of an I, RR, RNR or REJ frame, which is the number that the sender expects next. */
export function receiveNumber(control: number): number {
	return control >> 5;
}

/** Returns N(S) of an I frame. */
export function sendNumber(control: number): number {
	return (control >> 1) & 7;
}
