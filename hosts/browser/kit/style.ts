/**
 * Adds a style sheet. Style sheets are in the scripts, so that each is stored only once, instead of in the document of
 * each language. If rules have the same specificity, the rule in the later style sheet wins.
 */
export function addStyle(css: string): void {
	const sheet = new CSSStyleSheet();
	sheet.replaceSync(css);
	document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
}
