/** Where the page begins. */
import { render } from "preact";
import { App, leadToWizard } from "./app.js";
import { applyTheme } from "./kit/choices.js";
import { isLanguageAstray } from "./kit/text.js";

const root = document.getElementById("app");
if (root !== null && !isLanguageAstray()) {
	applyTheme();
	leadToWizard();
	render(<App />, root);
}
