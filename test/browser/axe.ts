/** Runs axe-core on the page in its present state: WCAG 2.2 A and AA, and axe-core's best practices. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Visit } from "./browser.js";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
const CHECK = `axe.run(ROOT, { runOnly: ${JSON.stringify(TAGS)}, resultTypes: ["violations"] }).then(({ violations }) =>
	violations.flatMap(({ id, help, nodes }) =>
		nodes.map(({ html, failureSummary }) => [id, help, html, failureSummary].join("\\n"))))`;

/** The violations in the document or in one element of it, each with its rule, the requirement, the element, and advice. */
export async function violationsOf(visit: Visit, selector = "html"): Promise<string[]> {
	await visit.page.evaluate(`globalThis.axe === undefined && (0, eval)(${JSON.stringify(AXE)})`);
	return visit.page.evaluate(CHECK.replace("ROOT", selector === "html" ? "document" : JSON.stringify(selector)));
}

/** The violations in the light and in the dark theme. */
export async function violationsInBoth(visit: Visit, selector?: string): Promise<string[]> {
	const found: string[] = [];
	for (const colorScheme of ["dark", "light"] as const) {
		await visit.page.emulateMedia({ colorScheme });
		found.push(...(await violationsOf(visit, selector)).map((violation) => `${colorScheme}: ${violation}`));
	}
	return found;
}
