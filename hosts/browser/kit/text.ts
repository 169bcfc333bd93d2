/** The texts of the page's language: in the document those of the first page, in a file of their own all others. */
import type { TextKey } from "../text/all.js";
import { LANGUAGES, type Language } from "../text/translations.js";
import { formatNumber } from "./format.js";

/** Their names, in the order of the lists of texts; put in by tools/page.ts, since all languages have the same. */
declare const FIRST_KEYS: string;
declare const LATER_KEYS: string;

const element = document.getElementById("texts");
const texts = textsOf(FIRST_KEYS, JSON.parse(element?.textContent ?? "[]"));

function textsOf(keys: string, list: readonly string[]): Record<string, string> {
	return Object.fromEntries(keys.split(" ").map((key, index) => [key, list[index]]));
}

/** Brings the texts of all other pages, before their script runs. Throws an Error when they don't come. */
export async function fetchLaterTexts(): Promise<void> {
	const reply = await fetch(element?.dataset["later"] ?? "");
	if (!reply.ok) throw new Error(`texts: ${reply.status}`);
	Object.assign(texts, textsOf(LATER_KEYS, await reply.json()));
}

/** The language that the page is shown in. */
export const language: Language =
	LANGUAGES.find((candidate) => candidate === document.documentElement.lang) ?? LANGUAGES[0];

/** The text with each `{name}` replaced; a number is written as the language writes it. */
export function t(key: TextKey, values?: Readonly<Record<string, string | number>>): string {
	const text = texts[key] ?? key;
	if (values === undefined) return text;
	return text.replace(/\{(\w+)\}/g, (_, name) => {
		const value = values[name] ?? "";
		return typeof value === "number" ? formatNumber(value, language) : value;
	});
}

/** Whether there is such a text: for keys made from what the gateway answers. */
export function isText(key: string): key is TextKey {
	return Object.hasOwn(texts, key);
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
