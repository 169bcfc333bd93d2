import assert from "node:assert/strict";
import { seedOfRun } from "../fuzz/mutator.js";
import { byRun } from "../runs.js";
import { runSessions } from "./bed.js";

const seed = seedOfRun();

describe(`DLMS/COSEM sessions on a line that flips bits (SEED=${seed})`, () => {
	it("end with the meter's values or with none", () => {
		const { sessions, least } = byRun({ test: { sessions: 40, least: 5 }, long: { sessions: 1000, least: 100 } });
		assert.ok(runSessions(sessions, seed) > least);
	});
});
