import { seedOfRun } from "./mutator.js";
import { fuzzRequestsInXS, fuzzTransmissionsInXS } from "./xs.js";

const seed = seedOfRun();

describe(`damaged input to the gateway in XS (SEED=${seed})`, function () {
	this.timeout(120_000);
	it("does no harm in HTTP requests", () => fuzzRequestsInXS(seed, 900));
	it("does no harm in a meter's transmissions", () => fuzzTransmissionsInXS(seed, 40, 1000));
});
