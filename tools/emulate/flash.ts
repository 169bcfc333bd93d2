/** The contents of an emulated board's flash: what ESP-IDF has built, at its places, and the unit's factory data. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";

const ERASED = 0xff;
/** Flash is erased in sectors of this size. */
const SECTOR = 4096;
const MB = 1024 * 1024;

/** Bytes at a place of the flash. */
export interface Part {
	/** Bytes from the start. */
	readonly offset: number;
	readonly bytes: Uint8Array;
}

/**
 * The parts that ESP-IDF's `flash_args` lists: a first line of options, then lines "offset file", by their paths from
 * `folder`, which is ESP-IDF's build folder. Throws an Error with a sentence for a file that says something else.
 */
export function readBuild(folder: string): Part[] {
	const path = join(folder, "flash_args");
	const parts = readFileSync(path, "utf8")
		.split("\n")
		.filter((line) => line.trim() !== "" && !line.startsWith("--"))
		.map((line) => {
			const [, offset, file] = /^(0x[0-9a-f]+)\s+(\S.*?)\s*$/i.exec(line) ?? [];
			if (file === undefined) throw new Error(`${path} has a line without address and file: "${line}".`);
			return { offset: Number(offset), bytes: readFileSync(join(folder, file)) };
		});
	if (parts.length === 0) throw new Error(`${path} lists no files.`);
	return parts;
}

/** Which build it is: another one has another text. */
export function fingerprint(parts: readonly Part[]): string {
	const hash = createHash("sha256");
	for (const { offset, bytes } of [...parts].sort((a, b) => a.offset - b.offset))
		hash.update(`${offset} `).update(bytes);
	return hash.digest("hex");
}

/** The MB of flash that a partition table is for, by its name. Throws an Error for another name. */
export function flashBytes(partitions: string): number {
	const megabytes = /^partitions-(\d+)mb\.csv$/.exec(partitions)?.[1];
	if (megabytes === undefined) throw new Error(`${partitions} does not have the size of the flash in its name.`);
	return Number(megabytes) * MB;
}

/** Flash that nobody has written. */
export function erasedFlash(size: number): Uint8Array {
	return new Uint8Array(size).fill(ERASED);
}

/**
 * Writes the parts as a flash tool does: the sectors that they touch are erased first, all else stays. Throws a RangeError
 * for parts that overlap or lie outside.
 */
export function writeParts(flash: Uint8Array, parts: readonly Part[]): void {
	let end = 0;
	for (const { offset, bytes } of [...parts].sort((a, b) => a.offset - b.offset)) {
		const hex = `0x${offset.toString(16)}`;
		if (offset < end) throw new RangeError(`The part at ${hex} overlaps the one before it.`);
		end = offset + bytes.length;
		if (end > flash.length) throw new RangeError(`The part at ${hex} ends behind the flash of ${flash.length} bytes.`);
		flash.fill(ERASED, offset - (offset % SECTOR), Math.ceil(end / SECTOR) * SECTOR);
		flash.set(bytes, offset);
	}
}
