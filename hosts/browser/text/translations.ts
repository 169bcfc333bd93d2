/** A text in each language. `{name}` in it is replaced by a value. */
export type Translations = readonly [en: string, de: string, pl: string];

/** Values of the page's `lang` (BCP 47), in the order of `Translations`. */
export const LANGUAGES = ["en", "de", "pl"] as const;
export type Language = (typeof LANGUAGES)[number];

export const LANGUAGE_NAMES = ["English", "Deutsch", "Polski"] as const;
