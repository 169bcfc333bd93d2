/** `npm run api` writes the whole API description as one self-contained HTML file. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { DOCUMENT } from "../../tools/api/document.js";
import { OPERATIONS } from "../api/document.js";

const PROGRAM = fileURLToPath(new URL("../../tools/api-page.js", import.meta.url));

describe("npm run api", () => {
	const [path, description] = execFileSync(process.execPath, [PROGRAM], { encoding: "utf8" }).trim().split("\n");
	const page = readFileSync(path, "utf8");

	it("names the complete description for other programs", () => {
		assert.deepEqual(JSON.parse(readFileSync(description, "utf8")), DOCUMENT);
	});

	it("shows every route once", () => {
		for (const [key, { operationId }] of OPERATIONS)
			assert.equal(page.split(`<details class=route id="${operationId}">`).length, 2, key);
	});

	it("shows every member of a schema, and every error", () => {
		for (const [name, schema] of Object.entries<{ properties?: object }>(DOCUMENT.components.schemas))
			for (const member of Object.keys(schema.properties ?? {}))
				assert.ok(page.includes(`<code>${member}</code>`), `${name}.${member}`);
		for (const { const: code } of DOCUMENT.components.schemas.Error.properties.error.oneOf)
			assert.ok(page.includes(`<code>${code}</code>`), code);
	});

	it("loads nothing and runs no script", () => {
		assert.doesNotMatch(page, /<(script|link|img|iframe)\b|\bsrc=|\burl\(|@import/);
		assert.doesNotMatch(page, /href="(?!#)/);
	});

	it("shows no missing value or object as text", () => {
		assert.doesNotMatch(page, /\bundefined\b|\[object|\bNaN\b/);
	});
});
