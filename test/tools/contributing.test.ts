/** Follows the worked example of CONTRIBUTING.md in a copy of the project, as it is printed there. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
	cpSync,
	existsSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { ROOT } from "../hosts/native/compile.js";

/** Files of a clone whose names begin with a dot. */
const KEPT = [".ci", ".gitignore"];
/** Compiled files, which save time. Other tests write into the rest of .build at the same time. */
const COMPILED = /^(hosts|modules|test|tools|openapi\.json|\w+\.tsbuildinfo)$/;

/** Fenced blocks of a section, each with its language and the text before it. */
function blocksOf(title: string): { before: string; language: string; text: string }[] {
	const document = readFileSync(join(ROOT, "CONTRIBUTING.md"), "utf8");
	const section = document.split(`\n## ${title}\n`)[1].split("\n## ")[0];
	let end = 0;
	return [...section.matchAll(/^( *)```(\w+)\n([\s\S]*?)\n\1```$/gm)].map(
		({ 0: whole, 1: indent, 2: language, 3: text, index }) => {
			const before = section.slice(end, index);
			end = index + whole.length;
			return { before, language, text: text.replaceAll(`\n${indent}`, "\n").slice(indent.length) };
		},
	);
}

describe("CONTRIBUTING, adding a capability", function () {
	this.timeout(600_000);
	let folder: string;

	const copy = (name: string) =>
		cpSync(join(ROOT, name), join(folder, name), { recursive: true, preserveTimestamps: true });

	before(() => {
		folder = mkdtempSync(join(tmpdir(), "gateway-contributing-"));
		for (const name of readdirSync(ROOT))
			if (KEPT.includes(name) || (!name.startsWith(".") && name !== "node_modules")) copy(name);
		for (const name of readdirSync(join(ROOT, ".build"))) if (COMPILED.test(name)) copy(join(".build", name));
		symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
	});
	after(() => rmSync(folder, { recursive: true, force: true }));

	function edit(path: string, change: (text: string) => string): void {
		const file = join(folder, path);
		const text = existsSync(file) ? readFileSync(file, "utf8") : "";
		const changed = change(text);
		assert.notEqual(changed, text, `${path}: nothing was changed`);
		mkdirSync(dirname(file), { recursive: true });
		writeFileSync(file, changed);
	}

	it("works as it is printed: the files, the lines to add, and the commands", () => {
		const blocks = blocksOf("Adding a capability");
		for (const { before, text } of blocks.filter(({ language }) => language === "ts")) {
			const [, path] = /`(modules\/[\w/-]+\.ts)`/.exec(before.split("\n\n").at(-2)!)!;
			edit(path, (old) => `${old}${text}\n`);
		}
		edit("modules/app/parts.ts", (old) =>
			old
				.replace(/(import \{ TIME \})/, 'import { TALLY } from "../parts/tally/part.js";\n$1')
				.replace("\tSYSTEM,\n", "\tTALLY,\n\tSYSTEM,\n"),
		);
		const [, budget] = /`("modules\/parts\/tally": \d+,)`/.exec(blocks.map(({ before }) => before).join(""))!;
		edit("tools/size/budgets.ts", (old) => old.replace(/(\t"modules\/parts\/time")/, `\t${budget}\n$1`));
		const [{ text: operations }] = blocks.filter(({ language }) => language === "json");
		edit("modules/api/description.json", (old) => old.replace('"paths": {\n', `"paths": {\n${operations},\n`));
		const commands = blocks.filter(({ language }) => language === "sh").flatMap(({ text }) => text.split("\n"));
		assert.equal(commands.length, 2);
		for (const command of commands) {
			const { status, stdout, stderr } = spawnSync(command, { cwd: folder, shell: true, encoding: "utf8" });
			assert.equal(status, 0, `${command}\n${stdout}\n${stderr}`);
		}
		const backup = JSON.parse(readFileSync(join(folder, "test/vectors/backups/0.1.0.json"), "utf8"));
		assert.deepEqual(backup.settings?.tally ?? backup.tally, { enabled: true });
	});
});
