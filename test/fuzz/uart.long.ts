/** The tests of uart.test.ts with many transmissions. */
import { fuzzListener } from "./listener.js";
import { seedOfRun } from "./mutator.js";
import { fuzzProgramming } from "./programming.js";
import { fuzzReader } from "./reader.js";
import { fuzzSession } from "./session.js";

const seed = seedOfRun();

describe(`damaged transmissions, long run (SEED=${seed})`, () => {
	it("do no harm to a session", () => fuzzSession(seed, 100_000));
	it("do no harm to the listener", () => fuzzListener(seed, 100_000));
	it("do no harm to the meter reader on a modelled line", () => fuzzReader(seed, 10_000));
	it("do no harm to a load profile in programming mode", () => fuzzProgramming(seed, 2000));
});
