/** Runs axe-core on the page in its present state: WCAG 2.2 A and AA, and axe-core's best practices. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Visit } from "./browser.js";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const TAGS: readonly string[] = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
/** The rules whose result depends on colours. */
const COLOUR_RULES = ["color-contrast", "link-in-text-block"];

const checkOf = (root: string, only: readonly string[]) =>
	`axe.run(${root}, { runOnly: ${JSON.stringify(only)}, resultTypes: ["violations"] }).then(({ violations }) =>
	violations.flatMap(({ id, help, nodes }) =>
		nodes.map(({ html, failureSummary }) => [id, help, html, failureSummary].join("\\n"))))`;

/** The violations in the document or in one element of it, each with its rule, the requirement, the element, and advice. */
export async function violationsOf(visit: Visit, selector = "html", only = TAGS): Promise<string[]> {
	const { page } = visit;
	if (!(await page.evaluate("'axe' in globalThis"))) await page.evaluate(`(0, eval)(${JSON.stringify(AXE)})`);
	return page.evaluate(checkOf(selector === "html" ? "document" : JSON.stringify(selector), only));
}

/** The violations in the light and in the dark theme, which differ in colours only. */
export async function violationsInBoth(visit: Visit, selector?: string): Promise<string[]> {
	const found: string[] = [];
	for (const [colorScheme, only] of [
		["dark", COLOUR_RULES],
		["light", TAGS],
	] as const) {
		await visit.page.emulateMedia({ colorScheme });
		found.push(...(await violationsOf(visit, selector, only)).map((violation) => `${colorScheme}: ${violation}`));
	}
	return found;
}
