/** Faults of a simulated meter and its line. Each is off by default. */
import type { SeededRandom } from "../../hosts/node/random.js";
import { ACK, CR, checkPosition, ETX, LF, STX } from "./telegram.js";

export interface MeterFaults {
	/** Characters of noise (7F, 00, FF) before the identification and after the BCC. */
	noise?: number;
	/** The first so many blocks, repeated ones counted, carry a wrong BCC. */
	wrongBCC?: number;
	/** The first so many sign-ons are not answered. */
	silence?: number;
	/** Delay of each answer, ms. */
	lateMs?: number;
	/** The block stops after so many characters. */
	cut?: number;
	/** Whatever the identification promises, the meter works at this rate only. */
	lieBaud?: number;
	/** The block comes without STX. */
	noSTX?: boolean;
	/** The block ends with `! CR LF`, without ETX and BCC. */
	noBCC?: boolean;
	/** One of that many characters has a flipped bit. */
	damage?: number;
	/** `ACK CR LF` comes before STX (Elster AS1440). */
	ackLine?: boolean;
}

const NOISE = [0x7f, 0x00, 0xff];

/** `count` characters of noise. */
export function noiseBytes(count: number): Uint8Array {
	return Uint8Array.from({ length: count }, (_, i) => NOISE[i % NOISE.length]);
}

/**
 * The message as this meter sends it. `isRepeated`: asked for by NAK, so it begins with the block itself; `isSpoilt`:
 * its BCC is wrong. A message without STX or BCC has no such fault.
 */
export function shapeMessage(
	message: Uint8Array,
	faults: MeterFaults,
	isRepeated: boolean,
	isSpoilt: boolean,
): Uint8Array {
	const check = checkPosition(message);
	let bytes = [...message];
	if (isSpoilt && check >= 0) bytes[check] ^= 0x55;
	if (faults.noBCC && check >= 0) bytes.splice(bytes.indexOf(ETX, bytes.indexOf(STX)), 2);
	const start = bytes.indexOf(STX);
	const before = start > 0 && !isRepeated ? bytes.slice(0, start) : [];
	bytes = start > 0 ? bytes.slice(start) : bytes;
	if (faults.noSTX && bytes[0] === STX) bytes = bytes.slice(1);
	if (faults.ackLine && !isRepeated) before.push(ACK, CR, LF);
	bytes = bytes.slice(0, faults.cut ?? bytes.length);
	const isCut = faults.cut !== undefined && faults.cut <= bytes.length;
	return Uint8Array.from([...before, ...bytes, ...(isCut ? [] : noiseBytes(faults.noise ?? 0))]);
}

/**
 * Flips a bit in one of `count` characters of 7E1, in place. The parity no longer fits, and 0x80 and above is how a
 * machine says so; a line that carries no parity shows only the wrong character.
 */
export function damage(bytes: Uint8Array, count: number, random: SeededRandom): void {
	for (let i = 0; i < bytes.length; i++) {
		if (random.oneIn(count)) bytes[i] ^= 0x80 | ((1 << random.below(8)) & 0x7f);
	}
}
