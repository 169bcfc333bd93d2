import { seedOfRun } from "../fuzz/mutator.js";
import { damageAnswers } from "./damage.js";

const seed = seedOfRun();

describe(`damaged answers of a DLMS meter (SEED=${seed})`, function () {
	this.timeout(60_000);
	it("end the association or give correct values", () => damageAnswers(seed, 400));
});
