/** Builds in one folder, one after the other. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { inTurn } from "../../tools/sdk/in-turn.js";

const MODULE = fileURLToPath(new URL("../../tools/sdk/in-turn.js", import.meta.url));

describe("builds in one folder", () => {
	let folder: string;

	beforeEach(() => {
		folder = mkdtempSync(join(tmpdir(), "in-turn-"));
	});
	afterEach(() => rmSync(folder, { recursive: true }));

	it("of several processes run one after the other", async () => {
		const script = `
			import { appendFileSync } from "node:fs";
			import { setTimeout as sleep } from "node:timers/promises";
			import { inTurn } from ${JSON.stringify(MODULE)};
			await inTurn(${JSON.stringify(folder)}, async () => {
				appendFileSync(${JSON.stringify(join(folder, "log"))}, "begins\\n");
				await sleep(100);
				appendFileSync(${JSON.stringify(join(folder, "log"))}, "ends\\n");
			});`;
		const children = Array.from({ length: 3 }, () =>
			spawn(process.execPath, ["--input-type=module", "--eval", script], { stdio: "ignore" }),
		);
		for (const [code] of await Promise.all(children.map((child) => once(child, "exit")))) assert.equal(code, 0);
		assert.equal(readFileSync(join(folder, "log"), "utf8"), "begins\nends\n".repeat(3));
		assert.equal(existsSync(join(folder, "lock")), false);
	});

	it("do not wait for a process that has ended, and end after a failure", async () => {
		const child = spawn(process.execPath, ["--eval", ""]);
		await once(child, "exit");
		writeFileSync(join(folder, "lock"), `${child.pid}\n`);
		await assert.rejects(
			inTurn(folder, () => Promise.reject(new Error("the build has failed"))),
			/the build has failed/,
		);
		assert.equal(await inTurn(folder, async () => 1), 1);
	});
});
