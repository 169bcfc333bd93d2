import { seedOfRun } from "../fuzz/mutator.js";
import { sendCorrupted } from "./corrupted.js";

const seed = seedOfRun();

describe(`Corrupted firmware files (SEED=${seed})`, () => {
	it("are refused with the right code (a thousand files), and the unit keeps its firmware", () => {
		sendCorrupted(seed, 1000);
	});
});
