/** The files in the documents with recipes: fenced blocks with a name after their language. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";

const FOLDER = join(import.meta.dirname, "..", "..", "..", "docs");
export const RECIPE_PAGES = ["integrations.md", "hub.md", "mqtt.md", "live-values.md"];

export interface Block {
	readonly page: string;
	readonly language: string;
	/** Empty if the block is not a file. */
	readonly name: string;
	readonly text: string;
}

/** The blocks of the documents that have a language. */
export function readBlocks(): Block[] {
	return RECIPE_PAGES.flatMap((page) =>
		[
			...readFileSync(join(FOLDER, page), "utf8").matchAll(/^([ ]*)```(\w*)(?: ([\w.-]+))?\n([\s\S]*?)\n[ ]*```$/gm),
		].map(([, indent, language, name = "", lines]) => {
			const plain = lines.split("\n").map((line) => (line.startsWith(indent) ? line.slice(indent.length) : line));
			return { page, language, name, text: `${plain.join("\n")}\n` };
		}),
	).filter(({ language }) => language !== "");
}

export function readTemplates(): Map<string, string> {
	const templates = new Map<string, string>();
	for (const { name, text } of readBlocks()) {
		if (name === "") continue;
		assert.ok(!templates.has(name), `${name} is there twice`);
		templates.set(name, text);
	}
	return templates;
}

/** The named file, with each of these words, which must occur, replaced. */
export function template(name: string, words: Readonly<Record<string, string>> = {}): string {
	let text = readTemplates().get(name);
	assert.ok(text !== undefined, `no document has ${name}`);
	for (const [word, other] of Object.entries(words)) {
		assert.ok(text.includes(word), `${name} does not say ${word}`);
		text = text.replaceAll(word, other);
	}
	return text;
}
