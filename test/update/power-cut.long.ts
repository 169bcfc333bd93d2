/** Runs power-cut.test.ts with an image of three packed pieces. */
import assert from "node:assert/strict";
import { seedOfRun } from "../fuzz/mutator.js";
import { cutEverywhere } from "./power-cut.js";
import { cutGateway } from "./power-cut-gateway.js";

const seed = seedOfRun();

describe(`Power cuts in each write and erase of a larger update (SEED=${seed})`, () => {
	for (const packed of [false, true])
		it(`leave a unit that starts the old or the new firmware (${packed ? "packed" : "plain"})`, () => {
			assert.ok(cutEverywhere({ seed, packed, size: 150_000, usedBefore: true }) > 2 * 37);
		});

	it("leave a gateway that starts with its settings and accepts the next update", async () => {
		const operations = Array.from({ length: 12 }, (_, i) => 1 + i);
		assert.equal(await cutGateway(seed, operations), 10);
	});
});
