/** Controls with which the user chooses one of a few values, such as language and theme. */
import { LANGUAGE_NAMES, LANGUAGES, type Language } from "../text/translations.js";
import { chooseLanguage, language, t } from "./text.js";

interface ChoiceProps {
	readonly label: string;
	readonly name?: string;
	readonly value: string;
	/** Value and label of each option. The third item is the label's language if it differs from the page's language. */
	readonly options: readonly (readonly [value: string, text: string, lang?: string])[];
	readonly disabled?: boolean;
	onChoose(value: string): void;
}

export function Choice({ label, name, value, options, disabled, onChoose }: ChoiceProps) {
	return (
		<label>
			{label}
			<select name={name} value={value} disabled={disabled} onInput={(event) => onChoose(event.currentTarget.value)}>
				{options.map(([option, text, lang]) => (
					<option key={option} value={option} lang={lang}>
						{text}
					</option>
				))}
			</select>
		</label>
	);
}

export function LanguageChoice() {
	return (
		<Choice
			label={t("language")}
			value={language}
			options={LANGUAGES.map((one, index) => [one, LANGUAGE_NAMES[index], one])}
			onChoose={(chosen) => chooseLanguage(chosen as Language)}
		/>
	);
}

const THEMES = ["auto", "light", "dark"] as const;
const THEME = "theme";

/** Sets the document's `data-theme` and the colour of the browser's header. */
export function applyTheme(theme = localStorage.getItem(THEME) ?? "auto"): void {
	document.documentElement.dataset["theme"] = theme;
	for (const meta of document.querySelectorAll<HTMLMetaElement>("meta[name=theme-color]")) {
		const own = meta.dataset["theme"];
		meta.media = theme === "auto" ? `(prefers-color-scheme: ${own})` : theme === own ? "all" : "not all";
	}
}

export function ThemeChoice() {
	return (
		<Choice
			label={t("theme")}
			value={localStorage.getItem(THEME) ?? "auto"}
			options={THEMES.map((theme) => [theme, t(`theme.${theme}`)])}
			onChoose={(theme) => {
				localStorage.setItem(THEME, theme);
				applyTheme(theme);
			}}
		/>
	);
}
