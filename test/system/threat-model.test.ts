/**
 * docs/threat-model.md and SECURITY.md name existing tests, by file and title, and each requirement and promise below
 * has a test or a reason.
 */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const ROOT = new URL("../../../", import.meta.url);
const read = (path: string) => readFileSync(fileURLToPath(new URL(path, ROOT)), "utf8");
const model = read("docs/threat-model.md");

/** Each promise must be in a row with these words and the file of a test. Change a promise here first. */
const PROMISES: readonly (readonly [words: string, test: string])[] = [
	["an owner from a new address still gets in within 30 s", "test/auth/many-addresses.test.ts"],
	[
		"one that was never seen comes before any number of addresses that have stalled",
		"test/hosts/node/admission-queue.test.ts",
	],
	["which ends at once when it is revoked, for a body that is still being sent", "test/api/revoked-body.test.ts"],
	["an older file does not withdraw a notice", "test/update/notice.test.ts"],
	["replaces another one only after the gateway has accepted it", "test/browser/display.hosts.ts"],
	["a text setting appears by its length only", "test/api/setting-canaries.test.ts"],
	["all packages pinned", "test/tools/packages.test.ts"],
	["encrypts flash, NVS and core dumps", "test/tools/esp32-build.hosts.ts"],
	["updates: signature checked before the switch", "test/update/corrupted.test.long.ts"],
	["no way back below a security fix", "test/update/installer.test.ts"],
	["the user is notified of updates", "test/update/notice.test.ts"],
	["power may go at any moment", "test/update/power-cut.test.long.ts"],
	["a log of what matters to security", "test/diagnostics/refused-logins.test.ts"],
];

/** Rows of the table below the heading, without its head. */
function rowsOf(heading: string): string[][] {
	const [, section] = model.split(`\n## ${heading}\n`);
	assert.ok(section, `there is no section ${heading}`);
	const lines = section
		.split("\n## ")[0]
		.split("\n")
		.filter((line) => line.startsWith("|"));
	return lines.slice(2).map((line) =>
		line
			.slice(1, -1)
			.split("|")
			.map((cell) => cell.trim()),
	);
}

describe("The threat model", () => {
	it("names existing tests", () => {
		const named = [...model.matchAll(/`(test\/[^`]+)`/g)].map(([, path]) => path);
		assert.ok(named.length > 50, `${named.length} tests`);
		assert.deepEqual(
			named.filter((path) => !existsSync(new URL(path, ROOT))),
			[],
		);
	});

	it("names existing titles of those tests", () => {
		const titled = [...model.matchAll(/`(test\/[^`]+)` "([^"]+)"/g)];
		assert.ok(titled.length > 10, `${titled.length} titles`);
		for (const [, path, title] of titled) {
			const titles = read(path).match(/\b(it|describe)\((["'`]).*/g) ?? [];
			assert.ok(
				titles.some((line) => line.includes(title)),
				`${path} has no "${title}"`,
			);
		}
	});

	it("has each promise in a row that names its test", () => {
		const rows = model.split("\n").filter((line) => line.startsWith("|"));
		for (const [words, test] of PROMISES) {
			const row = rows.find((line) => line.includes(words));
			assert.ok(row?.includes(`\`${test}\``), `${words}: ${row === undefined ? "in no row" : `without ${test}`}`);
		}
	});

	it("has a test for each attacker, or says that there is none yet", () => {
		for (const [who, tries, holds, tests] of rowsOf("Attackers and defences")) {
			assert.ok(tries !== "" && holds !== "", who);
			assert.ok(/^`test\//.test(tests) || holds.startsWith("not yet"), `${who} has no test`);
		}
	});

	it("has a test, a document or a reason for each requirement, in their order", () => {
		const rows = rowsOf("The checklist");
		assert.deepEqual(
			rows.map(([number]) => Number(number)),
			Array.from({ length: 38 }, (_, index) => index + 1),
		);
		for (const [number, requirement, shown] of rows) {
			assert.ok(requirement !== "", number);
			assert.match(shown, /`test\/|not yet|\]\(/, `${number} ${requirement}`);
		}
	});

	it("is linked from the README, and says where to report a weakness", () => {
		assert.match(read("README.md"), /docs\/threat-model\.md/);
		assert.match(read("SECURITY.md"), /docs\/threat-model\.md/);
		assert.match(model, /\.\.\/SECURITY\.md/);
	});
});
