/** Checks names, sources and licences of test vectors. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import { assertNone, paths, ROOT, read } from "./tree.js";

/**
 * Licences of vectors that may be among our own; vectors with any other licence, or none, belong in the folder with the
 * NOTICE.
 */
const PERMISSIVE = ["MIT", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "0BSD", "CC0-1.0", "Unlicense"];

const RESTRICTED = "test/vectors/restricted/";

/** Findings for a vector: it must name its source and licence, and be in the folder for that licence. */
function checkOrigin(path: string, text: string): string[] {
	const [first, second = ""] = text.split("\n");
	if (!/^# source: \S/.test(first)) return [`${path}:1: begin with "# source: " and where it comes from`];
	const licence = /^# licence: (none stated|[\w.+-]+(?: (?:AND|OR|WITH) [\w.+-]+)*)$/.exec(second)?.[1];
	if (licence === undefined) return [`${path}:2: write "# licence: " and its SPDX expression, or "none stated"`];
	const isPermissive = licence.split(/ (?:AND|OR) /).every((one) => PERMISSIVE.includes(one));
	if (isPermissive === !path.startsWith(RESTRICTED)) return [];
	return [
		`${path}: licence ${licence}: move it ${isPermissive ? "out of" : "to the folder of its protocol in"} ${RESTRICTED}`,
	];
}

describe("tidy: vectors", () => {
	it("keeps vectors as pairs, named by maker, model and content, with source and licence in the first lines", () => {
		const vectors = paths.filter(
			(path) =>
				path.startsWith("test/vectors/") && !/^test\/vectors\/(README\.md|restricted\/NOTICE|backups\/.*)$/.test(path),
		);
		assertNone(
			vectors.flatMap((path) => {
				const findings: string[] = [];
				const stem = path.replace(/\.\w+$/, "");
				if (path.startsWith(RESTRICTED) && paths.includes(path.replace(RESTRICTED, "test/vectors/")))
					findings.push(`${path}: a vector outside ${RESTRICTED} has the same name: tests find vectors by name`);
				if (!/^[a-z0-9]+(-[a-z0-9]+){2,}\.(txt|hex|json)$/.test(basename(path)))
					findings.push(`${path}: name it <maker>-<model>-<what>.hex, .txt or .json`);
				if (path.endsWith(".json")) {
					if (!existsSync(join(ROOT, `${stem}.hex`)) && !existsSync(join(ROOT, `${stem}.txt`)))
						findings.push(`${path}: has no .hex or .txt beside it`);
					return findings;
				}
				if (!existsSync(join(ROOT, `${stem}.json`))) findings.push(`${path}: has no .json beside it`);
				return [...findings, ...checkOrigin(path, read(path))];
			}),
		);
	});

	it("names the GitHub project of every vector in the list of licences", () => {
		const vectors = paths.filter((path) => path.startsWith("test/vectors/") && path.endsWith(".hex"));
		assertNone(
			vectors.flatMap((path) => {
				const list = path.startsWith(RESTRICTED) ? `${RESTRICTED}NOTICE` : "test/vectors/README.md";
				const project = /^# source: .*?github\.com\/([^/\s]+\/[^/\s;,]+)/.exec(read(path))?.[1];
				if (project === undefined || read(list).includes(project)) return [];
				return [`${list}: name ${project}, the source of ${path}`];
			}),
		);
	});

	it("detects a vector without a licence or in the wrong folder", () => {
		const check = (path: string, ...lines: string[]) => checkOrigin(`test/vectors/${path}`, lines.join("\n")).length;
		assert.equal(check("dlms/a.hex", "# source: x", "# licence: MIT AND Apache-2.0", "00"), 0);
		assert.equal(check("restricted/dlms/a.hex", "# source: x", "# licence: GPL-3.0-or-later"), 0);
		assert.equal(check("restricted/dlms/a.hex", "# source: x", "# licence: none stated"), 0);
		assert.equal(check("dlms/a.hex", "# source: ", "# licence: MIT"), 1);
		assert.equal(check("dlms/a.hex", "# source: x", "00"), 1);
		assert.equal(check("dlms/a.hex", "# source: x"), 1);
		assert.equal(check("dlms/a.hex", "# source: x", "# licence: none stated"), 1);
		assert.equal(check("dlms/a.hex", "# source: x", "# licence: MIT AND AGPL-3.0-only"), 1);
		assert.equal(check("dlms/a.hex", "# source: x", "# licence: BUSL-1.1"), 1);
		assert.equal(check("restricted/dlms/a.hex", "# source: x", "# licence: MIT"), 1);
	});
});
