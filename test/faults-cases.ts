/** Tests that cause faults, of which faults.test.ts checks which ones fail. They are no part of `npm test`. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Driver } from "../modules/io/driver.js";
import { Program } from "./api/process-gateway.js";
import { VirtualGateway } from "./api/virtual-gateway.js";
import { expectFaults, expectFaultsInSuite, guard, permitFaults } from "./faults.js";

const folder = process.env.FOLDER!;

async function refuseWrite(): Promise<void> {
	const gateway = await VirtualGateway.loggedIn();
	gateway.world.storage.refusals = 1;
	assert.equal((await gateway.post("system/power_mode", { power_mode: 1 })).status, 500);
	await gateway.stop();
}

function throwInTask(): void {
	const timers = { set: () => 0, clear: () => {} };
	const clock = { monotonicMs: () => 0, utcMs: () => undefined, setUTC: () => {} };
	const task = new Driver({ clock, timers, guard }).register("part", { deadlineMs: 0, advance: () => {} });
	task.fromHost(() => {
		throw new RangeError("no");
	});
}

async function printFault(delayMs: number): Promise<Program> {
	const path = join(folder, "program.mjs");
	const script = `console.log("ready"); setTimeout(() => console.error("fault: part: Error: no\\n    at x"), ${delayMs});`;
	writeFileSync(path, `${script}\nsetInterval(() => {}, 1000);\nprocess.on("SIGTERM", () => process.exit());`);
	const program = new Program("the program", path, []);
	await program.firstLine();
	return program;
}

describe("case", () => {
	it("fails: a refused write", refuseWrite);
	it("fails: an exception in a task", throwInTask);
	it("fails: an exception in a program", async () => {
		const program = await printFault(0);
		await new Promise((resolve) => program.child.stderr!.once("data", resolve));
		await program.end();
	});
	it("fails: another fault than the expected one", () => {
		expectFaults(/^fault: other: /);
		throwInTask();
	});
	it("fails: no fault, although one is expected", () => void expectFaults(/^fault: part: /));
	it("passes: no fault", () => {});
	it("passes: an expected fault", () => {
		const faults = expectFaults(/^fault: part: RangeError: no\n/);
		throwInTask();
		assert.equal(faults.length, 1);
	});
	it("passes: an expected fault of a program, which comes late", async () => {
		expectFaults(/^fault: part: Error: no/);
		await printFault(200);
	});
	it("passes: a permitted fault", () => {
		permitFaults(/^fault: part: /);
		throwInTask();
	});
	it("passes: no fault, although one is permitted", () => permitFaults(/^fault: part: /));
	it("fails: an expectation of an earlier test", throwInTask);
	describe("in a suite with an expectation", () => {
		expectFaultsInSuite(/^fault: part: /);
		it("passes: an expected fault in a suite", throwInTask);
		it("passes: no fault in this suite", () => {});
	});
	it("fails: an expectation of an earlier suite", throwInTask);
});
