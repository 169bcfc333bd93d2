/** The tests of http.test.ts with many requests. */
import { fuzzBackups, fuzzBodies, fuzzCodes, fuzzSettingsFiles } from "./decoders.js";
import { fuzzRequests } from "./http.js";
import { seedOfRun } from "./mutator.js";

const seed = seedOfRun();

describe(`damaged requests, long run (SEED=${seed})`, () => {
	it("do no harm to the gateway", () => fuzzRequests(seed, 100_000));
	it("are never misread as other JSON bodies", () => fuzzBodies(seed, 100_000));
	it("with damaged backups are never misread as other backups", () => fuzzBackups(seed, 20_000));
	it("with damaged settings files change nothing", () => fuzzSettingsFiles(seed, 100_000));
	it("with damaged OBIS addresses are never misread as other codes", () => fuzzCodes(seed, 100_000));
});
