import assert from "node:assert/strict";
import { seedOfRun } from "../fuzz/mutator.js";
import { cutEverywhere } from "./power-cut.js";
import { cutGateway } from "./power-cut-gateway.js";

const seed = seedOfRun();

describe(`The power is cut in each write and erase of an update (SEED=${seed})`, () => {
	for (const usedBefore of [false, true])
		for (const packed of [false, true])
			it(`and ${usedBefore ? "a used" : "a new"} unit starts what it ran or what is new (${packed ? "packed" : "plain"})`, () => {
				// Five sectors, and four writes of the boot loader: old image invalid, new image selected, started,
				// confirmed.
				const cuts = cutEverywhere({ seed, packed, size: 18_000, usedBefore });
				assert.ok(cuts >= 5 + 5 + 2 * (usedBefore ? 4 : 3), `${cuts} cuts`);
			});

	it("and the whole gateway starts, with its settings, and takes the next one", async () => {
		// Ten operations: an erase and a write for each sector.
		assert.equal(await cutGateway(seed, [1, 2, 5, 9, 10]), 5);
	});
});
