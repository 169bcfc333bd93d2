/** A thousand DLMS/COSEM sessions on lines that flip bits; dlms.test.ts runs forty. */
import assert from "node:assert/strict";
import { seedOfRun } from "../fuzz/mutator.js";
import { runSessions } from "./bed.js";

const seed = seedOfRun();

describe(`DLMS/COSEM sessions on a bad line (SEED=${seed})`, function () {
	this.timeout(600_000);

	it("end with the meter's values or with none", () => {
		assert.ok(runSessions(1000, seed) > 100);
	});
});
