/** Entry point of the page. */
import { render } from "preact";
import { App, openWizardIfNew } from "./app.js";
import { applyTheme } from "./kit/choices.js";
import { takeDisplayLink } from "./kit/session.js";
import { addStyle } from "./kit/style.js";
import { language, t } from "./kit/text.js";
import style from "./style.css?inline";

takeDisplayLink();
const root = document.getElementById("app");
if (root !== null) {
	addStyle(style);
	applyTheme();
	openWizardIfNew();
	// Preact reuses those elements of the login that the document already shows.
	render(<App />, root);
	if ("sent" in document.documentElement.dataset) root.querySelector("form")?.requestSubmit();
	// Only the installed app needs the service worker, because the app has no address bar from which the user could try
	// again. Browsers refuse a service worker if they do not trust the certificate.
	if (matchMedia("(display-mode: standalone)").matches) {
		const texts = [language, t("title"), t("error.offline"), t("retry")].map((text) => ["t", text]);
		navigator.serviceWorker?.register(`/offline.js?${new URLSearchParams(texts)}`).catch(() => undefined);
	}
}
