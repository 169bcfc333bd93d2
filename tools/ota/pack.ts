/**
 * Packs and unpacks images. The pieces of a packed image are compressed independently of each other
 * (docs/firmware-files.md).
 */
import { deflateSync, inflateSync } from "node:zlib";

/** Length of a piece before compression, bytes. Only the last piece may be shorter. */
export const PIECE_LENGTH = 65536;
const LENGTH_BYTES = 4;
/**
 * Binary logarithm of the largest compression window. The chip has memory for 4 KB. The header of each stream states
 * its window.
 */
const WINDOW_BITS = 12;

export function pack(image: Uint8Array): Buffer {
	const parts: Buffer[] = [];
	for (let at = 0; at < image.length; at += PIECE_LENGTH) {
		const stream = deflateSync(image.subarray(at, at + PIECE_LENGTH), {
			windowBits: WINDOW_BITS,
			level: 9,
			memLevel: 9,
		});
		const length = Buffer.alloc(LENGTH_BYTES);
		length.writeUInt32LE(stream.length);
		parts.push(length, stream);
	}
	return Buffer.concat(parts);
}

/**
 * Unpacks an image. Throws an Error with a message for the user if the pieces are not exactly the pieces of one image.
 */
export function unpack(content: Uint8Array, length: number): Buffer {
	const source = Buffer.from(content.buffer, content.byteOffset, content.length);
	const parts: Buffer[] = [];
	let at = 0;
	for (let done = 0; done < length; done += PIECE_LENGTH) {
		const piece = done / PIECE_LENGTH;
		if (at + LENGTH_BYTES > source.length) throw new Error(`piece ${piece} is missing`);
		const packed = source.readUInt32LE(at);
		at += LENGTH_BYTES;
		if (at + packed > source.length) throw new Error(`piece ${piece} is cut off`);
		parts.push(unpackPiece(source.subarray(at, at + packed), Math.min(PIECE_LENGTH, length - done), piece));
		at += packed;
	}
	if (at < source.length) throw new Error(`${source.length - at} bytes follow the last piece`);
	return Buffer.concat(parts);
}

function unpackPiece(stream: Buffer, length: number, piece: number): Buffer {
	// The upper four bits are the binary logarithm of the window, minus 8 (RFC 1950, 2.2).
	if (stream.length > 0 && (stream[0] >> 4) + 8 > WINDOW_BITS) throw new Error(`piece ${piece} has a larger window`);
	let unpacked: { buffer: Buffer; engine: { bytesWritten: number } };
	try {
		unpacked = inflateSync(stream, { maxOutputLength: length, info: true }) as never;
	} catch (error) {
		throw new Error(`piece ${piece} can't be unpacked: ${(error as Error).message}`);
	}
	// This check is needed because Node's zlib does not report data after the end of a stream.
	if (unpacked.engine.bytesWritten !== stream.length) throw new Error(`piece ${piece} has bytes after its end`);
	if (unpacked.buffer.length !== length)
		throw new Error(`piece ${piece} has ${unpacked.buffer.length} bytes, not ${length}`);
	return unpacked.buffer;
}
