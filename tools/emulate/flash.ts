/** Contents of an emulated board's flash: the output of ESP-IDF's build, and the unit's factory data. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";

const ERASED = 0xff;
const SECTOR = 4096;
const MB = 1024 * 1024;

export interface Part {
	readonly offset: number;
	readonly bytes: Uint8Array;
}

/** Reads `flash_args` in the build folder. It has a line of options, then lines "offset file". */
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

export function fingerprint(parts: readonly Part[]): string {
	const hash = createHash("sha256");
	for (const { offset, bytes } of [...parts].sort((a, b) => a.offset - b.offset))
		hash.update(`${offset} `).update(bytes);
	return hash.digest("hex");
}

/** Returns the flash size that the file name of a partition table states. */
export function flashBytes(partitions: string): number {
	const megabytes = /^partitions-(\d+)mb\.csv$/.exec(partitions)?.[1];
	if (megabytes === undefined) throw new Error(`${partitions} does not have the size of the flash in its name.`);
	return Number(megabytes) * MB;
}

export function erasedFlash(size: number): Uint8Array {
	return new Uint8Array(size).fill(ERASED);
}

/**
 * Writes the parts. Erases the sectors that they touch, as a flash tool does. Throws a RangeError if parts overlap or
 * do not fit.
 */
export function writeParts(flash: Uint8Array, parts: readonly Part[]): void {
	let end = 0;
	for (const { offset, bytes } of [...parts].sort((a, b) => a.offset - b.offset)) {
		const hex = `0x${offset.toString(16)}`;
		if (offset < end) throw new RangeError(`The part at ${hex} overlaps the one before it.`);
		end = offset + bytes.length;
		if (end > flash.length) throw new RangeError(`The part at ${hex} ends beyond the flash of ${flash.length} bytes.`);
		flash.fill(ERASED, offset - (offset % SECTOR), Math.ceil(end / SECTOR) * SECTOR);
		flash.set(bytes, offset);
	}
}
