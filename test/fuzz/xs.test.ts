import { seedOfRun } from "./mutator.js";
import { fuzzRequestsInXS, fuzzTransmissionsInXS } from "./xs.js";

const seed = seedOfRun();

describe(`damage in the microcontroller's engine (SEED=${seed})`, function () {
	this.timeout(60_000);
	it("of requests does no harm to the gateway", () => fuzzRequestsInXS(seed, 900));
	it("of transmissions does no harm to the gateway", () => fuzzTransmissionsInXS(seed, 40, 1000));
});
