/** Power cuts at each byte of each write, and in each erase, while sectors are filled and then compacted. */
import assert from "node:assert/strict";
import { cutEverywhere } from "./power-cut.js";

describe("The history with a power cut at each byte", () => {
	for (const after of [0, 2400, 12_000]) {
		it(`loses none of ${after} stored readings, and continues`, function () {
			const seed = Number(process.env.SEED) || 1 + Math.floor(Math.random() * 1e9);
			const cuts = cutEverywhere(seed, 1, after);
			this.test!.title += ` (${cuts} cuts, seed ${seed})`;
			assert.ok(cuts > (after === 0 ? 500 : 3000));
		});
	}
});
