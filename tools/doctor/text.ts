/** Prints the findings of `npm run doctor` as text. */
import { isBenchComplete, type Target } from "./checks.js";

const DETAIL_LIMIT = 72;

export function asText(targets: readonly Target[]): string {
	const paragraphs = targets.map(({ name, purpose, checks }) => {
		const state = checks.every(({ ok }) => ok) ? "complete" : "incomplete";
		const lines = checks.flatMap((check) => {
			const detail = check.ok ? check.detail.slice(0, DETAIL_LIMIT) : check.detail;
			const line = `  ${check.ok ? "ok     " : "missing"}  ${check.name}: ${detail}`;
			return check.ok ? [line] : [line, `           ${check.fix}`];
		});
		return [`${name} (${purpose}): ${state}`, ...lines].join("\n");
	});
	const end = isBenchComplete(targets)
		? "The simulator can run: npm start"
		: "The simulator can't run yet. Run the commands under bench, then: npm run doctor";
	return `${[...paragraphs, end].join("\n\n")}\n`;
}
