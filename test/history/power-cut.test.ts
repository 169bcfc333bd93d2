/** A sample of power-cut.long.ts with different cuts each time; the title has the seed. */
import assert from "node:assert/strict";
import { cutEverywhere } from "./power-cut.js";

describe("The history with power cuts", function () {
	this.timeout(120_000);

	it("loses no stored reading, and continues", function () {
		const seed = Number(process.env.SEED) || 1 + Math.floor(Math.random() * 1e9);
		const cuts = cutEverywhere(seed, 20, 2400);
		this.test!.title += ` (${cuts} cuts, seed ${seed})`;
		assert.ok(cuts > 100);
	});
});
