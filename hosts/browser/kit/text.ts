/** The texts in the page's language. The document holds them, one per line. */
import type { TextKey } from "../text/all.js";
import { LANGUAGES, type Language } from "../text/translations.js";
import { formatNumber } from "./format.js";

/**
 * The keys in the order of the texts, separated by blanks; tools/page.ts puts them in. Where the scripts have a whole key,
 * the build writes its place in this order instead, and leaves its name empty here.
 */
declare const NAMES: string;

const places = new Map<string | number, number>(NAMES.split(" ").map((name, place) => [name || place, place]));
const texts = document.getElementById("texts")?.textContent.split("\n") ?? [];

/** The language that the page is shown in. */
export const language: Language =
	LANGUAGES.find((candidate) => candidate === document.documentElement.lang) ?? LANGUAGES[0];

/** The text with each `{name}` replaced; numbers are formatted in the language. */
export function t(key: TextKey, values?: Readonly<Record<string, string | number>>): string {
	const place = places.get(key);
	if (place === undefined) return key;
	const text = texts[place];
	if (values === undefined) return text;
	return text.replace(/\{(\w+)\}/g, (_, name) => {
		const value = values[name] ?? "";
		return typeof value === "number" ? formatNumber(value, language) : value;
	});
}

/** Returns true if the text exists: for keys made from replies of the gateway. */
export function isText(key: string): key is TextKey {
	return places.has(key);
}

/** Switches the page to another language; each has a document with its own address. */
export function chooseLanguage(chosen: Language): void {
	localStorage.setItem("language", chosen);
	location.replace(`/${chosen}${location.hash}`);
}

/** True when the document's language is not the user's choice; the right document is being loaded. */
export function isLanguageAstray(): boolean {
	const chosen = localStorage.getItem("language");
	if (location.pathname !== "/" || chosen === null || chosen === language) return false;
	if (!LANGUAGES.some((candidate) => candidate === chosen)) return false;
	location.replace(`/${chosen}${location.hash}`);
	return true;
}
