import { seedOfRun } from "../fuzz/mutator.js";
import { damageAnswers } from "./damage.js";

const seed = seedOfRun();

describe(`damaged answers of a DLMS meter (SEED=${seed})`, function () {
	this.timeout(60_000);
	it("give no wrong value, and end", () => damageAnswers(seed, 400));
});
