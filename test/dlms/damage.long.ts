/** damage.test.ts with many answers. */
import { seedOfRun } from "../fuzz/mutator.js";
import { damageAnswers } from "./damage.js";

const seed = seedOfRun();

describe(`damaged answers of a DLMS meter, many (SEED=${seed})`, () => {
	it("give no wrong value, and end", () => damageAnswers(seed, 100_000));
});
