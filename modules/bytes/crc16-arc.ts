/**
 * CRC-16/ARC: check after the `!` of a pushed telegram (DSMR P1 companion standard 5.0.2, 5.2). Polynomial 0x8005
 * reflected (0xA001), register starts at 0, not inverted. "123456789" gives 0xBB3D.
 */

/** `register`: 0 before the first byte. */
export function stepCRC16ARC(register: number, bytes: Uint8Array, start: number, end: number): number {
	let crc = register;
	for (let i = start; i < end; i++) {
		// Feedback of eight bits: the byte at two positions, and 0xC001 if its parity is odd.
		const byte = (crc ^ bytes[i]) & 0xff;
		crc = (crc >> 8) ^ (byte << 6) ^ (byte << 7);
		if (((0x6996 >> ((byte ^ (byte >> 4)) & 15)) & 1) !== 0) crc ^= 0xc001;
	}
	return crc;
}
