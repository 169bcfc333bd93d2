/** power-cut.test.ts with an image of three packed pieces. */
import assert from "node:assert/strict";
import { seedOfRun } from "../fuzz/mutator.js";
import { cutEverywhere } from "./power-cut.js";
import { cutGateway } from "./power-cut-gateway.js";

const seed = seedOfRun();

describe(`The power is cut in each write and erase of a larger update (SEED=${seed})`, () => {
	for (const packed of [false, true])
		it(`and the unit starts what it ran or what is new (${packed ? "packed" : "plain"})`, () => {
			assert.ok(cutEverywhere({ seed, packed, size: 150_000, usedBefore: true }) > 2 * 37);
		});

	it("and the whole gateway starts, with its settings, and takes the next one", async () => {
		const operations = Array.from({ length: 12 }, (_, i) => 1 + i);
		assert.equal(await cutGateway(seed, operations), 10);
	});
});
