import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { OBISCode } from "../../modules/obis/code.js";
import { LANGUAGE_COUNT, NAME_LIMIT, OBISNames } from "../../modules/obis/names.js";
import { buildTable, parseNames } from "../../tools/obis-table.js";

const ROOT = new URL("../../../", import.meta.url);
const source = readFileSync(new URL("modules/obis/names.tsv", ROOT), "utf8");
const built = readFileSync(new URL("modules/resources/obis-names.bin", ROOT));
const TITLES = "medium\tchannel\tcode\ten\tde\tpl\n";
/** Bytes; flash also holds a web page and a firmware of 1.9 MB. */
const SIZE_LIMIT = 16 * 1024;

/** Examples for the variables in names: tariff 42, the one after it, phase L1, channel 3, limit 4. */
const MEANINGS = new Map([
	["{tariff}", "42"],
	["{next}", "43"],
	["{phase}", "1"],
	["{channel}", "3"],
	["{limit}", "4"],
]);

function codeOf(address: string): OBISCode {
	const code = new OBISCode();
	assert.ok(code.parse(new Uint8Array(Buffer.from(address)), 0, address.length), address);
	return code;
}

const row = (...columns: string[]) => `${TITLES}${columns.join("\t")}\n`;

describe("The generator of the OBIS name table", () => {
	it("has been run after the last change of names.tsv", () => {
		assert.ok(Buffer.from(buildTable(source)).equals(built), "npm run build makes it");
	});

	it("keeps the table within its share of flash", () => {
		assert.ok(built.length <= SIZE_LIMIT, `${built.length} bytes`);
	});

	it("packs every text so that the firmware can read it", () => {
		const rows = source
			.split("\n")
			.filter((line) => line !== "" && !line.startsWith("#") && !line.startsWith("medium"));
		assert.equal(rows.length, parseNames(source).length);
		for (const line of rows) {
			const [medium, channel, code, ...texts] = line.split("\t");
			const names = new OBISNames(built);
			if (medium === "heat") assert.ok(names.find(codeOf("6.8"), 0));
			if (medium === "attribute") {
				const [classId, attribute] = code.split(".").map(Number);
				assert.ok(names.find(codeOf("1-0:1.8.0"), 0));
				for (let language = 0; language < LANGUAGE_COUNT; language++) {
					names.translate(language);
					const into = new Uint8Array(NAME_LIMIT);
					const end = names.writeAttribute(classId, attribute, into, 7);
					assert.equal(Buffer.from(into.subarray(7, end)).toString("utf8"), `, ${texts[language]}`);
				}
				continue;
			}
			const prefix = /\d/.test(medium) ? `${medium}-${channel.replace("*", "0").replace("n", "3")}:` : "";
			const limit = code.startsWith("0.5.") ? "*4" : "";
			const parsed = codeOf(prefix + code.replace("#", "42") + limit);
			for (let language = 0; language < LANGUAGE_COUNT; language++) {
				assert.ok(names.find(parsed, language), line);
				const into = new Uint8Array(NAME_LIMIT);
				const name = Buffer.from(into.subarray(0, names.write(into, 0))).toString("utf8");
				assert.equal(
					name,
					texts[language].replace(/\||\{\w+\}/g, (mark) => MEANINGS.get(mark) ?? ""),
				);
			}
		}
	});

	it("leaves room for an attribute after every name", () => {
		const longest = { name: 0, attribute: 0 };
		for (const line of source.split("\n")) {
			const [medium, , code, ...texts] = line.split("\t");
			if (line.startsWith("#") || code === undefined) continue;
			const of = medium === "attribute" ? "attribute" : "name";
			for (const text of texts) longest[of] = Math.max(longest[of], Buffer.byteLength(text));
		}
		assert.ok(longest.name > 50 && longest.attribute > 20);
		assert.ok(longest.name + ", ".length + longest.attribute <= NAME_LIMIT, JSON.stringify(longest));
	});

	it("names the faulty line and the reason", () => {
		const wrong: [string, RegExp][] = [
			[row("1", "*", "1.8.0", "a", "b"), /line 2: not medium/],
			[row("1", "*", "1.8", "a", "b", "c"), /line 2: not medium/],
			[row("12", "*", "1.8.0", "a", "b", "c"), /line 2: 12 is not 0 to 11/],
			[row("1", "14", "1.8.0", "a", "b", "c"), /14 is not 0 to 13/],
			[row("1", "*", "256.8.0", "a", "b", "c"), /256 is not 0 to 255/],
			[row("1", "*", "1.8.255", "a", "b", "c"), /255 is not 0 to 254/],
			[row("1", "*", "1.8.0", "a", "", "c"), /bad text/],
			[row("1", "*", "1.8.0", "a ", "b", "c"), /bad text/],
			[row("1", "*", "1.8.0", "a|b", "b", "c"), /same number of parts/],
			[row("1", "*", "1.8.0", "a|b|c|d", "a|b|c|d", "a|b|c|d"), /same number of parts/],
			[row("1", "*", "1.8.0", "a {tariff}", "b {tariff}", "c {tariff}"), /has no meaning here/],
			[row("1", "*", "1.8.#", "a {tariff}", "b {next}", "c {tariff}"), /different marks/],
			[row("1", "*", "31.7.0", "a", "b", "c"), /stands for all phases/],
			[row("1", "*", "1.8.0", "x".repeat(NAME_LIMIT + 1), "b", "c"), /too long/],
			[`${row("1", "*", "1.8.0", "a", "b", "c")}1\t*\t1.8.0\td\te\tf\n`, /line 3 repeats line 2/],
			["code\ten\n", /not the column titles/],
		];
		for (const [text, message] of wrong) assert.throws(() => parseNames(text), message);
	});

	it("accepts a name of exactly the limit", () => {
		assert.equal(parseNames(row("1", "*", "1.8.0", "x".repeat(NAME_LIMIT), "b", "c")).length, 1);
		const withNumber = `${"x".repeat(NAME_LIMIT - 3)}{tariff}`;
		assert.equal(parseNames(row("1", "*", "1.8.#", withNumber, "b{tariff}", "c{tariff}")).length, 1);
		assert.throws(() => parseNames(row("1", "*", "1.8.#", `x${withNumber}`, "b{tariff}", "c{tariff}")), /too long/);
	});

	it("gives the same bytes for any order of the rows", () => {
		const [head, ...rest] = source.split(TITLES);
		const lines = rest[0].split("\n").filter((line) => line !== "" && !line.startsWith("#"));
		const turned = `${head}${TITLES}${lines.reverse().join("\n")}\n`;
		assert.deepEqual(buildTable(turned), buildTable(source));
	});
});
