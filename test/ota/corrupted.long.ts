/** corrupted.test.ts with many files. */
import { seedOfRun } from "../fuzz/mutator.js";
import { sendCorrupted } from "./corrupted.js";

const seed = seedOfRun();
const FILES = 10_000;

describe(`Firmware files that are not as they should be (SEED=${seed})`, () => {
	it(`are refused with the right code, ${FILES} of them, and the unit runs what it ran`, () => {
		sendCorrupted(seed, FILES);
	});
});
