/** The month's peak of Flanders (highest quarter hour), and the running quarter hour. */
import assert from "node:assert/strict";
import { STATUS_CHECK_WRONG, STATUS_NONE } from "../../modules/readout/readout.js";
import { at, readoutOf } from "../history/unit.js";
import { Bed, FLANDERS, PEAKS_KEY } from "./bed.js";

const ZONE = "Europe/Brussels";

describe("The month's peak of quarter hours", () => {
	let bed: Bed;
	const begin = (time: string) => {
		bed = new Bed(FLANDERS, ZONE, at(time));
		bed.read(at(time));
	};
	afterEach(() => assert.deepEqual([bed.traced, bed.flash.mistakes], [[], []]));

	it("is the highest mean power of a quarter hour, with the time at which that quarter hour began", () => {
		begin("2026-11-20 06:00");
		bed.run(at("2026-11-20 06:15"), 1200);
		bed.run(at("2026-11-20 06:22"), 5000);
		bed.run(at("2026-11-20 06:30"), 800);
		bed.run(at("2026-11-20 06:45"), 2000);
		// 7 minutes of 5 kW and 8 minutes of 0.8 kW.
		assert.equal(bed.values.peakW, Math.round((7 * 5000 + 8 * 800) / 15));
		assert.deepEqual(bed.highest, [[at("2026-11-20 06:15"), 2760]]);
	});

	it("counts the import only", () => {
		begin("2026-11-20 06:00");
		for (let minute = 1; minute <= 15; minute++) {
			const lines = `1.8.0(001000.000*kWh)\r\n2.8.0(${(500 + minute).toFixed(3)}*kWh)\r\n16.7.0(-60.0*kW)\r\n`;
			bed.wait(at("2026-11-20 06:00") + minute * 60);
			bed.take(readoutOf(lines, at("2026-11-20 06:00") + minute * 60));
		}
		assert.deepEqual(bed.highest, [[at("2026-11-20 06:00"), 0]]);
		assert.equal(bed.values.peakW, 0);
	});

	it("has the mean of the running quarter hour so far, and a forecast at the present power", () => {
		begin("2026-11-20 06:00");
		bed.run(at("2026-11-20 06:05"), 3000);
		let { meanW, forecastW, peakW } = bed.values;
		assert.deepEqual([meanW, forecastW], [3000, 3000]);
		assert.ok(Number.isNaN(peakW));
		bed.run(at("2026-11-20 06:09"), 6000);
		({ meanW, forecastW } = bed.values);
		assert.equal(meanW, Math.round((5 * 3000 + 4 * 6000) / 9));
		assert.equal(forecastW, Math.round((5 * 3000 + 10 * 6000) / 15));
		bed.run(at("2026-11-20 06:15"), 6000);
		assert.equal(bed.values.peakW, forecastW);
	});

	it("is known as early if the history holds its reading until the gas meter's one comes", () => {
		const from = at("2026-11-20 06:00");
		const beds = [false, true].map((hasGas) => ({ hasGas, bed: new Bed(FLANDERS, ZONE, from) }));
		for (let timeS = from; timeS <= from + 2700; timeS += 30) {
			const [plain, held] = beds.map(({ hasGas, bed }) => {
				const stamp = (s: number) => `${new Date(s * 1000).toISOString().slice(2, 19).replace(/\D/g, "")}W`;
				const gas = `0-1:24.1.0(003)\r\n0-1:24.2.3(${stamp(Math.floor((timeS - 200) / 300) * 300)})(7.000*m3)\r\n`;
				const kWh = (1000 + ((timeS - from) / 3600) * (timeS < from + 900 ? 3 : 2)).toFixed(3);
				bed.wait(timeS);
				bed.take(
					readoutOf(`0-0:1.0.0(${stamp(timeS)})\r\n1.8.0(${kWh}*kWh)\r\n1.7.0(2*kW)\r\n${hasGas ? gas : ""}`, timeS),
				);
				bed.wait(timeS + 20);
				return JSON.stringify([bed.values, bed.highest]);
			});
			assert.equal(held, plain, String(timeS - from));
		}
		assert.ok(beds[1].bed.highest.length > 0);
	});

	it("calculates the forecast from the counter if the meter sends no power, and counts export as 0", () => {
		begin("2026-11-20 06:00");
		bed.sendsPower = false;
		bed.run(at("2026-11-20 06:06"), 3000);
		assert.equal(bed.values.forecastW, 3000);
		bed.wait(at("2026-11-20 06:07"));
		bed.take(readoutOf(`1.8.0(1000.300*kWh)\r\n16.7.0(-4.000*kW)\r\n`, at("2026-11-20 06:07")));
		assert.equal(bed.values.forecastW, Math.round((300 * 3600) / 900));
	});

	it("drops the running interval if it ends without a reading", () => {
		begin("2026-11-20 06:00");
		bed.run(at("2026-11-20 06:10"), 1200);
		bed.wait(at("2026-11-20 06:14:59"));
		assert.equal(bed.values.meanW, 1200);
		bed.wait(at("2026-11-20 06:15"));
		assert.deepEqual(bed.values, { peakW: Number.NaN, meanW: Number.NaN, forecastW: Number.NaN });
	});

	it("distributes the energy between two late readings evenly over the time between them", () => {
		bed = new Bed(FLANDERS, ZONE, at("2026-11-20 06:00:10"));
		bed.read(at("2026-11-20 06:00:10"));
		bed.powerW = 3600;
		bed.read(at("2026-11-20 06:15:55"));
		assert.deepEqual(bed.highest, [[at("2026-11-20 06:00"), 3600]]);
	});

	it("counts a quarter hour only if there are readings within a minute after its beginning and after its end", () => {
		begin("2026-11-20 06:00");
		bed.powerW = 9000;
		// The first reading after 06:15 is too late.
		for (const time of ["06:05", "06:14:50", "06:16:10", "06:30", "06:45"]) bed.read(at(`2026-11-20 ${time}`));
		assert.deepEqual(bed.highest, [[at("2026-11-20 06:30"), 9000]]);
		// An outage over several quarter hours.
		bed.powerW = 20_000;
		bed.read(at("2026-11-20 08:00"));
		bed.read(at("2026-11-20 08:15"));
		assert.deepEqual(bed.highest, [[at("2026-11-20 08:00"), 20_000]]);
	});

	it("starts again with each month of local time", () => {
		// Local midnight is 23:00 UTC.
		begin("2026-10-31 22:30");
		bed.run(at("2026-10-31 22:45"), 7000);
		assert.equal(bed.values.peakW, 7000);
		bed.run(at("2026-10-31 23:00"), 2000);
		assert.ok(Number.isNaN(bed.values.peakW), "a new month has no peak yet");
		bed.run(at("2026-10-31 23:15"), 1600);
		assert.deepEqual(bed.highest, [[at("2026-10-31 23:00"), 1600]]);
		assert.equal(bed.values.peakW, 1600);
	});

	it("counts the last quarter hour of a month for that month", () => {
		begin("2026-10-31 22:30");
		bed.run(at("2026-10-31 22:45"), 1000);
		bed.run(at("2026-10-31 23:00"), 4000);
		bed.run(at("2026-10-31 23:15"), 1200);
		assert.equal(bed.values.peakW, 1200);
	});

	for (const [what, from, to, month] of [
		["forward", "2026-03-29 00:30", "2026-03-29 01:30", "2026-03"],
		["back", "2026-10-25 00:00", "2026-10-25 02:00", "2026-10"],
	] as const) {
		it(`has quarter hours of 15 minutes when the clocks go ${what}`, () => {
			begin(from);
			const means: number[] = [];
			for (let startS = at(from), power = 1000; startS < at(to); startS += 900, power += 500) {
				bed.run(startS + 900, power);
				means.push(bed.values.peakW);
			}
			assert.deepEqual(
				means,
				means.map((_, index) => 1000 + index * 500),
				month,
			);
			// All are of the same day, so only the highest one is kept.
			assert.equal(bed.highest.length, 1);
		});
	}

	it("continues in the middle of a quarter hour after a restart, from the history's reading near its beginning", () => {
		begin("2026-11-20 06:00");
		bed.run(at("2026-11-20 06:15"), 1000);
		bed.run(at("2026-11-20 06:20"), 6000);
		bed.restart();
		assert.equal(bed.values.peakW, 1000, "the peak is there before the first reading");
		bed.run(at("2026-11-20 06:24"), 6000);
		assert.equal(bed.values.meanW, 6000);
		bed.run(at("2026-11-20 06:30"), 6000);
		assert.deepEqual(bed.highest, [[at("2026-11-20 06:15"), 6000]]);
	});

	it("drops the quarter hour of a restart if the history has no reading near its beginning", () => {
		begin("2026-11-20 06:00");
		bed.run(at("2026-11-20 06:14"), 1000);
		bed.powerW = 9000;
		bed.wait(at("2026-11-20 06:20"));
		bed.restart();
		bed.run(at("2026-11-20 06:30"), 9000);
		assert.ok(Number.isNaN(bed.values.peakW));
		bed.run(at("2026-11-20 06:45"), 500);
		assert.equal(bed.values.peakW, 500);
	});

	it("includes only the last two days of the history when it is turned on", () => {
		begin("2026-11-18 12:00");
		bed.run(at("2026-11-18 12:15"), 5000);
		bed.run(at("2026-11-20 12:00"), 300, 300);
		bed.storage.delete(PEAKS_KEY);
		bed.restart();
		bed.run(at("2026-11-20 12:05"), 300, 300);
		assert.equal(bed.values.peakW, 5000);
	});

	it("writes flash only when the highest quarter hours change", () => {
		begin("2026-11-20 06:00");
		let writes = 0;
		const { storage } = bed;
		const set = storage.set.bind(storage);
		storage.set = (key, value) => {
			if (key === PEAKS_KEY) writes++;
			set(key, value);
		};
		bed.run(at("2026-11-20 06:30"), 1000);
		assert.equal(writes, 1);
		bed.run(at("2026-11-20 09:00"), 900);
		assert.equal(writes, 1);
		bed.run(at("2026-11-20 09:15"), 1100);
		assert.equal(writes, 2);
	});

	it("drops the running quarter hour after a counter's reset and an exchange of the meter", () => {
		for (const change of [
			() => {
				bed.counterWh = 0;
			},
			() => {
				bed.counterWh += 500_000;
				bed.meter = { id: "OTHER" };
			},
		]) {
			begin("2026-11-20 06:00");
			bed.run(at("2026-11-20 06:05"), 2000);
			change();
			bed.run(at("2026-11-20 06:15"), 2000);
			assert.ok(Number.isNaN(bed.values.peakW));
			bed.run(at("2026-11-20 06:30"), 2500);
			assert.deepEqual(bed.highest, [[at("2026-11-20 06:15"), 2500]]);
		}
	});

	it("drops the running quarter hour when the clock is set, and continues with the next one", () => {
		begin("2026-11-20 06:00");
		bed.run(at("2026-11-20 06:05"), 2000);
		bed.wait(at("2026-11-20 06:05:10"));
		bed.setClock(at("2026-11-20 06:07"));
		bed.run(at("2026-11-20 06:14"), 2000);
		assert.ok(Number.isNaN(bed.values.meanW));
		bed.run(at("2026-11-20 06:15"), 2000);
		assert.ok(Number.isNaN(bed.values.peakW));
		bed.run(at("2026-11-20 06:30"), 2100);
		assert.deepEqual(bed.highest, [[at("2026-11-20 06:15"), 2100]]);
	});

	it("drops the running quarter hour when the clock is set back by minutes, even after a restart", () => {
		begin("2026-11-20 05:45");
		bed.run(at("2026-11-20 06:05"), 2000);
		bed.setClock(at("2026-11-20 05:50"));
		bed.run(at("2026-11-20 06:12"), 2000);
		bed.restart();
		bed.run(at("2026-11-20 06:45"), 2000);
		assert.deepEqual(bed.highest, [[at("2026-11-20 05:45"), 2000]]);
	});

	it("drops peaks of the future when the clock is set back by months", () => {
		begin("2027-03-20 06:00");
		bed.run(at("2027-03-20 06:15"), 9000);
		assert.equal(bed.values.peakW, 9000);
		bed.setClock(at("2026-11-20 06:02"));
		bed.run(at("2026-11-20 06:30"), 1000);
		assert.deepEqual(bed.highest, [[at("2026-11-20 06:15"), 1000]]);
	});

	it("has no values while the clock isn't set, and ignores readouts that are simulated, damaged, or lack the counter", () => {
		bed = new Bed(FLANDERS, ZONE, at("2026-11-20 06:00"));
		bed.restart(undefined);
		bed.take(readoutOf("1.8.0(1.000*kWh)\r\n", 0));
		assert.deepEqual(bed.values, { peakW: Number.NaN, meanW: Number.NaN, forecastW: Number.NaN });
		begin("2026-11-20 06:00");
		for (const [timeS, lines, status] of [
			[at("2026-11-20 06:05"), "1.8.0(1.000*kWh)\r\n", STATUS_NONE],
			[at("2026-11-20 06:06"), "1.8.0(1.000*kWh)\r\n", STATUS_CHECK_WRONG],
			[at("2026-11-20 06:07"), "1.7.0(1.000*kW)\r\n", 1],
		] as const) {
			bed.wait(timeS);
			bed.take(readoutOf(lines, timeS, { status }));
		}
		bed.run(at("2026-11-20 06:15"), 1800);
		assert.equal(bed.values.peakW, 960);
	});

	it("ignores a stored record of another shape, and a damaged one", () => {
		begin("2026-11-20 06:00");
		bed.run(at("2026-11-20 06:15"), 3000);
		const stored = bed.storage.get(PEAKS_KEY)!;
		bed.shape = { minutes: 15, count: 3 };
		bed.restart();
		assert.ok(Number.isNaN(bed.values.peakW));
		bed.shape = FLANDERS;
		bed.storage.set(PEAKS_KEY, stored.subarray(1));
		bed.restart();
		assert.ok(Number.isNaN(bed.values.peakW));
	});
});
