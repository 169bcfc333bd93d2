/** The test of damage.test.ts with 100,000 associations. */
import { seedOfRun } from "../fuzz/mutator.js";
import { damageAnswers } from "./damage.js";

const seed = seedOfRun();

describe(`damaged answers of a DLMS meter, long run (SEED=${seed})`, () => {
	it("end the association or give correct values", () => damageAnswers(seed, 100_000));
});
