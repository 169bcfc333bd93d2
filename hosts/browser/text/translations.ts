/** A text of the page in each language. `{name}` is replaced by a value. */
export type Translations = readonly [en: string, de: string, pl: string];

/** Languages in the order of `Translations`; the names are the page's `lang` (BCP 47). */
export const LANGUAGES = ["en", "de", "pl"] as const;
export type Language = (typeof LANGUAGES)[number];

/** Name of each language in that language. */
export const LANGUAGE_NAMES = ["English", "Deutsch", "Polski"] as const;
