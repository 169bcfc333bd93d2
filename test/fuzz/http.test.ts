import { fuzzBackups, fuzzBodies, fuzzCodes, fuzzSettingsFiles } from "./decoders.js";
import { fuzzRequests } from "./http.js";
import { seedOfRun } from "./mutator.js";

const seed = seedOfRun();

describe(`damaged requests (SEED=${seed})`, () => {
	it("do no harm to the gateway", () => fuzzRequests(seed, 1500));
	it("are never misread as other JSON bodies", () => fuzzBodies(seed, 3000));
	it("with damaged backups are never misread as other backups", () => fuzzBackups(seed, 800));
	it("with damaged settings files change nothing", () => fuzzSettingsFiles(seed, 3000));
	it("with damaged OBIS addresses are never misread as other codes", () => fuzzCodes(seed, 3000));
});
