/**
 * The checks of SML, over a telegram and over each message: CRC-16/X.25, low byte first (SML 1.04, 8.1 and 6.1). Some
 * meters (Holley DTZ541) compute CRC-16/Kermit instead, which is the same but for the start of the register and the
 * inversion at the end, and send its high byte first; the other order is taken, too.
 */
import { CRC16_START, stepCRC16 } from "../bytes/crc16.js";

/** `register`: after `count` bytes, from CRC16_START on; `sent`: as it stands there, the first byte in the upper eight bits. */
export function isCheckRight(register: number, count: number, sent: number): boolean {
	const swapped = (sent >> 8) | ((sent & 0xff) << 8);
	if (swapped === (register ^ 0xffff)) return true;
	// What the other start makes of the register is the same whatever the bytes are.
	let difference = CRC16_START;
	for (let i = 0; i < count; i++) difference = stepCRC16(difference, 0);
	const kermit = register ^ difference;
	return kermit === sent || kermit === swapped;
}
