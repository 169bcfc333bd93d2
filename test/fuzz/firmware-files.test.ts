import { fuzzFirmwareFiles } from "./firmware-files.js";
import { seedOfRun } from "./mutator.js";
import { fuzzFirmwareFilesInXS } from "./xs-firmware.js";

const seed = seedOfRun();

describe(`damaged firmware files (SEED=${seed})`, () => {
	it("are refused for what is wrong with them", () => fuzzFirmwareFiles(seed, 800));
	it("and in the microcontroller's engine too", () => fuzzFirmwareFilesInXS(seed, 60)).timeout(60_000);
});
