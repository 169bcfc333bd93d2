import assert from "node:assert/strict";
import { seedOfRun } from "../fuzz/mutator.js";
import { byRun } from "../runs.js";
import { cutEverywhere } from "./power-cut.js";
import { cutGateway } from "./power-cut-gateway.js";

const seed = seedOfRun();

/** The longer update has an image of three packed pieces. */
const UPDATE = byRun({
	test: { size: 18_000, sectors: 5, usedBefore: [false, true], operations: [1, 2, 5, 9, 10] },
	long: { size: 150_000, sectors: 37, usedBefore: [true], operations: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12] },
});

describe(`Power cuts in each write and erase of an update (SEED=${seed})`, () => {
	for (const usedBefore of UPDATE.usedBefore)
		for (const packed of [false, true])
			it(`leave ${usedBefore ? "a used" : "a new"} unit that starts the old or the new firmware (${packed ? "packed" : "plain"})`, () => {
				const cuts = cutEverywhere({ seed, packed, size: UPDATE.size, usedBefore });
				// An erase and a write of each sector, and four writes of the boot loader: old image invalid, new image
				// selected, started, confirmed.
				assert.ok(cuts >= 2 * UPDATE.sectors + 2 * (usedBefore ? 4 : 3), `${cuts} cuts`);
			});

	it("leave a gateway that starts with its settings and accepts the next update", async () => {
		// Ten operations: an erase and a write for each sector.
		assert.equal(await cutGateway(seed, UPDATE.operations), UPDATE.operations.filter((one) => one <= 10).length);
	});
});
