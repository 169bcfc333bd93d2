/** xs.test.ts with as many runs as take about three minutes. */
import { seedOfRun } from "./mutator.js";
import { fuzzRequestsInXS, fuzzTransmissionsInXS } from "./xs.js";

const seed = seedOfRun();

describe(`damage in the microcontroller's engine, much (SEED=${seed})`, () => {
	it("of requests does no harm to the gateway", () => fuzzRequestsInXS(seed, 25_000));
	it("of transmissions does no harm to the gateway", () => fuzzTransmissionsInXS(seed, 300, 20_000));
});
