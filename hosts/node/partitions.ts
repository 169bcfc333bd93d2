/**
 * Partitions as files of the state folder, created when first written. A write to bytes that are not erased is refused:
 * on encrypted flash it would leave garbage.
 */
import { closeSync, fdatasyncSync, fstatSync, mkdirSync, openSync, readSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import { ERASE_SIZE, type Flash, type Partition, WRITE_SIZE } from "../../modules/io/flash.js";

/** Sizes by name, as in hosts/esp32/partitions-4mb.csv. */
export const PARTITION_SIZES: Readonly<Record<string, number>> = Object.freeze({ history: 0x8000, log: 0x2000 });

const ERASED = 0xff;

/** Throws a RangeError unless the range is within `size` and in whole units. */
export function checkRange(size: number, offset: number, length: number, unit: number): void {
	if (offset % unit !== 0 || length % unit !== 0)
		throw new RangeError(`${length} bytes at ${offset} are not whole units`);
	if (!(offset >= 0 && length >= 0 && offset + length <= size)) {
		throw new RangeError(`${length} bytes at ${offset} are beyond the partition`);
	}
}

/** Throws a RangeError if there are fewer bytes. */
export function partOf(bytes: Uint8Array, start = 0, end = bytes.length): Uint8Array {
	if (!(start >= 0 && start <= end && end <= bytes.length)) throw new RangeError(`no bytes ${start} to ${end}`);
	return bytes.subarray(start, end);
}

export class FileFlash implements Flash {
	readonly #folder: string;

	constructor(folder: string) {
		this.#folder = folder;
	}

	open(name: string): Partition | undefined {
		if (!Object.hasOwn(PARTITION_SIZES, name)) return undefined;
		return new FilePartition(join(this.#folder, `${name}.bin`), PARTITION_SIZES[name]);
	}
}

export class FilePartition implements Partition {
	readonly size: number;
	readonly #path: string;

	constructor(path: string, size: number) {
		this.#path = path;
		this.size = size;
	}

	read(offset: number, into: Uint8Array, start?: number, end?: number): void {
		const part = partOf(into, start, end);
		checkRange(this.size, offset, part.length, 1);
		part.fill(ERASED);
		try {
			this.#with("r", (file) => readSync(file, part, 0, part.length, offset));
		} catch (error) {
			if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
		}
	}

	write(offset: number, bytes: Uint8Array, start?: number, end?: number): void {
		const part = partOf(bytes, start, end);
		checkRange(this.size, offset, part.length, WRITE_SIZE);
		const before = new Uint8Array(part.length);
		this.read(offset, before);
		if (before.some((byte) => byte !== ERASED)) throw new Error(`the bytes at ${offset} were not erased`);
		this.#put(offset, part);
	}

	erase(offset: number, length: number): void {
		checkRange(this.size, offset, length, ERASE_SIZE);
		this.#put(offset, new Uint8Array(length).fill(ERASED));
	}

	#put(offset: number, bytes: Uint8Array): void {
		mkdirSync(dirname(this.#path), { recursive: true, mode: 0o700 });
		// A missing file is filled with erased bytes: unwritten bytes would read as 0.
		this.#with("a", () => {});
		this.#with("r+", (file) => {
			const { size } = fstatSync(file);
			if (size < this.size) writeSync(file, new Uint8Array(this.size - size).fill(ERASED), 0, this.size - size, size);
			writeSync(file, bytes, 0, bytes.length, offset);
			fdatasyncSync(file);
		});
	}

	#with(flags: string, action: (file: number) => void): void {
		const file = openSync(this.#path, flags, 0o600);
		try {
			action(file);
		} finally {
			closeSync(file);
		}
	}
}
