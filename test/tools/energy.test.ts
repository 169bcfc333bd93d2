import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { daysOf, FIGURES, READING, SENDING, spanOf, withTables } from "../../tools/energy.js";

const ROOT = join(fileURLToPath(import.meta.url), "../../../..");

describe("The energy budget", () => {
	it("is up to date in docs/power.md and in the README", () => {
		for (const [file, tables] of [
			["docs/power.md", 3],
			["README.md", 1],
		] as const) {
			const text = readFileSync(join(ROOT, file), "utf8");
			assert.equal(text.split("made by node .build/tools/energy.js").length - 1, tables, file);
			assert.equal(withTables(text), text, `${file}: run node .build/tools/energy.js`);
		}
	});

	it("adds up", () => {
		// 2 s at 65.9 mA and 4.5 s at 47.6 mA; 5 s at 110 mA.
		assert.ok(Math.abs(READING - (131.8 + 214.2) / 3600) < 1e-9);
		assert.ok(Math.abs(SENDING - 550 / 3600) < 1e-9);
		const { cells, chip, regulator, divider } = FIGURES;
		const sleepOnly = cells.value / ((24 * (chip.value + regulator.value + divider.value)) / 1000);
		assert.ok(daysOf(0, false) < sleepOnly && daysOf(0, false) > sleepOnly / 3);
		assert.ok(daysOf(96, true) < daysOf(96, false) && daysOf(96, false) < daysOf(24, false));
		assert.deepEqual([spanOf(91), spanOf(600)], ["3 months", "1.6 years"]);
	});
});
