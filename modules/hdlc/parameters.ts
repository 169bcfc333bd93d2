/**
 * Negotiation in SNRM and UA: field lengths and windows (IEC 62056-46, 6.4.4.4.3.2).
 *
 * The list is `81 80 <length>`, then number, length and value (high byte first) of each parameter:
 *
 * | number | parameter |
 * |---|---|
 * | 05 | maximum length of an information field sent, bytes |
 * | 06 | maximum length of an information field received, bytes |
 * | 07 | window sent: maximum number of frames before an acknowledgement |
 * | 08 | window received |
 *
 * "Sent" and "received" are from the point of view of the sender of the message. A missing parameter has its default
 * value.
 */

export const PARAMETER_SENT_INFO = 5;
export const PARAMETER_RECEIVED_INFO = 6;
export const PARAMETER_SENT_WINDOW = 7;
export const PARAMETER_RECEIVED_WINDOW = 8;

export const INFO_DEFAULT = 128;
/** Bounds and default values in the standard. */
export const INFO_MIN = 32;
export const INFO_MAX = 2030;
export const WINDOW_DEFAULT = 1;

const SHORT_LENGTH = 4;
const LONG_LENGTH = 6;
export const PARAMETERS_LENGTH = 3 + 2 * SHORT_LENGTH + 2 * LONG_LENGTH;

const FORMAT_IDENTIFIER = 0x81;
const GROUP_IDENTIFIER = 0x80;

export interface Proposal {
	/** Maximum length of the information in a frame, INFO_MIN to INFO_MAX bytes. */
	readonly info: number;
	/** Number of frames that the peer sends before an acknowledgement, 1 to 7. */
	readonly window: number;
}

/**
 * Writes a proposal: `info` bytes in both directions, a window of `window` frames for the peer, and a window of one
 * frame for us.
 */
export function encodeParameters(into: Uint8Array, at: number, proposal: Proposal): number {
	const { info, window } = proposal;
	into[at] = FORMAT_IDENTIFIER;
	into[at + 1] = GROUP_IDENTIFIER;
	into[at + 2] = PARAMETERS_LENGTH - 3;
	const windows = at + 3 + 2 * SHORT_LENGTH;
	for (let i = 0; i < 2; i++) {
		const to = at + 3 + i * SHORT_LENGTH;
		into[to] = PARAMETER_SENT_INFO + i;
		into[to + 1] = 2;
		into[to + 2] = info >> 8;
		into[to + 3] = info & 0xff;
	}
	for (let i = 0; i < 2; i++) {
		const to = windows + i * LONG_LENGTH;
		into.fill(0, to, to + LONG_LENGTH);
		into[to] = PARAMETER_SENT_WINDOW + i;
		into[to + 1] = 4;
		into[to + LONG_LENGTH - 1] = i === 0 ? WINDOW_DEFAULT : window;
	}
	return at + PARAMETERS_LENGTH;
}

export interface Information {
	readonly bytes: Uint8Array;
	readonly infoStart: number;
	readonly infoEnd: number;
}

/** Returns the value of a parameter, 0 to 0xFFFFFFFF; 0 if it is missing or the list is malformed. */
export function parameterOf(message: Information, number: number): number {
	const { bytes, infoStart, infoEnd } = message;
	if (infoEnd - infoStart < 3) return 0;
	if (bytes[infoStart] !== FORMAT_IDENTIFIER || bytes[infoStart + 1] !== GROUP_IDENTIFIER) return 0;
	const end = Math.min(infoEnd, infoStart + 3 + bytes[infoStart + 2]);
	let at = infoStart + 3;
	while (at + 2 <= end) {
		const length = bytes[at + 1];
		const next = at + 2 + length;
		if (next > end) return 0;
		if (bytes[at] === number) return length <= 4 ? unsigned(bytes, at + 2, next) : 0;
		at = next;
	}
	return 0;
}

function unsigned(bytes: Uint8Array, start: number, end: number): number {
	let value = 0;
	for (let i = start; i < end; i++) value = value * 256 + bytes[i];
	return value;
}
