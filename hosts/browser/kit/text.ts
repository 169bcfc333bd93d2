/**
 * The texts in the page's language, one per line. The document has those of the first page, and names the file with the
 * others.
 */
import type { TextKey } from "../text/all.js";
import { LANGUAGES, type Language } from "../text/translations.js";
import { formatNumber } from "./format.js";

/**
 * Keys in the order of the texts, separated by blanks; tools/page.ts inserts them. The build replaces complete keys in
 * scripts by their positions and leaves their names empty here.
 */
declare const NAMES: string;

const places = new Map<string | number, number>(NAMES.split(" ").map((name, place) => [name || place, place]));
const element = document.getElementById("texts");
const firstTexts = element?.textContent.split("\n") ?? [];
let texts = firstTexts;

export const language: Language =
	LANGUAGES.find((candidate) => candidate === document.documentElement.lang) ?? LANGUAGES[0];

/** The text with each `{name}` replaced; numbers are formatted for the language. */
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

/** Loads the texts that the first page does not need. Throws an Error. */
export async function loadTexts(): Promise<void> {
	if (texts.length === places.size) return;
	const reply = await fetch(element?.dataset["later"] ?? "");
	if (!reply.ok) throw new Error(`${reply.status} for the texts`);
	texts = [...firstTexts, ...(await reply.text()).split("\n")];
}

/** For keys that are made from the gateway's replies. False if the text is not loaded. */
export function isText(key: string): key is TextKey {
	const place = places.get(key);
	return place !== undefined && place < texts.length;
}

/** Switches the page to another language; each has a document with its own address. */
export function chooseLanguage(chosen: Language): void {
	localStorage.setItem("language", chosen);
	location.replace(`/${chosen}${location.hash}`);
}
