/**
 * Memory that outlives a program which has ended by itself, for hosts without such memory, and the file in the state
 * folder that carries it, with how the program has ended, to the next one. A program that is ended from outside leaves
 * no such file: that is a power cut.
 *
 *   the file   how it has ended, UTF-8, empty where that was asked for · a line end · what was retained
 */
import type { Retained } from "../../modules/io/flash.js";
import type { Ending, TextCodec } from "../../modules/io/host.js";

/** Name in the state folder. */
export const ENDING_FILE = "ending";
/** An older file is none: safe mode looks back for ten minutes. */
export const ENDING_AGE_MS = 600_000;
/** As the ESP32 has it. */
const RETAINED_SIZE = 256;
const LINE_END = 0x0a;

export const ASKED_FOR: Ending = Object.freeze({ cause: "it was asked for", isFault: false });
export const POWER_ON: Ending = Object.freeze({ cause: "power was switched on", isFault: false });

export class MemoryRetained implements Retained {
	readonly size = RETAINED_SIZE;
	#bytes: Uint8Array | undefined;

	read(): Uint8Array | undefined {
		return this.#bytes?.slice();
	}

	write(bytes: Uint8Array): void {
		if (bytes.length > this.size) throw new RangeError("more than can be retained");
		this.#bytes = bytes.slice();
	}

	/** The power was cut. */
	lose(): void {
		this.#bytes = undefined;
	}
}

/** What a file says; `retained` gets what it carries. */
export function takeEnding(file: Uint8Array, text: TextCodec, retained: MemoryRetained): Ending {
	const end = file.indexOf(LINE_END);
	if (end < 0) return POWER_ON;
	if (end + 1 < file.length) retained.write(file.slice(end + 1, end + 1 + retained.size));
	return end === 0 ? ASKED_FOR : { cause: text.decode(file, 0, end), isFault: true };
}
