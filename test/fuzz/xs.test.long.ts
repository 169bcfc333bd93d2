import { byRun } from "../runs.js";
import { seedOfRun } from "./mutator.js";
import { fuzzRequestsInXS, fuzzTransmissionsInXS } from "./xs.js";

const seed = seedOfRun();

describe(`damaged input to the gateway in XS (SEED=${seed})`, () => {
	it("does no harm in HTTP requests", () => fuzzRequestsInXS(seed, byRun({ test: 900, long: 25_000 })));
	it("does no harm in a meter's transmissions", () =>
		fuzzTransmissionsInXS(seed, byRun({ test: 40, long: 300 }), byRun({ test: 1000, long: 20_000 })));
});
