/** Faults of the frames of a simulated DLMS meter, by number: its first frame is 1. */
import { addressAt, checkOf } from "./hdlc-frame.js";

/** Numbers of frames: single ones and spans, both ends included. */
export type FrameNumbers = readonly (readonly [number, number])[];

export interface FrameFaults {
	wrongFCS?: FrameNumbers;
	wrongHCS?: FrameNumbers;
	/** Never sent. */
	drop?: FrameNumbers;
	/** Sent twice. */
	duplicate?: FrameNumbers;
	/** Half of it. */
	cut?: FrameNumbers;
	/** Rubbish, flags in it, before it. */
	garbage?: FrameNumbers;
	/** An unnumbered frame with a data notification goes before it. */
	notify?: FrameNumbers;
}

const GARBAGE = Buffer.from("00ff7e7ea0137e0121aaa9837e55", "hex");

export function includes(numbers: FrameNumbers | undefined, number: number): boolean {
	return numbers?.some(([first, last]) => number >= first && number <= last) ?? false;
}

/** Frames that are sent instead of this one. */
export function spoilFrame(frame: Buffer, number: number, faults: FrameFaults): Buffer[] {
	if (includes(faults.drop, number)) return [];
	let bytes: Buffer = Buffer.from(frame);
	if (includes(faults.wrongHCS, number)) bytes = withWrongHCS(bytes);
	if (includes(faults.wrongFCS, number)) bytes[bytes.length - 3] ^= 0x55;
	if (includes(faults.cut, number)) bytes = bytes.subarray(0, bytes.length >> 1);
	const sent = includes(faults.duplicate, number) ? [bytes, bytes] : [bytes];
	return includes(faults.garbage, number) ? [GARBAGE, ...sent] : sent;
}

/** The check of the header is wrong, that of the frame is right; a frame without information has no such check. */
function withWrongHCS(frame: Buffer): Buffer {
	const destination = addressAt(frame, 3)?.length ?? 0;
	const source = addressAt(frame, 3 + destination)?.length ?? 0;
	const at = 4 + destination + source;
	if (frame.length <= at + 5) return frame;
	frame[at] ^= 0x55;
	checkOf(frame.subarray(1, -3)).copy(frame, frame.length - 3);
	return frame;
}
