/**
 * CRC-16/X.25, the check value of HDLC frames (ISO/IEC 13239, 4.2.5.2) and of stored settings. Polynomial 0x1021
 * reflected (0x8408), register starts at 0xFFFF, result inverted. "123456789" gives 0x906E. The low byte comes first on
 * the wire and in flash.
 */

export const CRC16_START = 0xffff;

/** Feedback for each value of four bits. This table takes less flash than one for eight bits. */
const NIBBLE = Object.freeze([
	0x0000, 0x1081, 0x2102, 0x3183, 0x4204, 0x5285, 0x6306, 0x7387, 0x8408, 0x9489, 0xa50a, 0xb58b, 0xc60c, 0xd68d,
	0xe70e, 0xf78f,
]);

/** Returns the register after this byte. The check value is the final register XOR 0xFFFF. */
export function stepCRC16(register: number, byte: number): number {
	const low = (register >> 4) ^ NIBBLE[(register ^ byte) & 15];
	return (low >> 4) ^ NIBBLE[(low ^ (byte >> 4)) & 15];
}

export function crc16(bytes: Uint8Array, start: number, end: number): number {
	let register = CRC16_START;
	for (let i = start; i < end; i++) register = stepCRC16(register, bytes[i]);
	return register ^ 0xffff;
}
