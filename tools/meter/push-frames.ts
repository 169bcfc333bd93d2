/** Frames that carry a pushed APDU of DLMS/COSEM over a serial line: HDLC (IEC 62056-46) and M-Bus (EN 13757-2). */
import { makeFrame } from "./hdlc-frame.js";

const LLC = Buffer.of(0xe6, 0xe7, 0x00);
const UI = 0x13;
/** Maximum number of data bytes in a long M-Bus frame. C, A, CI and the two transport selectors do not count. */
const MBUS_DATA = 245;

function pieces(bytes: Uint8Array, size: number): Buffer[] {
	const all: Buffer[] = [];
	for (let at = 0; at === 0 || at < bytes.length; at += size) all.push(Buffer.from(bytes.subarray(at, at + size)));
	return all;
}

/**
 * Makes UI frames with at most `size` bytes of information each. The flag that ends a frame also begins the next one.
 */
export function hdlcPush(apdu: Uint8Array, size = 2000): Buffer {
	const segments = pieces(Buffer.concat([LLC, apdu]), size);
	const frames = segments.map((information, i) =>
		makeFrame({
			isSegmented: i < segments.length - 1,
			destination: Buffer.of(0x41),
			source: Buffer.of(0x08, 0x83),
			control: UI,
			information,
		}),
	);
	return Buffer.concat(frames.map((frame, i) => frame.subarray(i === 0 ? 0 : 1)));
}

/** Splits the APDU by general block transfer (IEC 62056-5-3, 9.3) into blocks of `size` bytes. */
export function blockPush(apdu: Uint8Array, size: number): Buffer {
	const blocks = pieces(apdu, size);
	return Buffer.concat(
		blocks.map((block, i) => {
			const length = block.length < 0x80 ? [block.length] : [0x81, block.length];
			const control = i < blocks.length - 1 ? 0x40 : 0xc0;
			return hdlcPush(Buffer.concat([Buffer.of(0xe0, control, 0, i + 1, 0, 0, ...length), block]));
		}),
	);
}

/**
 * Divides the APDU into segments, with one long frame for each. With `size` 252 the frames are like those of Sagemcom
 * meters: their length is 257, of which the length byte has only the lower eight bits (01).
 */
export function mbusPush(apdu: Uint8Array, size = MBUS_DATA): Buffer {
	const segments = pieces(apdu, size);
	return Buffer.concat(
		segments.map((data, i) => {
			const control = i | (i === segments.length - 1 ? 0x10 : 0);
			const body = Buffer.concat([Buffer.of(0x53, 0xff, control, 0x01, 0x67), data]);
			const sum = body.reduce((all, one) => (all + one) & 0xff, 0);
			const length = body.length & 0xff;
			return Buffer.concat([Buffer.of(0x68, length, length, 0x68), body, Buffer.of(sum, 0x16)]);
		}),
	);
}
