import { seedOfRun } from "../fuzz/mutator.js";
import { byRun } from "../runs.js";
import { sendCorrupted } from "./corrupted.js";

const seed = seedOfRun();
const FILES = byRun({ test: 1000, long: 10_000 });

describe(`Corrupted firmware files (SEED=${seed})`, () => {
	it(`are refused with the right code (${FILES} files), and the unit keeps its firmware`, () => {
		sendCorrupted(seed, FILES);
	});
});
