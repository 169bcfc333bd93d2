/**
 * Storage of the host contract, with a file for each key. A value is written to a temporary file, synchronised and
 * renamed, so that a power cut leaves either the old or the new value.
 */
import {
	closeSync,
	fsyncSync,
	mkdirSync,
	openSync,
	readdirSync,
	readFileSync,
	renameSync,
	rmSync,
	writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import type { Storage } from "../../modules/io/host.js";

const KEY = /^[a-z0-9_]{1,15}$/;
const VALUE_LIMIT = 4500;
/** Ending of temporary files. Keys contain no dot, so a temporary file is never mistaken for a value. */
const TEMPORARY = ".new";

export class FileStorage implements Storage {
	readonly #folder: string;

	/** Removes temporary files that a power cut has left. */
	constructor(folder: string) {
		this.#folder = folder;
		mkdirSync(folder, { recursive: true, mode: 0o700 });
		for (const name of readdirSync(folder)) {
			if (name.endsWith(TEMPORARY)) rmSync(join(folder, name), { force: true, recursive: true });
		}
	}

	get(key: string): Uint8Array | undefined {
		try {
			return new Uint8Array(readFileSync(this.#path(key)));
		} catch (error) {
			if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
			throw error;
		}
	}

	set(key: string, value: Uint8Array): void {
		const path = this.#path(key);
		if (value.length > VALUE_LIMIT) throw new RangeError(`a value has at most ${VALUE_LIMIT} bytes`);
		writeFileAtomic(path, value);
	}

	delete(key: string): void {
		rmSync(this.#path(key), { force: true });
		syncFolder(this.#folder);
	}

	#path(key: string): string {
		if (!KEY.test(key)) throw new RangeError("a key is 1 to 15 characters a-z, 0-9 and _");
		return join(this.#folder, key);
	}
}

/** Replaces the file atomically. Only its owner can read it. */
export function writeFileAtomic(path: string, value: Uint8Array | string): void {
	const temporary = path + TEMPORARY;
	const file = openSync(temporary, "w", 0o600);
	try {
		const bytes = typeof value === "string" ? Buffer.from(value) : value;
		let written = 0;
		while (written < bytes.length) written += writeSync(file, bytes, written);
		fsyncSync(file);
	} finally {
		closeSync(file);
	}
	renameSync(temporary, path);
	syncFolder(dirname(path));
}

function syncFolder(folder: string): void {
	const descriptor = openSync(folder, "r");
	try {
		fsyncSync(descriptor);
	} finally {
		closeSync(descriptor);
	}
}
