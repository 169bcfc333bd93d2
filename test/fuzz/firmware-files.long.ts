/** The tests of firmware-files.test.ts with many files. */
import { fuzzFirmwareFiles } from "./firmware-files.js";
import { seedOfRun } from "./mutator.js";
import { fuzzFirmwareFilesInXS } from "./xs-firmware.js";

const seed = seedOfRun();

describe(`damaged firmware files, long run (SEED=${seed})`, () => {
	it("are refused with the code of their fault", () => fuzzFirmwareFiles(seed, 30_000));
	it("are refused with the same codes in XS", () => fuzzFirmwareFilesInXS(seed, 1000));
});
