import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { TEXTS } from "../../../hosts/browser/text/all.js";
import { LANGUAGES } from "../../../hosts/browser/text/translations.js";
import { REPORT_SECTIONS } from "../../../modules/parts/system/report-lines.js";
import { PRODUCT } from "../../../modules/product/product.js";
import { DOCUMENT } from "../../../tools/api/document.js";

const SOURCE = join(dirname(fileURLToPath(import.meta.url)), "../../../../hosts/browser");

/** Words that are the same in two languages: names, units, loan words. */
const SHARED = new Set([
	"Area",
	"Assistant",
	"Bytes",
	"Carlo",
	"Code",
	"DLMS",
	"Details",
	"EcoTracker",
	"Energy",
	"Ethernet",
	"Export",
	"Filter",
	"Firmware",
	"Home",
	"HomeWizard",
	"Kamstrup",
	"M-Bus",
	"MQTT",
	"Gateway",
	"Gavazzi",
	"Hostname",
	"Import",
	"Information",
	"Marstek",
	"Menu",
	"Meter",
	"Minute",
	"Model",
	"Name",
	"OBIS",
	"OK",
	"Port",
	"Pro",
	"Router",
	"SMA",
	"Shelly",
	"Signal",
	"Standard",
	"Status",
	"SunSpec",
	"System",
	"Test",
	"Text",
	"Token",
	"USB",
	"UTC",
	"Version",
	"Victron",
	"Wi-Fi",
	"Zigbee",
	"dBm",
]);
const ENGLISH = /\b(the|and|your|you|with|of|is|are|not|from|this|that|it)\b/i;

/** Quoted texts and addresses, which are the same in each language. */
const QUOTED = /“[^“”„]*”|„[^“”„]*[“”]|\S*[/.]\S*|\{\w+\}/g;

/**
 * Quoted texts that are not from this page: inserted values, parts of addresses, texts of files, words of browsers and
 * meters.
 */
const FOREIGN_NAMES = /^(\{\w+\}|\.local|\.ota|-----.*|[?#+]|InF|Advanced|Erweitert|Zaawansowane)$/;
/** Buttons of Zigbee2MQTT and ZHA. */
const CONTROLLERS = new Set([
	...["Permit join (All)", "Add device", "Interview", "Reconfigure"],
	...["Beitritt erlauben (Alle)", "Gerät hinzufügen", "Neu konfigurieren"],
	...["Zezwól na dołączenie (Wszystkie)", "Dodaj urządzenie", "Wywiad"],
]);

function valuesIn(text: string): string[] {
	return [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).sort();
}

function none(findings: readonly string[]): void {
	assert.ok(findings.length === 0, `\n${findings.join("\n")}`);
}

/** Sources of the page in one kind of folder. */
function sources(folder: string): string[] {
	return readdirSync(join(SOURCE, folder), { withFileTypes: true })
		.filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
		.map(({ name }) => readFileSync(join(SOURCE, folder, name), "utf8"));
}

describe("texts of the page", () => {
	const all = Object.entries(TEXTS) as [string, readonly string[]][];

	it("exist in every language", () => {
		none(
			all
				.filter(
					([, texts]) => texts.length !== LANGUAGES.length || texts.some((text) => text.trim() !== text || text === ""),
				)
				.map(([key]) => key),
		);
	});

	it("have the same inserted values in every language", () => {
		none(
			all.flatMap(([key, [first, ...others]]) =>
				others
					.filter((text) => valuesIn(text).join() !== valuesIn(first).join())
					.map((text) => `${key}: ${first} | ${text}`),
			),
		);
	});

	it("are not left in English", () => {
		none(
			all.flatMap(([key, [english, ...others]]) =>
				others
					.filter((text) => {
						// The product's name is the same everywhere.
						if (text === PRODUCT) return false;
						if (ENGLISH.test(text.replace(QUOTED, ""))) return true;
						const words = english.replace(QUOTED, "").match(/[\p{L}-]+/gu) ?? [];
						return text === english && !words.every((word) => word.length < 4 || SHARED.has(word));
					})
					.map((text) => `${key}: ${text}`),
			),
		);
	});

	it("address the reader in one way: German politely, Polish without a word for “you”", () => {
		const german = /\b(du|dich|dir|dein\w*)\b/i;
		const polish = /(?<!\p{L})(ty|ci|cię|ciebie|tobie|tobą|tw[oó][ij]\p{L}*)(?!\p{L})/iu;
		none(
			all
				.filter(([, texts]) => german.test(texts[1]) || polish.test(texts[2]))
				.map(([key, texts]) => `${key}: ${texts}`),
		);
	});

	it("name fields and buttons as the page labels them", () => {
		none(
			LANGUAGES.flatMap((_, index) => {
				const names = new Set(all.map(([, texts]) => texts[index]));
				return all.flatMap(([key, texts]) =>
					[...texts[index].matchAll(/[“„]([^“”„]+)[“”]/g)]
						.map(([, name]) => name)
						.filter((name) => !FOREIGN_NAMES.test(name) && !CONTROLLERS.has(name) && !names.has(name))
						.map((name) => `${key}: ${name}`),
				);
			}),
		);
	});

	it("exist for each event of the log", () => {
		const names: string[] = DOCUMENT.components.schemas.Event.properties.event.enum;
		none(names.filter((name) => !Object.hasOwn(TEXTS, `event.${name}`)));
	});

	it("have each key in one file only", () => {
		const keys = sources("text").flatMap((text) => [...text.matchAll(/^\t"?([\w./-]+)"?: \[/gm)].map(([, key]) => key));
		none(keys.filter((key, index) => keys.indexOf(key) !== index));
		assert.equal(keys.length, all.length);
	});

	it("are all used", () => {
		const code = [...sources("."), ...sources("kit"), ...sources("pages")].join("\n");
		const documents = readFileSync(join(SOURCE, "../../tools/page/archive.ts"), "utf8");
		const beginnings = [...code.matchAll(/`([\w./-]+\.)\$\{/g)].map(([, beginning]) => beginning);
		none(
			all
				.map(([key]) => key)
				.filter((key) => !code.includes(`"${key}"`) && !documents.includes(`TEXTS.${key}[`))
				.filter((key) => !beginnings.some((beginning) => key.startsWith(beginning))),
		);
	});

	it("are correct for the number one: no plural noun directly follows a number", () => {
		// These numbers are never 1.
		const many = new Set(["events.times", "fill.help", "price.full", "iec.baud"]);
		const plurals =
			/\{(n|min|all|rows)\} (?:more |weitere |kolejnych )?(?:bars|readings|values|days|minutes|attempts|Balken|Auslesungen|Werten?|Tagen?|Minuten|Versuchen?|słupki|odczyty|wartości|dni|minuty)\b/;
		const one = (text: string) => text.replace(/\{(\w+)\}/g, "1");
		none(
			all
				.filter(([key]) => !many.has(key))
				.flatMap(([key, texts]) => texts.filter((text) => plurals.test(text)).map((text) => `${key}: ${one(text)}`)),
		);
	});

	it("list as many sections of the diagnostic report as it has", () => {
		for (const text of TEXTS["report.list"]) assert.equal(text.split("; ").length, REPORT_SECTIONS.length);
	});
});
