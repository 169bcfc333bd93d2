/** How the page is shown: language and theme, kept in this browser. */
import { LANGUAGE_NAMES, LANGUAGES } from "../text/translations.js";
import { chooseLanguage, language, t } from "./text.js";

export function LanguageChoice() {
	return (
		<label>
			{t("language")}
			<select
				value={language}
				onInput={(event) => {
					const chosen = LANGUAGES.find((candidate) => candidate === event.currentTarget.value);
					if (chosen !== undefined) chooseLanguage(chosen);
				}}
			>
				{LANGUAGES.map((candidate, index) => (
					<option key={candidate} value={candidate} lang={candidate}>
						{LANGUAGE_NAMES[index]}
					</option>
				))}
			</select>
		</label>
	);
}

const THEMES = ["auto", "light", "dark"] as const;
const THEME = "theme";

/** The theme chosen once; the style looks at `data-theme`. */
export function applyTheme(theme = localStorage.getItem(THEME) ?? "auto"): void {
	document.documentElement.dataset["theme"] = theme;
	// The browser's frame has the colour of the page's head.
	for (const meta of document.querySelectorAll<HTMLMetaElement>("meta[name=theme-color]")) {
		const own = meta.dataset["theme"];
		meta.media = theme === "auto" ? `(prefers-color-scheme: ${own})` : theme === own ? "all" : "not all";
	}
}

export function ThemeChoice() {
	return (
		<label>
			{t("theme")}
			<select
				value={localStorage.getItem(THEME) ?? "auto"}
				onInput={(event) => {
					localStorage.setItem(THEME, event.currentTarget.value);
					applyTheme(event.currentTarget.value);
				}}
			>
				{THEMES.map((theme) => (
					<option key={theme} value={theme}>
						{t(`theme.${theme}`)}
					</option>
				))}
			</select>
		</label>
	);
}
