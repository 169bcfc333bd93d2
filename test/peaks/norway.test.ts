/** The month's peak of Norway and Sweden: the mean of the three highest hours of three different days. */
import assert from "node:assert/strict";
import { at } from "../history/unit.js";
import { Bed, NORWAY } from "./bed.js";

const ZONE = "Europe/Oslo";
const HOUR = 3600;

describe("The month's peak of hours", () => {
	let bed: Bed;
	const begin = (time: string) => {
		bed = new Bed(NORWAY, ZONE, at(time));
		bed.read(at(time));
	};
	/** Reads the meter every quarter hour; the first hour of each row has the given power, the time before it 100 W. */
	const hours = (...rows: readonly (readonly [time: string, powerW: number])[]) => {
		for (const [time, powerW] of rows) {
			bed.run(at(time), 100, 900);
			bed.run(at(time) + HOUR, powerW, 900);
		}
	};
	afterEach(() => assert.deepEqual([bed.traced, bed.flash.mistakes], [[], []]));

	it("is the mean of the highest hours of three days, and of fewer days at first", () => {
		begin("2026-11-02 06:00");
		hours(["2026-11-02 08:00", 6000]);
		assert.equal(bed.values.peakW, 6000);
		// The second highest hour of the same day doesn't count.
		hours(["2026-11-02 12:00", 5000], ["2026-11-03 07:00", 4000]);
		assert.equal(bed.values.peakW, 5000);
		hours(["2026-11-04 20:00", 2000]);
		assert.equal(bed.values.peakW, 4000);
		hours(["2026-11-05 09:00", 3000], ["2026-11-06 09:00", 1000]);
		assert.deepEqual(bed.highest, [
			[at("2026-11-02 08:00"), 6000],
			[at("2026-11-03 07:00"), 4000],
			[at("2026-11-05 09:00"), 3000],
		]);
		assert.equal(bed.values.peakW, Math.round((6000 + 4000 + 3000) / 3));
	});

	it("replaces the hour of a day with a higher one of the same day, and sorts the hours again", () => {
		begin("2026-11-02 06:00");
		hours(
			["2026-11-02 08:00", 6000],
			["2026-11-03 08:00", 5000],
			["2026-11-04 08:00", 4000],
			["2026-11-04 10:00", 7000],
		);
		assert.deepEqual(
			bed.highest.map(([, watts]) => watts),
			[7000, 6000, 5000],
		);
	});

	it("divides days at local midnight", () => {
		// 22:00 UTC is 23:00 in Oslo, the last hour of the day.
		begin("2026-11-02 20:00");
		hours(["2026-11-02 22:00", 6000]);
		bed.run(at("2026-11-03 00:00"), 5000, 900);
		assert.deepEqual(bed.highest, [
			[at("2026-11-02 22:00"), 6000],
			[at("2026-11-02 23:00"), 5000],
		]);
	});

	for (const [what, day, midnight] of [
		["shorter", "2026-03-29", "2026-03-28 23:00"],
		["longer", "2026-10-25", "2026-10-24 22:00"],
	] as const) {
		it(`counts one hour of a ${what} day, and each hour has sixty minutes`, () => {
			begin(midnight);
			const ends: number[] = [];
			const length = what === "longer" ? 25 : 23;
			for (let hour = 0; hour < length; hour++) {
				bed.run(at(midnight) + (hour + 1) * HOUR, 1000 + hour * 100, 900);
				ends.push(bed.highest[0][0]);
				assert.equal(bed.highest.length, 1, `${day}, hour ${hour}`);
			}
			assert.deepEqual(
				ends,
				ends.map((_, hour) => at(midnight) + hour * HOUR),
			);
			bed.run(at(midnight) + (length + 1) * HOUR, 500, 900);
			assert.equal(bed.highest.length, 2, "the next day");
			assert.equal(bed.highest[0][1], 1000 + (length - 1) * 100);
		});
	}

	it("has a forecast for the running hour", () => {
		begin("2026-11-02 06:00");
		bed.run(at("2026-11-02 06:30"), 2000, 300);
		bed.run(at("2026-11-02 06:45"), 4000, 300);
		const { meanW, forecastW } = bed.values;
		assert.deepEqual([meanW, forecastW], [Math.round(8000 / 3), 3000]);
	});

	it("includes the last two weeks of the history when it is turned on", () => {
		begin("2026-11-01 23:00");
		hours(["2026-11-05 08:00", 6000], ["2026-11-06 08:00", 5000], ["2026-11-07 08:00", 4000]);
		bed.run(at("2026-11-17 08:00"), 100, 900);
		bed.storage.delete("peaks_month");
		bed.restart();
		bed.run(at("2026-11-17 08:15"), 100, 900);
		assert.equal(bed.values.peakW, 5000);
	});

	it("equals a calculation from all readings of a month with restarts", () => {
		const startS = at("2026-10-31 23:00");
		begin("2026-10-31 23:00");
		const days = new Map<number, number>();
		// The last hour of November ends in December, which has no peak yet then.
		for (let hour = 0; hour < 30 * 24 - 1; hour++) {
			const powerW = 400 + ((hour * 7919) % 5501);
			bed.run(startS + (hour + 1) * HOUR, powerW, 900);
			const day = Math.floor(hour / 24);
			days.set(day, Math.max(days.get(day) ?? 0, powerW));
			if (hour % 50 === 49) {
				bed.wait(bed.nowS + 400);
				bed.restart();
			}
		}
		const expected = [...days.values()].sort((a, b) => b - a).slice(0, 3);
		assert.deepEqual(
			bed.highest.map(([, watts]) => watts),
			expected,
		);
		assert.equal(bed.values.peakW, Math.round((expected[0] + expected[1] + expected[2]) / 3));
		bed.run(bed.nowS + 2 * HOUR, 1000, 900);
		assert.equal(bed.values.peakW, 1000);
	});
});
