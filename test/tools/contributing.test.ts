/** Follows the worked examples of CONTRIBUTING.md in a copy of the project, as they are printed there. */
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

/** Headings after "Adding a". */
const EXAMPLES = ["board", "setting", "route", "capability"];
/** A file; a place in it, perhaps with a line to add there; a replacement; a fenced block. */
const STEP =
	/`(?<path>(?:[\w.-]+\/)+[\w.-]+\.(?:tsx?|json))`|\b(?<where>before|after) `(?<line>[^`\n]+)`:(?:\s+`(?<code>[^`\n]+)`)?|`(?<old>[^`\n]+)`\s+becomes\s+`(?<now>[^`\n]+)`|^(?<indent> *)```(?<language>\w+)\n(?<block>[\s\S]*?)\n\k<indent>```$/gm;

function sectionOf(title: string): string {
	const document = readFileSync(join(ROOT, "CONTRIBUTING.md"), "utf8");
	return document.split(`\n## Adding a ${title}\n`)[1].split("\n## ")[0];
}

/** Returns the text with lines added before or after the only line that begins with `start`. */
function withLines(text: string, where: string, start: string, added: string): string {
	const lines = text.split("\n");
	const found = lines.filter((line) => line.trim().startsWith(start));
	assert.equal(found.length, 1, `lines that begin with ${start}`);
	const isInside = where === "after" && /[[({]$/.test(found[0]);
	const indent = /^\t*/.exec(found[0])![0] + (isInside ? "\t" : "");
	const more = added.split("\n").map((line) => indent + line);
	lines.splice(lines.indexOf(found[0]) + (where === "after" ? 1 : 0), 0, ...more);
	return lines.join("\n");
}

describe("The worked examples of CONTRIBUTING", function () {
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

	/** Makes the changes of a section. Returns its commands. */
	function follow(section: string): string[] {
		const commands: string[] = [];
		let path = "";
		let place: { path: string; where: string; line: string } | undefined;
		const add = (added: string) => {
			if (place === undefined) edit(path, (text) => `${text}${added}\n`);
			else {
				const { where, line } = place;
				edit(place.path, (text) => withLines(text, where, line, added));
			}
			place = undefined;
		};
		for (const { groups = {} } of section.matchAll(STEP)) {
			const { where, line, code, old, now, indent, language, block } = groups;
			if (groups["path"] !== undefined) path = groups["path"];
			if (where !== undefined) place = { path, where, line };
			if (code !== undefined) add(code);
			if (old !== undefined) edit(path, (text) => text.replace(old, () => now));
			if (language === "sh") commands.push(...block.split("\n"));
			else if (block !== undefined) add(block.replaceAll(`\n${indent}`, "\n").slice(indent.length));
		}
		return commands;
	}

	it("work as they are printed, all in one copy: the files, the lines to add, and the commands", () => {
		const commands = EXAMPLES.flatMap((title) => {
			const own = follow(sectionOf(title));
			assert.deepEqual([own[0], own.length], ["npm run api -- --make", 2], title);
			return own;
		});
		// The tests of all examples run at once.
		const words = new Set(commands.flatMap((command) => /^npm test -- (.*)$/.exec(command)?.[1].split(" ") ?? []));
		for (const command of [commands[0], `npm test -- ${[...words].join(" ")}`]) {
			const { status, stdout, stderr } = spawnSync(command, { cwd: folder, shell: true, encoding: "utf8" });
			assert.equal(status, 0, `${command}\n${stdout}\n${stderr}`);
		}
		const backup = JSON.parse(readFileSync(join(folder, "test/vectors/backups/0.1.0.json"), "utf8"));
		const { tally, "system/power_mode": power } = backup.settings ?? backup;
		assert.deepEqual([tally, power.light_en], [{ enabled: true }, false]);
		assert.match(readFileSync(join(folder, "docs/hardware.md"), "utf8"), /^\| `own-c3` /m);
		assert.match(readFileSync(join(folder, "docs/api.md"), "utf8"), /system\/uptime/);
	});
});
