/** Runs corrupted.test.ts with many more files. */
import { seedOfRun } from "../fuzz/mutator.js";
import { sendCorrupted } from "./corrupted.js";

const seed = seedOfRun();
const FILES = 10_000;

describe(`Corrupted firmware files (SEED=${seed})`, () => {
	it(`are refused with the right code (${FILES} files), and the unit keeps its firmware`, () => {
		sendCorrupted(seed, FILES);
	});
});
