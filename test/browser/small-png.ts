/**
 * Makes pictures of the page small enough to store: PNG (ISO/IEC 15948) with a palette instead of full colours. Accepts
 * what browsers write: 8 bits per channel, RGB or RGBA, not interlaced; transparency is lost.
 */
import { crc32, deflateSync, inflateSync } from "node:zlib";

const SIGNATURE = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");
const PALETTE_LIMIT = 256;
const RGB = 2;
const RGBA = 6;
const INDEXED = 3;

export interface Pixels {
	readonly width: number;
	readonly height: number;
	/** Three bytes for each colour. */
	readonly colours: Uint8Array;
}

/** The picture with at most 256 colours. Throws an Error for another kind of PNG. */
export function smallPNG(png: Buffer): Buffer {
	const { width, height, colours } = decode(png);
	const { palette, indices } = quantise(colours);
	const rows = Buffer.alloc((width + 1) * height);
	for (let y = 0; y < height; y++) rows.set(indices.subarray(y * width, (y + 1) * width), y * (width + 1) + 1);
	const head = Buffer.alloc(13);
	head.writeUInt32BE(width, 0);
	head.writeUInt32BE(height, 4);
	head.set([8, INDEXED], 8);
	const parts = [
		chunk("IHDR", head),
		chunk("PLTE", palette),
		chunk("IDAT", deflateSync(rows, { level: 9, memLevel: 9 })),
	];
	return Buffer.concat([SIGNATURE, ...parts, chunk("IEND", Buffer.alloc(0))]);
}

function chunk(type: string, data: Buffer): Buffer {
	const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
	const ends = Buffer.alloc(8);
	ends.writeUInt32BE(data.length, 0);
	ends.writeUInt32BE(crc32(body), 4);
	return Buffer.concat([ends.subarray(0, 4), body, ends.subarray(4)]);
}

/** The pixels of a PNG. Throws an Error for another kind of PNG. */
export function decode(png: Buffer): Pixels {
	let head = Buffer.alloc(13);
	const data: Buffer[] = [];
	for (let at = SIGNATURE.length; at < png.length; ) {
		const length = png.readUInt32BE(at);
		const type = png.toString("latin1", at + 4, at + 8);
		const body = png.subarray(at + 8, at + 8 + length);
		if (type === "IHDR") head = Buffer.from(body);
		if (type === "IDAT") data.push(body);
		at += 12 + length;
	}
	const [width, height] = [head.readUInt32BE(0), head.readUInt32BE(4)];
	const [depth, kind, , , interlaced] = head.subarray(8);
	if (depth !== 8 || (kind !== RGB && kind !== RGBA) || interlaced !== 0) throw new Error("not a PNG of a browser");
	const channels = kind === RGB ? 3 : 4;
	const bytes = unfilter(inflateSync(Buffer.concat(data)), width * channels, channels);
	const colours = new Uint8Array(width * height * 3);
	for (let i = 0; i < width * height; i++) colours.set(bytes.subarray(i * channels, i * channels + 3), i * 3);
	return { width, height, colours };
}

/** Undoes the filter of each row. The filter's number precedes the row (clause 9). */
function unfilter(rows: Buffer, length: number, channels: number): Uint8Array {
	const height = rows.length / (length + 1);
	const out = new Uint8Array(length * height);
	for (let y = 0; y < height; y++) {
		const filter = rows[y * (length + 1)];
		for (let x = 0; x < length; x++) {
			const at = y * length + x;
			const a = x >= channels ? out[at - channels] : 0;
			const b = y > 0 ? out[at - length] : 0;
			const c = x >= channels && y > 0 ? out[at - length - channels] : 0;
			out[at] = rows[y * (length + 1) + 1 + x] + [0, a, b, (a + b) >> 1, paeth(a, b, c)][filter];
		}
	}
	return out;
}

function paeth(a: number, b: number, c: number): number {
	const [pa, pb, pc] = [Math.abs(b - c), Math.abs(a - c), Math.abs(a + b - 2 * c)];
	if (pa <= pb && pa <= pc) return a;
	return pb <= pc ? b : c;
}

/** Keeps the most frequent colours, and replaces every other colour by the nearest of them. */
function quantise(colours: Uint8Array): { palette: Buffer; indices: Uint8Array } {
	const counts = new Map<number, number>();
	for (let i = 0; i < colours.length; i += 3) {
		const colour = (colours[i] << 16) | (colours[i + 1] << 8) | colours[i + 2];
		counts.set(colour, (counts.get(colour) ?? 0) + 1);
	}
	const mostFrequent = [...counts.keys()].sort((x, y) => counts.get(y)! - counts.get(x)!).slice(0, PALETTE_LIMIT);
	const distance = (x: number, y: number) =>
		((x >> 16) - (y >> 16)) ** 2 + (((x >> 8) & 255) - ((y >> 8) & 255)) ** 2 + ((x & 255) - (y & 255)) ** 2;
	const nearest = new Map(mostFrequent.map((colour, index) => [colour, index]));
	for (const colour of counts.keys()) {
		if (nearest.has(colour)) continue;
		let best = 0;
		for (let i = 1; i < mostFrequent.length; i++)
			if (distance(colour, mostFrequent[i]) < distance(colour, mostFrequent[best])) best = i;
		nearest.set(colour, best);
	}
	const indices = new Uint8Array(colours.length / 3);
	for (let i = 0; i < indices.length; i++)
		indices[i] = nearest.get((colours[i * 3] << 16) | (colours[i * 3 + 1] << 8) | colours[i * 3 + 2])!;
	return {
		palette: Buffer.from(mostFrequent.flatMap((colour) => [colour >> 16, (colour >> 8) & 255, colour & 255])),
		indices,
	};
}
