/** The damaged files of firmware-files.test.ts, many. */
import { fuzzFirmwareFiles } from "./firmware-files.js";
import { seedOfRun } from "./mutator.js";

const seed = seedOfRun();

describe(`damaged firmware files, many (SEED=${seed})`, () => {
	it("are refused for what is wrong with them", () => fuzzFirmwareFiles(seed, 100_000));
});
