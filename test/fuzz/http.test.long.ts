import { byRun } from "../runs.js";
import { fuzzBackups, fuzzBodies, fuzzCodes, fuzzSettingsFiles } from "./decoders.js";
import { fuzzRequests } from "./http.js";
import { seedOfRun } from "./mutator.js";

const seed = seedOfRun();

describe(`damaged requests (SEED=${seed})`, () => {
	it("do no harm to the gateway", () => fuzzRequests(seed, byRun({ test: 1500, long: 100_000 })));
	it("are never misread as other JSON bodies", () => fuzzBodies(seed, byRun({ test: 3000, long: 100_000 })));
	it("with damaged backups are never misread as other backups", () =>
		fuzzBackups(seed, byRun({ test: 800, long: 20_000 })));
	it("with damaged settings files change nothing", () => fuzzSettingsFiles(seed, byRun({ test: 3000, long: 100_000 })));
	it("with damaged OBIS addresses are never misread as other codes", () =>
		fuzzCodes(seed, byRun({ test: 3000, long: 100_000 })));
});
