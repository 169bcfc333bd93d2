/** Cuts the power at every step of a thousand settings writes. */
import { seedOfRun } from "../fuzz/mutator.js";
import { cutEveryStep } from "./power-cut.js";

const seed = seedOfRun();

describe(`Settings when the power is cut (SEED=${seed})`, function () {
	this.timeout(1_800_000);

	it("are the old or the new ones after a cut at every step of 1000 writes", async function () {
		this.test!.title += ` (${await cutEveryStep(1000, seed)} cuts)`;
	});
});
