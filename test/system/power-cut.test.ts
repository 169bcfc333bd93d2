import { seedOfRun } from "../fuzz/mutator.js";
import { cutEveryStep } from "./power-cut.js";

const seed = seedOfRun();

describe(`Settings when the power is cut (SEED=${seed})`, function () {
	this.timeout(60_000);

	it("are the old or the new ones after a cut at every step of 40 writes", async function () {
		this.test!.title += ` (${await cutEveryStep(40, seed)} cuts)`;
	});
});
