/** Runs axe-core on the page in its present state: WCAG 2.2 A and AA, and axe-core's best practices. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Visit } from "./browser.js";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
const CHECK = `axe.run(document, { runOnly: ${JSON.stringify(TAGS)}, resultTypes: ["violations"] }).then(({ violations }) =>
	violations.flatMap(({ id, help, nodes }) =>
		nodes.map(({ html, failureSummary }) => [id, help, html, failureSummary].join("\\n"))))`;

/** The violations, each with its rule, the requirement, the element, and advice. */
export async function violationsOf(visit: Visit): Promise<string[]> {
	await visit.page.evaluate(`globalThis.axe === undefined && (0, eval)(${JSON.stringify(AXE)})`);
	return visit.page.evaluate(CHECK);
}
