/** Formats whole percents: `25%` in English, `25 %` in German. */
import { language } from "./text.js";

export function formatPercent(percent: number): string {
	return new Intl.NumberFormat(language, { style: "percent" }).format(percent / 100);
}
