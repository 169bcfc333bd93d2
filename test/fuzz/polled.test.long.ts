import { byRun } from "../runs.js";
import { fuzzAMIS } from "./amis.js";
import { seedOfRun } from "./mutator.js";
import { fuzzKMP, fuzzMBus } from "./polled.js";

const seed = seedOfRun();

describe(`polled meters with damaged answers (SEED=${seed})`, () => {
	it("do no harm over KMP", () => fuzzKMP(seed, byRun({ test: 3000, long: 100_000 })));
	it("do no harm over AMIS, whose telegrams are unsolicited", () =>
		fuzzAMIS(seed, byRun({ test: 1000, long: 100_000 })));
	it("do no harm over M-Bus", () => fuzzMBus(seed, byRun({ test: 3000, long: 100_000 })));
});
