/** The tests of xs.test.ts with as many runs as take about three minutes. */
import { seedOfRun } from "./mutator.js";
import { fuzzRequestsInXS, fuzzTransmissionsInXS } from "./xs.js";

const seed = seedOfRun();

describe(`damaged input to the gateway in XS, long run (SEED=${seed})`, () => {
	it("does no harm in HTTP requests", () => fuzzRequestsInXS(seed, 25_000));
	it("does no harm in a meter's transmissions", () => fuzzTransmissionsInXS(seed, 300, 20_000));
});
