/** http.test.ts with many requests. */
import { fuzzBodies, fuzzCodes } from "./decoders.js";
import { fuzzRequests } from "./http.js";
import { seedOfRun } from "./mutator.js";

const seed = seedOfRun();

describe(`damaged requests, many (SEED=${seed})`, () => {
	it("do no harm to the gateway", () => fuzzRequests(seed, 100_000));
	it("are not taken for bodies that they are not", () => fuzzBodies(seed, 100_000));
	it("and damaged addresses not for codes that they are not", () => fuzzCodes(seed, 100_000));
});
