/** The tests of asked.test.ts with many more answers. */
import { fuzzKMP, fuzzMBus } from "./asked.js";
import { fuzzAMIS } from "./called.js";
import { seedOfRun } from "./mutator.js";

const seed = seedOfRun();

describe(`polled meters with damaged answers, long run (SEED=${seed})`, () => {
	it("do no harm over KMP", () => fuzzKMP(seed, 100_000));
	it("do no harm over AMIS, whose meters call", () => fuzzAMIS(seed, 100_000));
	it("do no harm over M-Bus", () => fuzzMBus(seed, 100_000));
});
