/** The texts in the page's language. The document holds them, one a line. */
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

/** The text with each `{name}` replaced; a number is written as the language writes it. */
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

/** Whether there is such a text: for keys made from what the gateway answers. */
export function isText(key: string): key is TextKey {
	return places.has(key);
}

/** Shows the page in another language, from now on. The document of each language has an address of its own. */
export function chooseLanguage(chosen: Language): void {
	localStorage.setItem("language", chosen);
	location.replace(`/${chosen}${location.hash}`);
}

/** True when the document is of another language than the user once chose; the right one is then on its way. */
export function isLanguageAstray(): boolean {
	const chosen = localStorage.getItem("language");
	if (location.pathname !== "/" || chosen === null || chosen === language) return false;
	if (!LANGUAGES.some((candidate) => candidate === chosen)) return false;
	location.replace(`/${chosen}${location.hash}`);
	return true;
}
