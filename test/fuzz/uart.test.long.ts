import { byRun } from "../runs.js";
import { fuzzListener } from "./listener.js";
import { seedOfRun } from "./mutator.js";
import { fuzzProgramming } from "./programming.js";
import { fuzzReader } from "./reader.js";
import { fuzzSession } from "./session.js";

const seed = seedOfRun();

describe(`damaged transmissions (SEED=${seed})`, () => {
	it("do no harm to a session", () => fuzzSession(seed, byRun({ test: 1500, long: 100_000 })));
	it("do no harm to the listener", () => fuzzListener(seed, byRun({ test: 1500, long: 100_000 })));
	it("do no harm to the meter reader on a modelled line", () => fuzzReader(seed, byRun({ test: 100, long: 10_000 })));
	it("do no harm to a load profile in programming mode", () => fuzzProgramming(seed, byRun({ test: 40, long: 2000 })));
});
