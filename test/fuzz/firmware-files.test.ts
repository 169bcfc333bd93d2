import { fuzzFirmwareFiles } from "./firmware-files.js";
import { seedOfRun } from "./mutator.js";
import { fuzzFirmwareFilesInXS } from "./xs-firmware.js";

const seed = seedOfRun();

describe(`damaged firmware files (SEED=${seed})`, () => {
	it("are refused with the code of their fault", () => fuzzFirmwareFiles(seed, 800));
	it("are refused with the same codes in XS", () => fuzzFirmwareFilesInXS(seed, 60)).timeout(60_000);
});
