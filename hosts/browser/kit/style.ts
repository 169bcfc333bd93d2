/**
 * Adds a style sheet. Style sheets are parts of scripts, so that each is stored once and not in the document of each
 * language. Between rules of the same specificity, that of the later style sheet wins.
 */
export function addStyle(css: string): void {
	const sheet = new CSSStyleSheet();
	sheet.replaceSync(css);
	document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
}
