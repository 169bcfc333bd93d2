/**
 * Messages that the gateway sends to a meter. IEC 62056-21:2002, 6.3.1 (request), 6.3.3 (acknowledgement), 6.3.5
 * (repeat), 6.4.3 (break), annex B.2 (wake-up), annex E (hand-over to HDLC).
 */

/** Longest device address, bytes (6.3.1, note 22). */
export const DEVICE_ADDRESS_LIMIT = 32;
const SIGN_ON_FRAME = 5;
export const MESSAGE_LIMIT = SIGN_ON_FRAME + DEVICE_ADDRESS_LIMIT;

/** Number of NUL characters that wake a battery meter: they take 2.2 s at 300 Bd; the standard allows 2.1 to 2.3 s. */
export const WAKE_UP_LENGTH = 66;
/** Pause after the wake-up. The standard allows 1.5 to 1.7 s. */
export const WAKE_UP_PAUSE_MS = 1600;

const SLASH = 0x2f;
export const ACK = 0x06;
export const NAK = 0x15;

/**
 * Writes `/?<address>!` CR LF. An address that begins with `/` replaces everything before the `!`, because some meters
 * have non-standard requests, such as `/#!` for the full list of an Ultraheat UH50 and `/4<address>!` for the tables of
 * an EMH LZQJ.
 */
export function encodeSignOn(into: Uint8Array, address: Uint8Array): number {
	const length = Math.min(address.length, DEVICE_ADDRESS_LIMIT);
	let to = 0;
	if (address[0] !== SLASH) {
		into[to++] = SLASH;
		into[to++] = 0x3f;
	}
	for (let i = 0; i < length; i++) into[to++] = address[i];
	into[to++] = 0x21;
	into[to++] = 0x0d;
	into[to++] = 0x0a;
	return to;
}

/**
 * Encodes ACK 0 Z Y CR LF (normal protocol): Z is `baudNumber` (0 to 6), Y selects data readout or programming mode.
 */
export function encodeAcknowledge(into: Uint8Array, baudNumber: number, isProgramming = false): number {
	return putAcknowledge(into, baudNumber, 0x30, isProgramming ? 0x31 : 0x30);
}

export const ACKNOWLEDGE_LENGTH = 6;

/** Encodes ACK 2 Z 2 CR LF, which requests HDLC in binary mode: Z is `baudNumber`. */
export function encodeHandOver(into: Uint8Array, baudNumber: number): number {
	return putAcknowledge(into, baudNumber, 0x32, 0x32);
}

function putAcknowledge(into: Uint8Array, baudNumber: number, protocol: number, mode: number): number {
	into[0] = ACK;
	into[1] = protocol;
	into[2] = 0x30 + baudNumber;
	into[3] = mode;
	into[4] = 0x0d;
	into[5] = 0x0a;
	return ACKNOWLEDGE_LENGTH;
}

export function encodeRepeatRequest(into: Uint8Array): number {
	into[0] = NAK;
	return 1;
}

/** Encodes SOH B0 ETX BCC. */
export function encodeBreak(into: Uint8Array): number {
	into[0] = 0x01;
	into[1] = 0x42;
	into[2] = 0x30;
	into[3] = 0x03;
	into[4] = 0x71;
	return 5;
}
