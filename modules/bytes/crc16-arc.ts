/**
 * CRC-16/ARC: the check that DSMR meters print after the `!` of a pushed telegram (DSMR P1 companion standard 5.0.2,
 * 5.2). Polynomial 0x8005 reflected (0xA001), register starts at 0, not inverted. "123456789" gives 0xBB3D.
 */

/** What four bits shifted out of the register put back into it. */
const NIBBLE = Object.freeze([
	0x0000, 0xcc01, 0xd801, 0x1400, 0xf001, 0x3c00, 0x2800, 0xe401, 0xa001, 0x6c00, 0x7800, 0xb401, 0x5000, 0x9c01,
	0x8801, 0x4400,
]);

/** The register after `bytes[start..end)`; `register` is 0 before the first byte. */
export function stepCRC16ARC(register: number, bytes: Uint8Array, start: number, end: number): number {
	let crc = register;
	for (let i = start; i < end; i++) {
		crc ^= bytes[i];
		crc = (crc >> 4) ^ NIBBLE[crc & 15];
		crc = (crc >> 4) ^ NIBBLE[crc & 15];
	}
	return crc;
}
