/** The files in docs/integrations.md: fenced blocks with a name after their language. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";

const PAGE = join(import.meta.dirname, "..", "..", "..", "docs", "integrations.md");

export function readTemplates(): Map<string, string> {
	const templates = new Map<string, string>();
	for (const [, indent, name, text] of readFileSync(PAGE, "utf8").matchAll(
		/^([ ]*)```\w+ ([\w.-]+)\n([\s\S]*?)\n[ ]*```$/gm,
	)) {
		assert.ok(!templates.has(name), `${name} is there twice`);
		templates.set(
			name,
			`${text
				.split("\n")
				.map((line) => (line.startsWith(indent) ? line.slice(indent.length) : line))
				.join("\n")}\n`,
		);
	}
	return templates;
}

/** The named file, with each of these words, which must occur, replaced. */
export function template(name: string, words: Readonly<Record<string, string>> = {}): string {
	let text = readTemplates().get(name);
	assert.ok(text !== undefined, `docs/integrations.md has no ${name}`);
	for (const [word, other] of Object.entries(words)) {
		assert.ok(text.includes(word), `${name} does not say ${word}`);
		text = text.replaceAll(word, other);
	}
	return text;
}
