/** Lists and reads the project's files for the tests of this folder. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = join(dirname(fileURLToPath(import.meta.url)), "../../..");

/** Files that the rules skip because they contain what the rules forbid, or because a command has made them. */
const SKIPPED = [
	...["test/tidy/patterns.test.ts", "test/tidy/documents.test.ts", "package-lock.json"],
	...["hosts/browser/kit/replies.ts", "hosts/browser/kit/bodies.ts"],
];

/** Sources of the gateway that run on every host. */
export const MODULES = /^modules\/.*\.ts$/;
export const SOURCE = /^(modules|hosts|tools|test)\/.*\.(tsx?|mjs)$/;
export const WRITTEN = /\.(tsx?|mjs|md|json|sh|c|h|css|html)$|^\.ci\//;
/** Sources of the firmware, which run in XS. */
export const XS = /^(modules\/|hosts\/(node\/worker|native|simulated|linux|esp32)\/).*\.ts$/;

export interface Source {
	path: string;
	text: string;
	/** The text with each comment replaced by blanks of the same length, so that positions stay the same. */
	code: string;
}

/** Every file of the project, by its path from the root with "/". */
function listFiles(folder = ""): string[] {
	return readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
		const path = posix.join(folder, entry.name);
		if (!entry.isDirectory()) return [path];
		if (entry.name === "node_modules" || (entry.name.startsWith(".") && entry.name !== ".ci")) return [];
		return listFiles(path);
	});
}

function withoutComments(text: string): string {
	const tokens = /"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\[\s\S]|[^`\\])*`|\/\*[\s\S]*?\*\/|\/\/[^\n]*/g;
	return text.replace(tokens, (token) => (token.startsWith("/") ? token.replace(/[^\n]/g, " ") : token));
}

/** Paths of the project's files. */
export const paths: readonly string[] = listFiles();

/** All files that people write, except SKIPPED. */
export const sources: readonly Source[] = paths
	.filter((path) => SOURCE.test(path) || WRITTEN.test(path))
	.filter((path) => !SKIPPED.includes(path))
	.map((path) => {
		const text = read(path);
		return { path, text, code: SOURCE.test(path) ? withoutComments(text) : text };
	});

/** Those of `sources` that are TypeScript or JavaScript. */
export const code: readonly Source[] = sources.filter((source) => SOURCE.test(source.path));

export function read(path: string): string {
	return readFileSync(join(ROOT, path), "utf8");
}

/** Path and line of a position in the file. */
export function placeOf(source: Source, index: number): string {
	return `${source.path}:${source.text.slice(0, index).split("\n").length}`;
}

/** Fails with the findings, one per line, if there are any. */
export function assertNone(findings: readonly string[]): void {
	assert.ok(findings.length === 0, `\n${findings.join("\n")}`);
}
