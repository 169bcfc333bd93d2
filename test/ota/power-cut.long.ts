/** A power cut at every flash operation of an upload, plain and packed; `npm test` has a sample of them. */
import assert from "node:assert/strict";
import { seedOfRun } from "../fuzz/mutator.js";
import { cutEverywhere } from "./power-cut.js";

const seed = seedOfRun();

describe(`The power is cut in each write and erase of a larger update (SEED=${seed})`, () => {
	for (const packed of [false, true])
		it(`and the unit starts what it ran or what is new (${packed ? "packed" : "plain"})`, () => {
			// Of three packed pieces.
			assert.ok(cutEverywhere({ seed, packed, size: 150_000, usedBefore: true }) > 2 * 37);
		});
});
