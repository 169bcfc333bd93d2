import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const MOCHA = join(import.meta.dirname, "../../node_modules/mocha/bin/mocha.js");
const file = (name: string) => join(import.meta.dirname, name);

describe("A test in which the gateway catches an exception", () => {
	let folder: string;

	beforeEach(() => {
		folder = mkdtempSync(join(tmpdir(), "faults-"));
	});
	afterEach(() => rmSync(folder, { recursive: true }));

	it("fails, unless it expects this fault", () => {
		const args = [
			MOCHA,
			"--no-config",
			"--exit",
			"--timeout",
			"60000",
			"--reporter",
			"json",
			"--require",
			file("faults.js"),
		];
		const env = { ...process.env, FOLDER: folder };
		const { stdout, stderr } = spawnSync(process.execPath, [...args, file("faults-cases.js")], {
			env,
			encoding: "utf8",
		});
		const { tests, failures } = JSON.parse(stdout) as Record<string, { title: string; err: { message: string } }[]>;
		assert.ok(tests.length > 10, stderr);
		for (const { title, err } of tests) assert.equal(title.split(":")[0], err.message ? "fails" : "passes", title);
		const [first] = failures;
		assert.match(first.err.message, /caught exceptions, 1 in all:\nfault: flash: power: the flash refuses/);
	}).timeout(120_000);
});
