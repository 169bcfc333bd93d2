/** Numbers taken from readouts for batteries and wallboxes, and the values that those clients get. */
import assert from "node:assert/strict";
import { NodeText } from "../../hosts/node/platform.js";
import {
	LIVE_AMPERES_L1,
	LIVE_COUNT,
	LIVE_EXPORT,
	LIVE_HERTZ,
	LIVE_IMPORT,
	LIVE_POWER,
	LIVE_POWER_L1,
	LIVE_VOLTS_L1,
	takeLiveValues,
} from "../../modules/live-meter/live-values.js";
import { decimalText } from "../../modules/live-meter/message.js";
import { addToMean, MEAN_SIZE, meanOf } from "../../modules/live-meter/minute-mean.js";
import {
	FULL_AMPERES_L1,
	FULL_APPARENT_L1,
	FULL_EXPORT,
	FULL_FACTOR_L1,
	FULL_HERTZ,
	FULL_IMPORT_L1,
	FULL_POWER_L1,
	FULL_VOLTS_L1,
	SHOWN_AGE,
	SHOWN_AVERAGE,
	showValues,
} from "../../modules/live-meter/shown-values.js";
import { type Readout, STATUS_CUT } from "../../modules/readout/readout.js";
import { readoutOf } from "../mqtt/bed.js";

function liveOf(...lines: string[]): Float64Array {
	return liveAfter(new Float64Array(LIVE_COUNT), {}, ...lines);
}

/** The values after those of an earlier readout. */
function liveAfter(before: Float64Array, more: Partial<Readout>, ...lines: string[]): Float64Array {
	const values = before.slice();
	takeLiveValues({ ...readoutOf(lines.join("\r\n")), ...more }, new NodeText(), values);
	return values;
}

const PLAIN = { isInverted: false, offsetW: 0, isOnAll: false };
function shownOf(live: Float64Array, corrections: Partial<typeof PLAIN> = {}): Float64Array {
	return showValues(live, { ...PLAIN, ...corrections }, 800, 100);
}
const three = (values: Float64Array, at: number) => [...values.subarray(at, at + 3)].map((value) => value + 0);

