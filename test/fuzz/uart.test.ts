import { fuzzListener } from "./listener.js";
import { seedOfRun } from "./mutator.js";
import { fuzzProgramming } from "./programming.js";
import { fuzzReader } from "./reader.js";
import { fuzzSession } from "./session.js";

const seed = seedOfRun();

describe(`damaged transmissions (SEED=${seed})`, () => {
	it("do no harm to a session", () => fuzzSession(seed, 1500));
	it("do no harm to the listener", () => fuzzListener(seed, 1500));
	it("do no harm to the meter reader on a modelled line", () => fuzzReader(seed, 100));
	it("do no harm to a load profile in programming mode", () => fuzzProgramming(seed, 40));
});
