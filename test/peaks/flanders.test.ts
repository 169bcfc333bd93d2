/** The month's peak of Flanders (highest quarter hour), and the running quarter hour. */
import assert from "node:assert/strict";
import { STATUS_CHECK_WRONG, STATUS_NONE } from "../../modules/readout/readout.js";
import { at, readoutOf } from "../history/unit.js";
import { Bench, FLANDERS, PEAKS_KEY } from "./bench.js";

const ZONE = "Europe/Brussels";

describe("The month's peak of quarter hours", () => {
	let bench: Bench;
	const begin = (time: string) => {
		bench = new Bench(FLANDERS, ZONE, at(time));
		bench.read(at(time));
	};
	afterEach(() => assert.deepEqual([bench.traced, bench.caughtErrors, bench.flash.mistakes], [[], [], []]));

	it("is the highest mean power of a quarter hour, with the time at which that quarter hour began", () => {
		begin("2026-11-20 06:00");
		bench.run(at("2026-11-20 06:15"), 1200);
		bench.run(at("2026-11-20 06:22"), 5000);
		bench.run(at("2026-11-20 06:30"), 800);
		bench.run(at("2026-11-20 06:45"), 2000);
		// 7 minutes of 5 kW and 8 minutes of 0.8 kW.
		assert.equal(bench.values.peakW, Math.round((7 * 5000 + 8 * 800) / 15));
		assert.deepEqual(bench.highest, [[at("2026-11-20 06:15"), 2760]]);
	});

	it("counts the import only", () => {
		begin("2026-11-20 06:00");
		for (let minute = 1; minute <= 15; minute++) {
			const lines = `1.8.0(001000.000*kWh)\r\n2.8.0(${(500 + minute).toFixed(3)}*kWh)\r\n16.7.0(-60.0*kW)\r\n`;
			bench.wait(at("2026-11-20 06:00") + minute * 60);
			bench.take(readoutOf(lines, at("2026-11-20 06:00") + minute * 60));
		}
		assert.deepEqual(bench.highest, [[at("2026-11-20 06:00"), 0]]);
		assert.equal(bench.values.peakW, 0);
	});

	it("has the mean of the running quarter hour so far, and a forecast at the present power", () => {
		begin("2026-11-20 06:00");
		bench.run(at("2026-11-20 06:05"), 3000);
		let { meanW, forecastW, peakW } = bench.values;
		assert.deepEqual([meanW, forecastW], [3000, 3000]);
		assert.ok(Number.isNaN(peakW));
		bench.run(at("2026-11-20 06:09"), 6000);
		({ meanW, forecastW } = bench.values);
		assert.equal(meanW, Math.round((5 * 3000 + 4 * 6000) / 9));
		assert.equal(forecastW, Math.round((5 * 3000 + 10 * 6000) / 15));
		bench.run(at("2026-11-20 06:15"), 6000);
		assert.equal(bench.values.peakW, forecastW);
	});

	it("calculates the forecast from the counter if the meter sends no power, and counts export as 0", () => {
		begin("2026-11-20 06:00");
		bench.sendsPower = false;
		bench.run(at("2026-11-20 06:06"), 3000);
		assert.equal(bench.values.forecastW, 3000);
		bench.wait(at("2026-11-20 06:07"));
		bench.take(readoutOf(`1.8.0(1000.300*kWh)\r\n16.7.0(-4.000*kW)\r\n`, at("2026-11-20 06:07")));
		assert.equal(bench.values.forecastW, Math.round((300 * 3600) / 900));
	});

	it("drops the running interval if it ends without a reading", () => {
		begin("2026-11-20 06:00");
		bench.run(at("2026-11-20 06:10"), 1200);
		bench.wait(at("2026-11-20 06:14:59"));
		assert.equal(bench.values.meanW, 1200);
		bench.wait(at("2026-11-20 06:15"));
		assert.deepEqual(bench.values, { peakW: Number.NaN, meanW: Number.NaN, forecastW: Number.NaN });
	});

	it("distributes the energy between two late readings evenly over the time between them", () => {
		bench = new Bench(FLANDERS, ZONE, at("2026-11-20 06:00:10"));
		bench.read(at("2026-11-20 06:00:10"));
		bench.powerW = 3600;
		bench.read(at("2026-11-20 06:15:55"));
		assert.deepEqual(bench.highest, [[at("2026-11-20 06:00"), 3600]]);
	});

	it("counts a quarter hour only if there are readings within a minute after its beginning and after its end", () => {
		begin("2026-11-20 06:00");
		bench.powerW = 9000;
		// The first reading after 06:15 is too late.
		for (const time of ["06:05", "06:14:50", "06:16:10", "06:30", "06:45"]) bench.read(at(`2026-11-20 ${time}`));
		assert.deepEqual(bench.highest, [[at("2026-11-20 06:30"), 9000]]);
		// An outage over several quarter hours.
		bench.powerW = 20_000;
		bench.read(at("2026-11-20 08:00"));
		bench.read(at("2026-11-20 08:15"));
		assert.deepEqual(bench.highest, [[at("2026-11-20 08:00"), 20_000]]);
	});

	it("begins anew with each month of local time", () => {
		// Local midnight is 23:00 UTC.
		begin("2026-10-31 22:30");
		bench.run(at("2026-10-31 22:45"), 7000);
		assert.equal(bench.values.peakW, 7000);
		bench.run(at("2026-10-31 23:00"), 2000);
		assert.ok(Number.isNaN(bench.values.peakW), "a new month has no peak yet");
		bench.run(at("2026-10-31 23:15"), 1600);
		assert.deepEqual(bench.highest, [[at("2026-10-31 23:00"), 1600]]);
		assert.equal(bench.values.peakW, 1600);
	});

	it("counts the last quarter hour of a month for that month", () => {
		begin("2026-10-31 22:30");
		bench.run(at("2026-10-31 22:45"), 1000);
		bench.run(at("2026-10-31 23:00"), 4000);
		bench.run(at("2026-10-31 23:15"), 1200);
		assert.equal(bench.values.peakW, 1200);
	});

	for (const [what, from, to, month] of [
		["forward", "2026-03-29 00:30", "2026-03-29 01:30", "2026-03"],
		["back", "2026-10-25 00:00", "2026-10-25 02:00", "2026-10"],
	] as const) {
		it(`has quarter hours of 15 minutes when the clocks go ${what}`, () => {
			begin(from);
			const means: number[] = [];
			for (let startS = at(from), power = 1000; startS < at(to); startS += 900, power += 500) {
				bench.run(startS + 900, power);
				means.push(bench.values.peakW);
			}
			assert.deepEqual(
				means,
				means.map((_, index) => 1000 + index * 500),
				month,
			);
			// All are of the same day, so only the highest one is kept.
			assert.equal(bench.highest.length, 1);
		});
	}

	it("continues in the middle of a quarter hour after a restart, from the history's reading near its beginning", () => {
		begin("2026-11-20 06:00");
		bench.run(at("2026-11-20 06:15"), 1000);
		bench.run(at("2026-11-20 06:20"), 6000);
		bench.restart();
		assert.equal(bench.values.peakW, 1000, "the peak is there before the first reading");
		bench.run(at("2026-11-20 06:24"), 6000);
		assert.equal(bench.values.meanW, 6000);
		bench.run(at("2026-11-20 06:30"), 6000);
		assert.deepEqual(bench.highest, [[at("2026-11-20 06:15"), 6000]]);
	});

	it("drops the quarter hour of a restart if the history has no reading near its beginning", () => {
		begin("2026-11-20 06:00");
		bench.run(at("2026-11-20 06:14"), 1000);
		bench.powerW = 9000;
		bench.wait(at("2026-11-20 06:20"));
		bench.restart();
		bench.run(at("2026-11-20 06:30"), 9000);
		assert.ok(Number.isNaN(bench.values.peakW));
		bench.run(at("2026-11-20 06:45"), 500);
		assert.equal(bench.values.peakW, 500);
	});

	it("includes only the last two days of the history when it is turned on", () => {
		begin("2026-11-18 12:00");
		bench.run(at("2026-11-18 12:15"), 5000);
		bench.run(at("2026-11-20 12:00"), 300, 300);
		bench.storage.delete(PEAKS_KEY);
		bench.restart();
		bench.run(at("2026-11-20 12:05"), 300, 300);
		assert.equal(bench.values.peakW, 5000);
	});

	it("writes flash only when the highest quarter hours change", () => {
		begin("2026-11-20 06:00");
		let writes = 0;
		const { storage } = bench;
		const set = storage.set.bind(storage);
		storage.set = (key, value) => {
			if (key === PEAKS_KEY) writes++;
			set(key, value);
		};
		bench.run(at("2026-11-20 06:30"), 1000);
		assert.equal(writes, 1);
		bench.run(at("2026-11-20 09:00"), 900);
		assert.equal(writes, 1);
		bench.run(at("2026-11-20 09:15"), 1100);
		assert.equal(writes, 2);
	});

	it("drops the running quarter hour after a counter's reset and an exchange of the meter", () => {
		for (const change of [
			() => {
				bench.counterWh = 0;
			},
			() => {
				bench.counterWh += 500_000;
				bench.meter = { id: "OTHER" };
			},
		]) {
			begin("2026-11-20 06:00");
			bench.run(at("2026-11-20 06:05"), 2000);
			change();
			bench.run(at("2026-11-20 06:15"), 2000);
			assert.ok(Number.isNaN(bench.values.peakW));
			bench.run(at("2026-11-20 06:30"), 2500);
			assert.deepEqual(bench.highest, [[at("2026-11-20 06:15"), 2500]]);
		}
	});

	it("drops the running quarter hour when the clock is set, and continues with the next one", () => {
		begin("2026-11-20 06:00");
		bench.run(at("2026-11-20 06:05"), 2000);
		bench.wait(at("2026-11-20 06:05:10"));
		bench.setClock(at("2026-11-20 06:07"));
		bench.run(at("2026-11-20 06:14"), 2000);
		assert.ok(Number.isNaN(bench.values.meanW));
		bench.run(at("2026-11-20 06:15"), 2000);
		assert.ok(Number.isNaN(bench.values.peakW));
		bench.run(at("2026-11-20 06:30"), 2100);
		assert.deepEqual(bench.highest, [[at("2026-11-20 06:15"), 2100]]);
	});

	it("drops the running quarter hour when the clock is set back by minutes, even after a restart", () => {
		begin("2026-11-20 05:45");
		bench.run(at("2026-11-20 06:05"), 2000);
		bench.setClock(at("2026-11-20 05:50"));
		bench.run(at("2026-11-20 06:12"), 2000);
		bench.restart();
		bench.run(at("2026-11-20 06:45"), 2000);
		assert.deepEqual(bench.highest, [[at("2026-11-20 05:45"), 2000]]);
	});

	it("drops peaks of the future when the clock is set back by months", () => {
		begin("2027-03-20 06:00");
		bench.run(at("2027-03-20 06:15"), 9000);
		assert.equal(bench.values.peakW, 9000);
		bench.setClock(at("2026-11-20 06:02"));
		bench.run(at("2026-11-20 06:30"), 1000);
		assert.deepEqual(bench.highest, [[at("2026-11-20 06:15"), 1000]]);
	});

	it("has no values while the clock isn't set, and ignores readouts that are simulated, damaged, or lack the counter", () => {
		bench = new Bench(FLANDERS, ZONE, at("2026-11-20 06:00"));
		bench.restart(undefined);
		bench.take(readoutOf("1.8.0(1.000*kWh)\r\n", 0));
		assert.deepEqual(bench.values, { peakW: Number.NaN, meanW: Number.NaN, forecastW: Number.NaN });
		begin("2026-11-20 06:00");
		for (const [timeS, lines, status] of [
			[at("2026-11-20 06:05"), "1.8.0(1.000*kWh)\r\n", STATUS_NONE],
			[at("2026-11-20 06:06"), "1.8.0(1.000*kWh)\r\n", STATUS_CHECK_WRONG],
			[at("2026-11-20 06:07"), "1.7.0(1.000*kW)\r\n", 1],
		] as const) {
			bench.wait(timeS);
			bench.take(readoutOf(lines, timeS, { status }));
		}
		bench.run(at("2026-11-20 06:15"), 1800);
		assert.equal(bench.values.peakW, 960);
	});

	it("ignores a stored record of another shape, and a damaged one", () => {
		begin("2026-11-20 06:00");
		bench.run(at("2026-11-20 06:15"), 3000);
		const stored = bench.storage.get(PEAKS_KEY)!;
		bench.shape = { minutes: 15, count: 3 };
		bench.restart();
		assert.ok(Number.isNaN(bench.values.peakW));
		bench.shape = FLANDERS;
		bench.storage.set(PEAKS_KEY, stored.subarray(1));
		bench.restart();
		assert.ok(Number.isNaN(bench.values.peakW));
	});
});
