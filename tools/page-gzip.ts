/**
 * Worker that compresses files with Zopfli, 4 % smaller than zlib at its best. It has a thread of its own, because the
 * package installs error handlers in its process.
 */
import { parentPort, workerData } from "node:worker_threads";
import { constants, crc32, deflateRawSync } from "node:zlib";
import { deflateAsync, gzipAsync } from "@gfx/zopfli";

const OPTIONS = { numiterations: 5 };
/** Head of a gzip file (RFC 1952, 2.3) without name and time. */
const HEAD = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 2, 0xff]);

/** Deflated pieces that end at a byte (RFC 1951), so that any other may follow. */
const flushed = new Map<Uint8Array, Uint8Array>();

function flush(piece: Uint8Array): Uint8Array {
	const known = flushed.get(piece);
	if (known !== undefined) return known;
	const deflated = deflateRawSync(piece, { level: 9, memLevel: 9, finishFlush: constants.Z_SYNC_FLUSH });
	flushed.set(piece, deflated);
	return deflated;
}

/** The parts of a gzip file, one for each piece of the content. A piece between two others is the same part in each file. */
async function partsOf(pieces: readonly Uint8Array[]): Promise<Uint8Array[]> {
	if (pieces.length === 1) return [await gzipAsync(pieces[0], OPTIONS)];
	const content = Buffer.concat(pieces);
	const trailer = Buffer.alloc(8);
	trailer.writeUInt32LE(crc32(content));
	trailer.writeUInt32LE(content.length, 4);
	const [first, ...rest] = pieces;
	const last = rest.pop()!;
	return [
		Buffer.concat([HEAD, flush(first)]),
		...rest.map(flush),
		Buffer.concat([await deflateAsync(last, OPTIONS), trailer]),
	];
}

const contents: readonly (readonly Uint8Array[])[] = workerData;
parentPort?.postMessage(await Promise.all(contents.map(partsOf)));