describe("Live values", () => {
	it("prefer the net power to import minus export", () => {
		assert.equal(liveOf("1-0:1.7.0(5*W)", "1-0:16.7.0(-0.3215*kW)")[LIVE_POWER], -321.5);
	});
	it("subtract export power from import power, both converted to W", () => {
		assert.equal(liveOf("1-0:1.7.0(00.000*kW)", "1-0:2.7.0(01.193*kW)")[LIVE_POWER], -1193);
		assert.equal(liveOf("1.7.0(250*W)")[LIVE_POWER], 250);
		assert.equal(liveOf("2.7.0(250*W)")[LIVE_POWER], -250);
	});
	it("have no power if only an export of 0 is known", () => {
		assert.ok(Number.isNaN(liveOf("1-0:2.7.0(00.000*kW)", "1-0:22.7.0(00.000*kW)")[LIVE_POWER]));
	});
	it("add up the phases without a total", () => {
		const live = liveOf("1-0:36.7.0(100*W)", "1-0:56.7.0(-300*W)", "1-0:76.7.0(50*W)");
		assert.equal(live[LIVE_POWER], -150);
		assert.deepEqual(three(live, LIVE_POWER_L1), [100, -300, 50]);
	});
	it("have power, voltage and current of each phase, and the frequency", () => {
		const live = liveOf(
			...["1-0:21.7.0(00.056*kW)", "1-0:22.7.0(00.000*kW)", "1-0:41.7.0(00.000*kW)", "1-0:42.7.0(00.270*kW)"],
			...["1-0:61.7.0(00.206*kW)", "1-0:32.7.0(236.8*V)", "1-0:52.7.0(236.1*V)", "1-0:72.7.0(238.4*V)"],
			...["1-0:31.7.0(000*A)", "1-0:51.7.0(1500*mA)", "1-0:71.7.0(001*A)", "1-0:14.7.0(49.98*Hz)"],
		);
		assert.deepEqual(three(live, LIVE_POWER_L1), [56, -270, 206]);
		assert.deepEqual(three(live, LIVE_VOLTS_L1), [236.8, 236.1, 238.4]);
		assert.deepEqual(three(live, LIVE_AMPERES_L1), [0, 1.5, 1]);
		assert.equal(live[LIVE_HERTZ], 49.98);
		assert.equal(Math.round(live[LIVE_POWER]), -8);
	});
	it("have counters in Wh, as total and tariffs", () => {
		const live = liveOf("1-0:1.8.0(12.5*kWh)", "1-0:1.8.1(9*kWh)", "1-0:1.8.2(3.5*kWh)", "1-0:2.8.0(7000*Wh)");
		assert.deepEqual(three(live, LIVE_IMPORT), [12_500, 9000, 3500]);
		assert.deepEqual(three(live, LIVE_EXPORT), [7000, Number.NaN, Number.NaN]);
	});
	it("add up the tariffs without a total", () => {
		const live = liveOf("1-0:1.8.1(000000.626*kWh)", "1-0:1.8.2(000002.564*kWh)", "1-0:1.8.3(1*kWh)");
		assert.equal(Math.round(live[LIVE_IMPORT]), 4190);
	});
	it("keep a counter that is unconfirmed or that a readout lacks, and the total of its tariffs, but no counter of before", () => {
		const tariffs = (first: string) => [first, "1-0:1.8.2(3*kWh)", "1-0:1.7.0(5*W)"];
		const before = liveOf(...tariffs("1-0:1.8.1(2*kWh)"));
		const spike = { unconfirmed: [1], lacksCounter: true } as const;
		for (const [more, first] of [
			[spike, "1-0:1.8.1(900000*kWh)"],
			[{ lacksCounter: true }, "1-0:1.7.0(5*W)"],
		] as const) {
			const live = liveAfter(before, more, ...tariffs(first));
			assert.deepEqual([...three(live, LIVE_IMPORT), live[LIVE_POWER]], [5000, 2000, 3000, 5]);
		}
		assert.deepEqual(three(liveAfter(before, {}, "1-0:1.8.1(1*kWh)"), LIVE_IMPORT), [1000, 1000, Number.NaN]);
		const cut = liveAfter(new Float64Array(LIVE_COUNT).fill(Number.NaN), { status: STATUS_CUT }, "1-0:1.8.1(1*kWh)");
		assert.ok(Number.isNaN(cut[LIVE_IMPORT]));
	});
	it("ignore past periods, other media, other channels, maxima, unknown units and texts", () => {
		const live = liveOf(
			...["1-0:16.7.0*01(5*W)", "7-0:16.7.0(5*W)", "1-2:16.7.0(5*W)", "1-0:16.6.0(5*W)", "1-0:16.7.0(5*bar)"],
			...["1-0:16.7.0(abc*W)", "1-0:1.8.0*03(5*kWh)", "1-0:3.8.0(5*kvarh)", "1-0:16.7.0(5)"],
		);
		assert.ok(live.every(Number.isNaN), [...live].join());
	});
});

