/** docs/integrations.md: what can be said of its files without the programs that they are for; test/peers runs them. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { readTemplates } from "../peers/templates.js";

const ROOT = join(import.meta.dirname, "..", "..", "..");
const PEERS = join(ROOT, "test", "peers");

const routes: readonly string[] = Object.keys(
	JSON.parse(readFileSync(join(ROOT, "modules", "api", "openapi.json"), "utf8")).paths,
);

describe("The page of other programs", () => {
	const templates = [...readTemplates()];

	it("has files", () => {
		assert.ok(templates.length > 15, `${templates.length}`);
	});

	for (const [name, text] of templates) {
		it(`has ${name}, which is run by a peer`, () => {
			const peers = readdirSync(PEERS).filter((file) => file.endsWith(".ts"));
			const users = peers.filter((file) => readFileSync(join(PEERS, file), "utf8").includes(`"${name}"`));
			assert.ok(users.length > 0, "no peer runs it");
		});

		it(`asks in ${name} for what there is`, () => {
			for (const [, path] of text.matchAll(/\/api\/v1(\/[\w/]+)/g)) assert.ok(routes.includes(`/api/v1${path}`), path);
			if (name.endsWith(".json")) JSON.parse(text);
			for (const [, body] of text.matchAll(/-d '([^']*)'/g)) JSON.parse(body);
		});
	}
});
