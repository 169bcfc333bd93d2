import assert from "node:assert/strict";
import { seedOfRun } from "../fuzz/mutator.js";
import { cutEverywhere } from "./power-cut.js";
import { cutGateway } from "./power-cut-gateway.js";

const seed = seedOfRun();

describe(`Power cuts in each write and erase of an update (SEED=${seed})`, () => {
	for (const usedBefore of [false, true])
		for (const packed of [false, true])
			it(`leave ${usedBefore ? "a used" : "a new"} unit that starts the old or the new firmware (${packed ? "packed" : "plain"})`, () => {
				// Five sectors, and four writes of the boot loader: old image invalid, new image selected, started,
				// confirmed.
				const cuts = cutEverywhere({ seed, packed, size: 18_000, usedBefore });
				assert.ok(cuts >= 5 + 5 + 2 * (usedBefore ? 4 : 3), `${cuts} cuts`);
			});

	it("leave a gateway that starts with its settings and accepts the next update", async () => {
		// Ten operations: an erase and a write for each sector.
		assert.equal(await cutGateway(seed, [1, 2, 5, 9, 10]), 5);
	});
});
