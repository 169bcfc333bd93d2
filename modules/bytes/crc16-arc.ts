/**
 * CRC-16/ARC, the check value after the `!` of a P1 telegram (DSMR P1 companion standard 5.0.2, 5.2). Polynomial 0x8005
 * reflected (0xA001), register starts at 0, not inverted. "123456789" gives 0xBB3D.
 */

/** Returns the register after these bytes. `register` is its value before them: 0 at the start of the telegram. */
export function stepCRC16ARC(register: number, bytes: Uint8Array, start: number, end: number): number {
	let crc = register;
	for (let i = start; i < end; i++) {
		// The feedback of eight bits is the byte shifted to two positions, and 0xC001 if the parity of the byte is odd.
		const byte = (crc ^ bytes[i]) & 0xff;
		crc = (crc >> 8) ^ (byte << 6) ^ (byte << 7);
		if (((0x6996 >> ((byte ^ (byte >> 4)) & 15)) & 1) !== 0) crc ^= 0xc001;
	}
	return crc;
}
