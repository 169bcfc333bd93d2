/** Checks documents, comments that cite decisions, and the subjects of commits. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { basename, join, posix } from "node:path";
import { METER_PROTOCOL } from "../../modules/parts/meter/fields.js";
import { assertNone, paths, ROOT, read, sources } from "./tree.js";

/** This guide quotes messages of programs. */
const GUIDE = "docs/troubleshooting.md";
/** Subjects of the commits after this one are checked. */
const AGREED = "f8f02554c5c8ec1f7e668a3f08ed6dd725b592cc";
/** End of several messages of tools/; their sources contain only a variable for it. */
const ADVICE = "npm run doctor says how to get it.";
const SHIPPED = /^(modules|hosts|tools)\/.*\.(tsx?|mjs)$/;

/**
 * Whether a document's link leads to an existing file and, if it names one, to an existing heading, in the form of
 * GitHub's anchors.
 */
function linkTargetExists(path: string, link: string): boolean {
	const file = join(ROOT, path);
	if (!existsSync(file)) return false;
	const [, heading] = link.split("#");
	if (heading === undefined) return true;
	const headings = [...read(path).matchAll(/^#+ (.*)$/gm)].map(([, title]) =>
		title
			.toLowerCase()
			.replace(/[^\w\- ]/g, "")
			.replaceAll(" ", "-"),
	);
	return headings.includes(heading);
}

/**
 * Numbers of decisions that a text cites, as in "decision 7" and "decisions 4, 8 to 16", also across lines of a
 * comment.
 */
function citedDecisions(text: string): number[] {
	const lines = text.replace(/\n[\s*/]*/g, " ");
	return [...lines.matchAll(/\bdecisions? (\d+(?:(?:,| to| and| or|, and) \d+)*)/gi)].flatMap(([, list]) =>
		list.split(/, and |, | and | or /).flatMap((one) => {
			const [first, last = first] = one.split(" to ").map(Number);
			return Array.from({ length: last - first + 1 }, (_, index) => first + index);
		}),
	);
}

/** Subjects of the commits after AGREED, without merges; empty without git or its history. */
function newSubjects(): string[] {
	const args = ["log", "--no-merges", "--format=%s", `${AGREED}..HEAD`];
	const { status, stdout } = spawnSync("git", args, { cwd: ROOT, encoding: "utf8" });
	return status === 0 ? stdout.split("\n").filter((subject) => subject !== "") : [];
}

function isAgreed(subject: string): boolean {
	return subject.length <= 72 && /^(Revert "|[a-z][\w./-]*(, [a-z][\w./-]*)*: \S)/.test(subject);
}

describe("tidy: documents and commits", () => {
	it("links in its documents only to existing files and headings", () => {
		const documents = paths.filter((path) => path.endsWith(".md") && !path.startsWith("test/vectors/"));
		assertNone(
			documents.flatMap((path) => {
				const text = read(path);
				const links = [...text.matchAll(/\]\(([^)\s]+)\)|src="([^"]+)"/g)].map((match) => match[1] ?? match[2]);
				return links
					.filter((link) => !link.includes("://"))
					.filter(
						(link) => !linkTargetExists(posix.join(posix.dirname(path), link.split("#")[0] || basename(path)), link),
					)
					.map((link) => `${path}: ${link}: this file or heading doesn't exist`);
			}),
		);
	});

	it("gives reasons in comments, not numbers of decisions", () => {
		assertNone(
			sources
				.filter(({ path }) => !path.endsWith(".md"))
				.flatMap(({ path, text }) =>
					citedDecisions(text).map((number) => `${path}: decision ${number}: say the reason in half a sentence`),
				),
		);
	});

	it("detects the number of a decision in any form", () => {
		assert.deepEqual(citedDecisions("(API decision 7). Decisions 4, 8 to 10 and 39;"), [7, 4, 8, 9, 10, 39]);
		assert.deepEqual(citedDecisions("\t * (API decisions 41\n\t * and 44), decision\n// 2"), [41, 44, 2]);
	});

	it("quotes in the troubleshooting guide only what a program prints", () => {
		const printed = sources
			.filter(({ path }) => SHIPPED.test(path))
			.map(({ text }) =>
				text
					.replace(/\\(["'`])/g, "$1")
					.replace(/\$\{IDF_ADVICE\}|\$\{advice\}/g, ADVICE)
					.replaceAll(/\$\{protocol\}/g, "NAME"),
			)
			.join("\n");
		const quoted = [...read(GUIDE).matchAll(/^ *> (.*)$/gm)].map(([, line]) => line);
		assert.ok(quoted.length > 40);
		const protocol = new RegExp(`protocol (${METER_PROTOCOL.choices.join("|")})\\b`);
		assertNone(
			quoted.flatMap((line) =>
				line
					.split("…")
					.filter((part) => !printed.includes(part) && !printed.includes(part.replace(protocol, "protocol NAME")))
					.map((part) => `${GUIDE}: "${part}": no program prints this`),
			),
		);
	});

	it("has commits with subjects like `area: what changed`, of at most 72 characters", () => {
		assertNone(newSubjects().filter((subject) => !isAgreed(subject)));
		assert.ok(isAgreed("docs, test: name what is meant in place of numbers"));
		assert.ok(!isAgreed("What nobody uses of dates is gone"));
		assert.ok(!isAgreed(`docs: ${"a".repeat(70)}`));
	});

	it("shows in CONTRIBUTING's example of a protocol what stands in modules/sml", () => {
		const [section] = read("CONTRIBUTING.md").split("\n## Adding a meter protocol\n")[1].split("\n## ");
		const blocks = [...section.matchAll(/^```ts\n([\s\S]*?)\n```$/gm)].map(([, text]) => text);
		const files = sources.filter(({ path }) => path.startsWith("modules/sml/")).map(({ text }) => text);
		assert.equal(blocks.length, 3);
		assertNone(blocks.filter((block) => !files.some((text) => text.includes(block))));
	});
});
