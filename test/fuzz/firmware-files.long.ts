/** firmware-files.test.ts with many files. */
import { fuzzFirmwareFiles } from "./firmware-files.js";
import { seedOfRun } from "./mutator.js";
import { fuzzFirmwareFilesInXS } from "./xs-firmware.js";

const seed = seedOfRun();

describe(`damaged firmware files, many (SEED=${seed})`, () => {
	it("are refused for what is wrong with them", () => fuzzFirmwareFiles(seed, 30_000));
	it("and in the microcontroller's engine too", () => fuzzFirmwareFilesInXS(seed, 1000));
});
