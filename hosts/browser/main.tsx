/** Entry point of the page. */
import { render } from "preact";
import { App, openWizardIfNew } from "./app.js";
import { applyTheme } from "./kit/choices.js";
import { takeDisplayLink } from "./kit/session.js";
import { isLanguageAstray, language, t } from "./kit/text.js";
import style from "./style.css?inline";

takeDisplayLink();
const root = document.getElementById("app");
if (root !== null && !isLanguageAstray()) {
	// The style sheet is part of the script, so that it is stored once and not in the document of each language.
	const sheet = new CSSStyleSheet();
	sheet.replaceSync(style);
	document.adoptedStyleSheets = [sheet];
	applyTheme();
	openWizardIfNew();
	render(<App />, root);
	// Only the installed app needs the service worker, because it has no address bar in which the user could try again.
	// Browsers refuse a service worker under a certificate that they don't trust.
	if (matchMedia("(display-mode: standalone)").matches) {
		const texts = [language, t("title"), t("offline"), t("retry")].map((text) => ["t", text]);
		navigator.serviceWorker?.register(`/offline.js?${new URLSearchParams(texts)}`).catch(() => undefined);
	}
}
