import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { array, property, string, assert as verify } from "fast-check";
import { pack, unpack } from "../../../hosts/browser/kit/dense.js";
import { TEXTS } from "../../../hosts/browser/text/all.js";
import { LANGUAGES } from "../../../hosts/browser/text/translations.js";

function unpacked(packed: Uint8Array, count: number): string[] {
	const texts = unpack(packed);
	return Array.from({ length: count }, () => texts.next().value);
}

describe("hosts/browser/kit/dense", function () {
	this.timeout(120_000);

	it("gives back what was packed, whatever it was", () => {
		const texts = array(
			string({ unit: "binary" }).filter((text) => !text.includes("\0")),
			{ maxLength: 20 },
		);
		verify(
			property(texts, (wanted) => assert.deepEqual(unpacked(pack(wanted), wanted.length), wanted)),
			{ numRuns: 40 },
		);
	});

	it("gives back short texts, and what begins with a mark of the order of bytes", () => {
		for (const wanted of [[""], ["", "a", ""], ["\ufeffa"], ["ż".repeat(3000)]])
			assert.deepEqual(unpacked(pack(wanted), wanted.length), wanted);
	});

	for (const [index, language] of LANGUAGES.entries()) {
		it(`packs the texts in the language ${language} to four fifths of gzip at most`, () => {
			const texts = Object.values(TEXTS).map((translations) => translations[index]);
			const packed = pack(texts);
			assert.deepEqual(unpacked(packed, texts.length), texts);
			const others = gzipSync(texts.join("\n"), { level: 9 });
			assert.ok(packed.length <= others.length * 0.8, `${packed.length} of ${others.length} bytes`);
		});
	}

	it("needs no function that engines may round as they like", () => {
		const source = readFileSync(join(import.meta.dirname, "../../../hosts/browser/kit/dense.js"), "utf8").replace(
			/\/\*[\s\S]*?\*\//g,
			"",
		);
		assert.doesNotMatch(source, /Math\.(exp|log|pow|sin|cbrt)|\*\*/);
	});
});
