/**
 * Random programs behave the same in the SDK's plain build and in the firmware's reduced build (tools/sdk). `SEED=n`
 * repeats a run.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { buildFirmware } from "../../tools/sdk/linux.js";
import { ROOT } from "../../tools/sdk/sdk.js";
import { randomPrograms } from "./random-programs.js";

const MAIN = "test/tools/programs/main";
const PROGRAMS = 300;
const SEED = Number(process.env["SEED"] ?? Date.now() % 2 ** 31);

/** Builds the programs plainly or reduced; returns their output. */
async function linesOf(plain: "all" | undefined): Promise<string[]> {
	if (plain !== undefined) process.env["GATEWAY_PLAIN"] = plain;
	try {
		const { runner, firmware } = await buildFirmware({ main: MAIN });
		const child = spawn(runner, [firmware], { stdio: ["ignore", "pipe", "pipe"] });
		let errors = "";
		child.stderr.on("data", (bytes: Buffer) => {
			errors += bytes.toString();
		});
		const lines: string[] = [];
		const closed = once(child, "close");
		for await (const line of createInterface(child.stdout)) {
			if (line === "end") child.kill("SIGTERM");
			else lines.push(line);
		}
		const [code] = await closed;
		assert.equal(code, 0, `${errors}\nafter: ${lines.at(-1)}`);
		return lines;
	} finally {
		delete process.env["GATEWAY_PLAIN"];
	}
}

describe(`Random programs (SEED=${SEED})`, function () {
	this.timeout(900_000);

	it("run alike in the plain and in the reduced build", async () => {
		const file = join(ROOT, ".build", `${MAIN}.js`);
		mkdirSync(dirname(file), { recursive: true });
		writeFileSync(file, randomPrograms(SEED, PROGRAMS));
		const plain = await linesOf("all");
		const smaller = await linesOf(undefined);
		assert.ok(plain.length >= PROGRAMS && plain.filter((line) => line.includes("stopped")).length < plain.length / 2);
		for (const [index, line] of plain.entries()) assert.equal(smaller[index], line);
		assert.equal(smaller.length, plain.length);
	});
});
