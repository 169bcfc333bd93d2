import { fuzzFirmwareFiles } from "./firmware-files.js";
import { seedOfRun } from "./mutator.js";

const seed = seedOfRun();

describe(`damaged firmware files (SEED=${seed})`, () => {
	it("are refused for what is wrong with them", () => fuzzFirmwareFiles(seed, 2000));
});