describe("Values for clients", () => {
	const TOTAL = liveOf("1-0:16.7.0(-300*W)", "1-0:1.8.0(5*kWh)", "1-0:2.8.0(8*kWh)");
	const PHASES = liveOf("1-0:16.7.0(90*W)", "1-0:36.7.0(100*W)", "1-0:56.7.0(-20*W)", "1-0:76.7.0(10*W)");

	it("are the meter's, with age and mean", () => {
		const shown = shownOf(TOTAL);
		assert.deepEqual([shown[LIVE_POWER], shown[SHOWN_AGE], shown[SHOWN_AVERAGE]], [-300, 800, 100]);
		assert.ok(Number.isNaN(shown[LIVE_POWER_L1]));
	});
	it("put a total without phases on the first phase, or divide it among all", () => {
		assert.deepEqual(three(shownOf(TOTAL), FULL_POWER_L1), [-300, 0, 0]);
		assert.deepEqual(three(shownOf(TOTAL), FULL_IMPORT_L1), [5000, 0, 0]);
		assert.deepEqual(three(shownOf(TOTAL, { isOnAll: true }), FULL_POWER_L1), [-100, -100, -100]);
	});
	it("have the opposite sign and exchanged counters if the meter is inverted", () => {
		const shown = shownOf(TOTAL, { isInverted: true });
		assert.deepEqual([shown[LIVE_POWER], shown[SHOWN_AVERAGE]], [300, -100]);
		assert.deepEqual([shown[LIVE_IMPORT], shown[LIVE_EXPORT], shown[FULL_EXPORT]], [8000, 5000, 5000]);
		assert.deepEqual(three(shownOf(PHASES, { isInverted: true }), LIVE_POWER_L1), [-100, 20, -10]);
	});
	it("include the offset in total, mean and phases, so that the phases still add up", () => {
		const shown = shownOf(PHASES, { offsetW: 30, isInverted: true });
		assert.deepEqual([shown[LIVE_POWER], shown[SHOWN_AVERAGE]], [-60, -70]);
		assert.deepEqual(three(shown, LIVE_POWER_L1), [-70, 20, -10]);
		assert.deepEqual(three(shown, FULL_POWER_L1), [-70, 20, -10]);
		assert.deepEqual(three(shownOf(PHASES, { offsetW: 30, isOnAll: true }), LIVE_POWER_L1), [110, -10, 20]);
		assert.deepEqual(three(shownOf(TOTAL, { offsetW: 30 }), FULL_POWER_L1), [-270, 0, 0]);
	});
	it("include calculated values in place of those that the meter does not send", () => {
		const shown = shownOf(liveOf("1-0:16.7.0(-460*W)"));
		assert.deepEqual(three(shown, FULL_VOLTS_L1), [230, 230, 230]);
		assert.deepEqual(three(shown, FULL_AMPERES_L1), [2, 0, 0]);
		assert.deepEqual(three(shown, FULL_APPARENT_L1), [460, 0, 0]);
		assert.equal(shown[FULL_HERTZ], 50);
		assert.ok(shown.subarray(FULL_POWER_L1).every(Number.isFinite));
	});
	it("leave the values that the meter sends unchanged", () => {
		const live = liveOf("1-0:16.7.0(200*W)", "1-0:32.7.0(200*V)", "1-0:31.7.0(2*A)", "1-0:14.7.0(49.9*Hz)");
		const shown = shownOf(live);
		assert.deepEqual(three(shown, FULL_VOLTS_L1), [200, 200, 200]);
		assert.deepEqual([shown[FULL_AMPERES_L1], shown[FULL_APPARENT_L1], shown[FULL_FACTOR_L1]], [2, 400, 0.5]);
		assert.equal(shown[FULL_HERTZ], 49.9);
	});
});

describe("Decimal numbers of messages", () => {
	it("always have a decimal point if decimal places are requested", () => {
		const texts = [87, -0.04, 0, 0.05, -321.46, 1e9].map((value) => decimalText(value, 1));
		assert.deepEqual(texts, ["87.0", "0.0", "0.0", "0.1", "-321.5", "1000000000.0"]);
		assert.deepEqual([decimalText(0.0012, 3), decimalText(-7.0605, 2)], ["0.001", "-7.06"]);
	});
	it("are rounded to whole numbers if no decimal places are requested", () => {
		assert.deepEqual(
			[-0.4, 0.5, -321.5, 12_572_239].map((value) => decimalText(value, 0)),
			["0", "1", "-322", "12572239"],
		);
	});
});

describe("Mean of a minute", () => {
	it("covers the last minute only", () => {
		const at = 2;
		const numbers = new Float64Array(at + MEAN_SIZE + 1);
		assert.ok(Number.isNaN(meanOf(numbers, at, 0)));
		for (let ms = 0; ms < 60_000; ms += 1000) addToMean(numbers, at, ms < 30_000 ? 100 : 300, ms);
		assert.equal(meanOf(numbers, at, 59_999), 200);
		for (let ms = 60_000; ms < 90_000; ms += 1000) addToMean(numbers, at, 300, ms);
		assert.equal(meanOf(numbers, at, 89_999), 300);
		assert.ok(Number.isNaN(meanOf(numbers, at, 200_000)));
		assert.deepEqual([numbers[0], numbers[1], numbers.at(-1)], [0, 0, 0]);
	});
});
