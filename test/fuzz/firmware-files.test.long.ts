import { byRun } from "../runs.js";
import { fuzzFirmwareFiles } from "./firmware-files.js";
import { seedOfRun } from "./mutator.js";
import { fuzzFirmwareFilesInXS } from "./xs-firmware.js";

const seed = seedOfRun();

describe(`damaged firmware files (SEED=${seed})`, () => {
	it("are refused with the code of their fault", () => fuzzFirmwareFiles(seed, byRun({ test: 800, long: 30_000 })));
	it("are refused with the same codes in XS", () => fuzzFirmwareFilesInXS(seed, byRun({ test: 60, long: 1000 })));
});
