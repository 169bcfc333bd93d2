/** Texts in the page's language. start.js has put them into the document, one text per line. */
import type { TextKey } from "../text/all.js";
import { LANGUAGES, type Language } from "../text/translations.js";
import { formatNumber } from "./format.js";
import { MARK_LENGTH, markOf } from "./text-marks.js";

/**
 * Marks of the keys of the first texts, in the order of the texts. tools/page/archive.ts inserts them. The build
 * replaces all other keys by the positions of their texts.
 */
declare const MARKS: string;

const places = new Map<string, number>();
for (let at = 0; at < MARKS.length; at += MARK_LENGTH) places.set(MARKS.slice(at, at + MARK_LENGTH), at / MARK_LENGTH);
const texts = document.getElementById("texts")?.textContent.split("\n") ?? [];

export const language: Language =
	LANGUAGES.find((candidate) => candidate === document.documentElement.lang) ?? LANGUAGES[0];

/** Returns the text, in which each `{name}` is replaced by its value. Numbers are formatted for the language. */
export function t(key: TextKey, values?: Readonly<Record<string, string | number>>): string {
	// The build may have replaced the key by the text's position.
	const place = Number(key);
	const text = texts[Number.isNaN(place) ? (places.get(markOf(key)) ?? 0) : place];
	if (values === undefined) return text;
	return text.replace(/\{(\w+)\}/g, (_, name) => {
		const value = values[name] ?? "";
		return typeof value === "number" ? formatNumber(value, language) : value;
	});
}

/** Checks a key that was made from a reply of the gateway. */
export function isText(key: string): key is TextKey {
	return places.has(markOf(key));
}

/** Opens the address of the language, because each language has its own address. */
export function chooseLanguage(chosen: Language): void {
	localStorage.setItem("language", chosen);
	location.replace(`/${chosen}${location.hash}`);
}
