import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundle } from "../../../hosts/node/bundle.js";

describe("The script for XS", () => {
	let folder = "";
	beforeEach(() => {
		folder = mkdtempSync(join(tmpdir(), "bundle-"));
	});
	afterEach(() => rmSync(folder, { recursive: true }));

	it("is written only if it has changed", async () => {
		const [entry, script] = [join(folder, "entry.js"), join(folder, "script.js")];
		writeFileSync(entry, "globalThis.answer = 42;");
		await bundle(entry, script);
		assert.match(readFileSync(script, "utf8"), /answer = 42/);
		utimesSync(script, 1, 1);
		await bundle(entry, script);
		assert.equal(statSync(script).mtimeMs, 1000);
		writeFileSync(entry, "globalThis.answer = 43;");
		await bundle(entry, script);
		assert.match(readFileSync(script, "utf8"), /answer = 43/);
	});
	it("has no names for numbers, whatever precedes them", async () => {
		const [entry, script] = [join(folder, "entry.js"), join(folder, "script.js")];
		writeFileSync(entry, "globalThis.before = () => LIMIT - OFFSET;\nconst LIMIT = 4096;\nconst OFFSET = -1.5;\n");
		await bundle(entry, script);
		const text = readFileSync(script, "utf8");
		assert.match(text, /before = \(\) => 4096 - -1\.5;/);
		assert.doesNotMatch(text, /LIMIT|OFFSET/);
	});
});
