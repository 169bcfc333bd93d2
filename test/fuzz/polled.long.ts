/** The tests of polled.test.ts with many more answers. */

import { fuzzAMIS } from "./amis.js";
import { seedOfRun } from "./mutator.js";
import { fuzzKMP, fuzzMBus } from "./polled.js";

const seed = seedOfRun();

describe(`polled meters with damaged answers, long run (SEED=${seed})`, () => {
	it("do no harm over KMP", () => fuzzKMP(seed, 100_000));
	it("do no harm over AMIS, whose telegrams are unsolicited", () => fuzzAMIS(seed, 100_000));
	it("do no harm over M-Bus", () => fuzzMBus(seed, 100_000));
});
