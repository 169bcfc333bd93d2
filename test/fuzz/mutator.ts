/** Seeded damage for the fuzz tests. Each test's title names its seed; the environment variable SEED repeats a run. */
import { SeededRandom } from "../../hosts/node/random.js";

export function seedOfRun(): number {
	return Number(process.env["SEED"] ?? Date.now() % 1_000_000_007);
}

/** Longest piece that one change inserts, deletes or repeats, bytes. */
const PIECE_LIMIT = 40;
/** Interval of progress messages in a long run. */
const PROGRESS_MS = 15_000;
/** Bytes with a meaning for some decoder. */
const LIKELY = Buffer.from('\x00\x01\x02\x03\x04\x06\x15\r\n /?!()*&.:-+,0159AFZz\\{}[]"%;=\x7f\x80\xff', "latin1");

export class Mutator {
	readonly random: SeededRandom;

	constructor(seed: number) {
		this.random = new SeededRandom(seed);
	}

	pick<T>(list: readonly T[]): T {
		return list[this.random.below(list.length)];
	}

	/** Returns a copy with one to four changes; splices come from `other`. */
	mutate(bytes: Uint8Array, other: Uint8Array): Uint8Array {
		let mutated = [...bytes];
		for (let changes = 1 + this.random.below(4); changes > 0; changes--) mutated = this.#change(mutated, other);
		return Uint8Array.from(mutated);
	}

	/**
	 * Cuts the bytes into pieces of random length, and passes each to `take` in a buffer that is overwritten afterwards.
	 */
	inPieces(bytes: Uint8Array, take: (buffer: Uint8Array, start: number, end: number) => void): void {
		const size = this.pick([1, 7, 64, 64, bytes.length]);
		for (let at = 0; at < bytes.length; ) {
			const count = Math.min(bytes.length - at, 1 + this.random.below(size));
			const buffer = new Uint8Array(count + 2).fill(0x28);
			buffer.set(bytes.subarray(at, at + count), 1);
			take(buffer, 1, 1 + count);
			buffer.fill(0x2f);
			at += count;
		}
	}

	#change(bytes: number[], other: Uint8Array): number[] {
		const { random } = this;
		const at = random.below(bytes.length + 1);
		const count = 1 + random.below(PIECE_LIMIT);
		switch (random.below(9)) {
			case 0:
			case 1:
				return bytes.map((byte, i) => (i === at ? byte ^ (1 << random.below(8)) : byte));
			case 2:
				return [...bytes.slice(0, at), this.pick([...LIKELY]), ...bytes.slice(at + 1)];
			case 3:
				return [...bytes.slice(0, at), ...bytes.slice(at + count)];
			case 4:
				return [...bytes.slice(0, at), ...random.bytes(count), ...bytes.slice(at)];
			case 5:
				return [...bytes.slice(0, at), this.pick([...LIKELY]), ...bytes.slice(at)];
			case 6:
				return [...bytes.slice(0, at + count), ...bytes.slice(at)];
			case 7:
				return bytes.slice(0, at);
			default:
				return [...bytes.slice(0, at), ...other.subarray(random.below(other.length + 1))];
		}
	}
}

/** Calls `step` with new damage for each of the runs. Rethrows an error with the seed and the number of the run. */
export function runAll(what: string, seed: number, runs: number, step: Step): Promise<void> {
	return repeat(what, seed, step, (run) => run < runs, ` of ${runs}`);
}

/** Calls `step` with new damage, at least once, until the time is over. */
export function runFor(what: string, seed: number, minutes: number, step: Step): Promise<void> {
	const endMs = Date.now() + minutes * 60_000;
	return repeat(what, seed, step, (run) => run === 0 || Date.now() < endMs, "");
}

type Step = (mutator: Mutator, run: number) => void | Promise<void>;

/** Prints the progress of a long run. */
async function repeat(
	what: string,
	seed: number,
	step: Step,
	mayRun: (run: number) => boolean,
	ofAll: string,
): Promise<void> {
	let reportedMs = Date.now();
	for (let run = 0; mayRun(run); run++) {
		try {
			await step(new Mutator(seed + run * 7919), run);
		} catch (error) {
			throw new Error(`${what}, run ${run} with SEED=${seed}: ${error}`, { cause: error });
		}
		if (Date.now() - reportedMs < PROGRESS_MS) continue;
		reportedMs = Date.now();
		process.stderr.write(`      ${what}: ${run + 1}${ofAll}\n`);
	}
}
