import { fuzzBackups, fuzzBodies, fuzzCodes } from "./decoders.js";
import { fuzzRequests } from "./http.js";
import { seedOfRun } from "./mutator.js";

const seed = seedOfRun();

describe(`damaged requests (SEED=${seed})`, () => {
	it("do no harm to the gateway", () => fuzzRequests(seed, 1500));
	it("are not taken for bodies that they are not", () => fuzzBodies(seed, 3000));
	it("nor damaged backups for what they are not", () => fuzzBackups(seed, 800));
	it("and damaged addresses not for codes that they are not", () => fuzzCodes(seed, 3000));
});
