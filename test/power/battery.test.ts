import assert from "node:assert/strict";
import { batteryPercent } from "../../modules/power/battery.js";

describe("The remaining charge in per cent", () => {
	it("is 100 for new cells and 0 for empty ones, for any number of cells", () => {
		for (const cells of [1, 2, 3, 4]) {
			assert.equal(batteryPercent(1.6 * cells, cells), 100);
			assert.equal(batteryPercent(1.55 * cells, cells), 100);
			assert.equal(batteryPercent(0.9 * cells - 0.001, cells), 0);
			assert.equal(batteryPercent(0.1, cells), 0);
		}
	});

	it("falls with the voltage, without a step", () => {
		let before = 100;
		for (let millivolts = 4700; millivolts >= 0; millivolts--) {
			const percent = batteryPercent(millivolts / 1000, 3);
			assert.ok(percent <= before && before - percent <= 1, `${millivolts} mV: ${before} to ${percent}`);
			before = percent;
		}
		assert.equal(before, 0);
	});

	it("is 0 without cells, without a voltage, and for a value that is not a voltage", () => {
		assert.equal(batteryPercent(3, 0), 0);
		assert.equal(batteryPercent(0, 3), 0);
		assert.equal(batteryPercent(-1, 3), 0);
		assert.equal(batteryPercent(Number.NaN, 3), 0);
	});
});
