/** A text of the page in each of its languages. `{name}` stands for a value that is put in. */
export type Translations = readonly [en: string, de: string, pl: string];

/** In the order of `Translations`; the names are the page's `lang` (BCP 47). */
export const LANGUAGES = ["en", "de", "pl"] as const;
export type Language = (typeof LANGUAGES)[number];

/** What each language calls itself. */
export const LANGUAGE_NAMES = ["English", "Deutsch", "Polski"] as const;
