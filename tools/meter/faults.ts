/** Faults of a simulated meter and its line. By default there are none. */
import type { SeededRandom } from "../../hosts/node/random.js";
import { ACK, CR, checkPosition, ETX, LF, STX } from "./telegram.js";

export interface MeterFaults {
	/** Number of noise characters (7F, 00, FF) before the identification and after the BCC. */
	noise?: number;
	/** Number of blocks that get a wrong BCC, including repetitions. */
	wrongBCC?: number;
	silence?: number;
	lateMs?: number;
	/** Number of characters after which the block stops. */
	cut?: number;
	/** The only speed that works, whatever speed the identification announces. */
	lieBaud?: number;
	noSTX?: boolean;
	/** True if the block ends with `! 11 CR LF`, without ETX and BCC. */
	noBCC?: boolean;
	/** On average, one in this many characters has a flipped bit. */
	damage?: number;
	/** True if the meter sends `ACK CR LF` before STX, as an Elster AS1440 does. */
	ackLine?: boolean;
}

const NOISE = [0x7f, 0x00, 0xff];

export function noiseBytes(count: number): Uint8Array {
	return Uint8Array.from({ length: count }, (_, i) => NOISE[i % NOISE.length]);
}

/**
 * Returns the message with its faults. `isRepeated` is true if NAK requested the message, which then begins with the
 * block. `isSpoilt` is true if it gets a wrong BCC. Faults of STX and BCC have no effect on a message without them.
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

/** Flips a bit in one of `count` 7E1 characters, in place. A result of 0x80 or more means wrong parity. */
export function damage(bytes: Uint8Array, count: number, random: SeededRandom): void {
	for (let i = 0; i < bytes.length; i++) {
		if (random.oneIn(count)) bytes[i] ^= 0x80 | ((1 << random.below(8)) & 0x7f);
	}
}
