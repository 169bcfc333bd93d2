import { seedOfRun } from "../fuzz/mutator.js";
import { sendCorrupted } from "./corrupted.js";

const seed = seedOfRun();

describe(`Firmware files that are not as they should be (SEED=${seed})`, () => {
	it("are refused with the right code, a thousand of them, and the unit runs what it ran", () => {
		sendCorrupted(seed, 1000);
	});
});
