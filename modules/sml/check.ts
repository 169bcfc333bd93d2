/**
 * Checksum of SML telegrams and messages: CRC-16/X.25, low byte first (SML 1.04, 8.1 and 6.1). Some meters (Holley
 * DTZ541) use CRC-16/Kermit, which has another initial value and no final inversion. They send the high byte first. For
 * both kinds of CRC, both byte orders are accepted.
 */
import { CRC16_START, stepCRC16 } from "../bytes/crc16.js";

/**
 * Returns true if the checksum is right. `register`: CRC over `count` bytes, begun with CRC16_START. `sent`: received
 * checksum, with its first byte in the upper eight bits.
 */
export function isCheckRight(register: number, count: number, sent: number): boolean {
	const swapped = (sent >> 8) | ((sent & 0xff) << 8);
	if (swapped === (register ^ 0xffff)) return true;
	// A different initial value changes the result by an amount that depends only on the number of bytes.
	let difference = CRC16_START;
	for (let i = 0; i < count; i++) difference = stepCRC16(difference, 0);
	const kermit = register ^ difference;
	return kermit === sent || kermit === swapped;
}
