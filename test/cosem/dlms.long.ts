/** A thousand DLMS/COSEM sessions on lines that flip bits; dlms.test.ts has a few. */
import assert from "node:assert/strict";
import { seedOfRun } from "../fuzz/mutator.js";
import { converse } from "./bed.js";

const seed = seedOfRun();

describe(`Conversations in DLMS/COSEM on a bad line (SEED=${seed})`, function () {
	this.timeout(600_000);

	it("end, with the meter's values or none at all", () => {
		assert.ok(converse(1000, seed) > 100);
	});
});
