import { fuzzAMIS } from "./amis.js";
import { seedOfRun } from "./mutator.js";
import { fuzzKMP, fuzzMBus } from "./polled.js";

const seed = seedOfRun();

describe(`polled meters with damaged answers (SEED=${seed})`, function () {
	this.timeout(60_000);
	it("do no harm over KMP", () => fuzzKMP(seed, 3000));
	it("do no harm over AMIS, whose telegrams are unsolicited", () => fuzzAMIS(seed, 1000));
	it("do no harm over M-Bus", () => fuzzMBus(seed, 3000));
});
