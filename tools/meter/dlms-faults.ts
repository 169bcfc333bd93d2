/** Faults in the frames of a simulated DLMS meter. Frames are selected by their numbers, which count from 1. */
import { addressAt, checkOf } from "./hdlc-frame.js";

export type FrameNumbers = readonly (readonly [number, number])[];

export interface FrameFaults {
	wrongFCS?: FrameNumbers;
	wrongHCS?: FrameNumbers;
	drop?: FrameNumbers;
	duplicate?: FrameNumbers;
	/** Frames of which only the first half is sent. */
	cut?: FrameNumbers;
	/** Frames before which noise with flags is sent. */
	garbage?: FrameNumbers;
	/** Frames before which an unnumbered frame with a data notification is sent. */
	notify?: FrameNumbers;
}

const GARBAGE = Buffer.from("00ff7e7ea0137e0121aaa9837e55", "hex");

export function includes(numbers: FrameNumbers | undefined, number: number): boolean {
	return numbers?.some(([first, last]) => number >= first && number <= last) ?? false;
}

export function spoilFrame(frame: Buffer, number: number, faults: FrameFaults): Buffer[] {
	if (includes(faults.drop, number)) return [];
	let bytes: Buffer = Buffer.from(frame);
	if (includes(faults.wrongHCS, number)) bytes = withWrongHCS(bytes);
	if (includes(faults.wrongFCS, number)) bytes[bytes.length - 3] ^= 0x55;
	if (includes(faults.cut, number)) bytes = bytes.subarray(0, bytes.length >> 1);
	const sent = includes(faults.duplicate, number) ? [bytes, bytes] : [bytes];
	return includes(faults.garbage, number) ? [GARBAGE, ...sent] : sent;
}

/**
 * Returns the frame with a wrong header check and a correct frame check. A frame without information has no header
 * check.
 */
function withWrongHCS(frame: Buffer): Buffer {
	const destination = addressAt(frame, 3)?.length ?? 0;
	const source = addressAt(frame, 3 + destination)?.length ?? 0;
	const at = 4 + destination + source;
	if (frame.length <= at + 5) return frame;
	frame[at] ^= 0x55;
	checkOf(frame.subarray(1, -3)).copy(frame, frame.length - 3);
	return frame;
}
