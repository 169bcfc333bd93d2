/** The history: stored readings, and the periods computed from them. */
import assert from "node:assert/strict";
import { STATUS_CHECK_WRONG, STATUS_CUT } from "../../modules/readout/readout.js";
import { QUARTERS } from "../../modules/time/calendar.js";
import { expectFaults } from "../faults.js";
import { at, type Level, linesOf, type Period, readoutOf, Unit } from "./unit.js";

const QUARTER = 900;
const HOUR = 3600;
const DAY = 86_400;

/** Periods in short: start and end in UTC, import, marks. */
function short(periods: readonly Period[]): string[] {
	const text = (timeS: number) => new Date(timeS * 1000).toISOString().slice(5, 19).replace("T", " ");
	return periods.map(({ start, end, amounts, marks }) =>
		`${text(start)} ${text(end)} ${amounts.import ?? "-"} ${marks}`.trim(),
	);
}

describe("The history", () => {
	let unit: Unit;

	beforeEach(() => {
		unit = new Unit("");
	});
	afterEach(() => {
		assert.deepEqual(unit.flash.mistakes, []);
	});

	/** Adds a reading every `stepS` seconds between two times, with an import of 1 Wh a minute. */
	function run(from: number, to: number, stepS = QUARTER, lateS = 3): void {
		for (let timeS = from; timeS <= to; timeS += stepS)
			unit.read(timeS + lateS, { import: Math.floor((timeS - at("2026-11-20")) / 60) + 1_000_000 });
	}

	it("is empty at first", () => {
		for (const level of ["quarters", "hours", "days", "months"] as const) assert.deepEqual(unit.periods(level), []);
	});

	it("has no period after the first reading", () => {
		unit.read(at("2026-11-20 06:00:03"), { import: 5 });
		assert.deepEqual(unit.periods("quarters"), []);
	});

	it("computes quarter hours, hours, days and months from readings that are a little late", () => {
		run(at("2026-11-20 06:00"), at("2026-11-20 08:15"));
		const quarters = short(unit.periods("quarters"));
		assert.equal(quarters.length, 9);
		assert.equal(quarters[0], "11-20 06:00:00 11-20 06:15:00 15");
		assert.equal(quarters[8], "11-20 08:00:00 11-20 08:15:00 15");
		assert.deepEqual(short(unit.periods("hours")), [
			"11-20 06:00:00 11-20 07:00:00 60",
			"11-20 07:00:00 11-20 08:00:00 60",
			"11-20 08:00:00 11-20 08:15:03 15 partial",
		]);
		assert.deepEqual(short(unit.periods("days")), ["11-20 06:00:03 11-20 08:15:03 135 partial"]);
		assert.deepEqual(short(unit.periods("months")), ["11-20 06:00:03 11-20 08:15:03 135 partial"]);
	});

	it("returns only periods that begin in the requested time", () => {
		run(at("2026-11-20 06:00"), at("2026-11-20 10:15"));
		const hours = unit.periods("hours", at("2026-11-20 07:00"), at("2026-11-20 09:00"));
		assert.deepEqual(short(hours), ["11-20 07:00:00 11-20 08:00:00 60", "11-20 08:00:00 11-20 09:00:00 60"]);
		assert.deepEqual(unit.periods("hours", at("2026-11-20 07:00:01"), at("2026-11-20 08:00")), []);
	});

	describe("of gas behind an electricity meter", () => {
		/** A reading every `stepS` seconds. The gas meter counts 100 l in each interval, and is read at its end. */
		const runGas = (from: number, to: number, stepS: number, { intervalS = HOUR, delayS = 20, season = "W" } = {}) => {
			const local = (timeS: number) => new Date((timeS + (season === "S" ? HOUR : 0)) * 1000).toISOString();
			const stamp = (timeS: number) => `${local(timeS).slice(2, 19).replace(/\D/g, "")}${season}`;
			for (let timeS = from; timeS <= to; timeS += stepS) {
				const readS = Math.floor((timeS - delayS) / intervalS) * intervalS;
				const liters = 1000 + (Math.floor((readS - from) / intervalS) + 1) * 100;
				const lines =
					`0-0:1.0.0(${stamp(timeS)})\r\n1-0:1.8.0(${(1000 + (timeS - from) / 3600).toFixed(3)}*kWh)\r\n` +
					`0-1:24.1.0(003)\r\n0-1:24.2.1(${stamp(readS)})(${(liters / 1000).toFixed(3)}*m3)\r\n`;
				unit.history.whenMeasured(readoutOf(lines, timeS));
				unit.time.advance(1000);
			}
		};
		const gasOf = (level: Level) =>
			unit
				.periods(level)
				.filter(({ marks }) => marks === "")
				.map(({ start, amounts }) => `${new Date(start * 1000).toISOString().slice(11, 16)} ${amounts.gas}`);

		it("is in the hour that the time of its reading says, though it comes seconds or minutes later", () => {
			for (const delayS of [0, 20, 400]) {
				for (const season of ["W", "S"]) {
					unit = new Unit("");
					runGas(at("2026-11-20 06:00:05"), at("2026-11-20 09:20"), 10, { delayS, season });
					assert.deepEqual(gasOf("hours"), ["06:00 100", "07:00 100", "08:00 100"], `${delayS} ${season}`);
					const quarters = gasOf("quarters").slice(0, 4);
					assert.deepEqual(quarters, ["06:00 0", "06:15 0", "06:30 0", "06:45 100"], `${delayS} ${season}`);
				}
			}
		});

		it("is in the right quarter hour if it is read every five minutes", () => {
			runGas(at("2026-11-20 06:00:05"), at("2026-11-20 07:10"), 10, { intervalS: 300, delayS: 200 });
			assert.deepEqual(gasOf("quarters"), ["06:00 300", "06:15 300", "06:30 300", "06:45 300"]);
		});

		it("is in the right hour if the meter is read only every quarter of an hour", () => {
			runGas(at("2026-11-20 06:00:05"), at("2026-11-20 09:20"), QUARTER);
			assert.deepEqual(gasOf("hours"), ["06:00 100", "07:00 100", "08:00 100"]);
		});

		it("does not delay the electricity for longer than twenty minutes, nor beyond an orderly end", () => {
			const start = at("2026-11-20 06:00:05");
			runGas(start, start + HOUR, QUARTER);
			assert.equal(unit.history.held?.timeS, start + HOUR);
			assert.equal(unit.history.lastUtcMs, (start + HOUR - QUARTER) * 1000);
			assert.equal(unit.history.isBusy, false);
			unit.time.advance(20 * 60_000);
			assert.equal(unit.history.lastUtcMs, (start + HOUR) * 1000);
			runGas(start + 2 * HOUR, start + 2 * HOUR, QUARTER);
			assert.equal(unit.history.lastUtcMs, (start + HOUR) * 1000);
			unit.history.whenStopping();
			assert.equal(unit.history.lastUtcMs, (start + 2 * HOUR) * 1000);
		});

		it("is taken as it is if its meter has not been read for hours", () => {
			const start = at("2026-11-20 06:00:05");
			runGas(start, start, QUARTER, { delayS: 2 * HOUR });
			assert.equal(unit.history.held, undefined);
			assert.equal(unit.history.lastUtcMs, start * 1000);
		});
	});

	it("uses its flash sectors in turn, so that none wears out before the others", () => {
		for (let i = 0; i < 10_000; i++) unit.read(at("2026-01-01") + i * QUARTER, { import: i * 100 });
		const { erases } = unit.partition;
		assert.ok(Math.min(...erases) > 3, erases.join());
		assert.ok(Math.max(...erases) - Math.min(...erases) <= 1, erases.join());
	});

	it("keeps the first reading of each quarter hour", () => {
		for (let i = 0; i < 100; i++) unit.read(at("2026-11-20 06:00") + i * 60, { import: 1000 + i });
		// One write for each of the seven quarters, and one erase for the first sector.
		assert.equal(unit.flash.operations, 8);
		assert.deepEqual(
			unit.periods("quarters").map(({ amounts }) => amounts.import),
			[15, 15, 15, 15, 15, 15],
		);
	});

	it("uses the reading nearest to a boundary, and interpolates if none is near", () => {
		// Readings 20 s before and 40 s after eight o'clock, then 5 minutes before and after nine.
		unit.read(at("2026-11-20 07:00:00"), { import: 0 });
		unit.read(at("2026-11-20 07:59:40"), { import: 600 });
		unit.read(at("2026-11-20 08:00:40"), { import: 610 });
		unit.read(at("2026-11-20 08:55:00"), { import: 1200 });
		unit.read(at("2026-11-20 09:05:00"), { import: 1300 });
		assert.deepEqual(short(unit.periods("hours")), [
			"11-20 07:00:00 11-20 08:00:00 600",
			"11-20 08:00:00 11-20 09:00:00 650 interpolated",
			"11-20 09:00:00 11-20 09:05:00 50 partial interpolated",
		]);
		assert.equal(unit.sum("quarters"), 1300);
	});

	it("uses a reading as that of a boundary if it is within a fifteenth of the period, and within 15 minutes", () => {
		const cases = [
			["quarters", 60],
			["hours", 240],
			["days", 900],
			["months", 900],
		] as const;
		for (const [level, tolerance] of cases) {
			for (const late of [tolerance, tolerance + 1]) {
				unit = new Unit("");
				const boundary = at("2026-12-01");
				const length = { quarters: QUARTER, hours: HOUR, days: DAY, months: 30 * DAY }[level];
				unit.read(boundary - length, { import: 0 });
				unit.read(boundary + late, { import: length + late });
				const marks = unit.periods(level)[0].marks;
				assert.equal(marks, late > tolerance ? "interpolated" : "", `${level}: ${late} s late`);
			}
		}
	});

	it("shows a gap as one period with everything that was counted in it", () => {
		run(at("2026-11-20 06:00"), at("2026-11-20 07:00"));
		run(at("2026-11-20 10:20"), at("2026-11-20 12:05"), QUARTER);
		assert.deepEqual(short(unit.periods("hours")), [
			"11-20 06:00:00 11-20 07:00:00 60",
			"11-20 07:00:00 11-20 11:00:00 239 interpolated gap",
			"11-20 11:00:00 11-20 12:00:00 60 interpolated",
			"11-20 12:00:00 11-20 12:05:03 6 partial interpolated",
		]);
		for (const level of ["quarters", "hours", "days"] as const) assert.equal(unit.sum(level), 365, level);
	});

	it("interpolates midnight if the meter is read once a day at noon", () => {
		for (let day = 0; day < 4; day++) unit.read(at("2026-11-20 12:00:05") + day * DAY, { import: day * 2400 });
		assert.deepEqual(short(unit.periods("days")), [
			"11-20 12:00:05 11-21 00:00:00 1199 partial interpolated",
			"11-21 00:00:00 11-22 00:00:00 2400 interpolated",
			"11-22 00:00:00 11-23 00:00:00 2400 interpolated",
			"11-23 00:00:00 11-23 12:00:05 1201 partial interpolated",
		]);
	});

	it("follows the local time: days of 23 and 25 hours, and the hour that occurs twice", () => {
		unit = new Unit("Europe/Berlin");
		for (const [from, hours] of [
			["2026-03-28 23:00", 23],
			["2026-10-24 22:00", 25],
		] as const) {
			run(at(from), at(from) + (hours + 1) * HOUR);
			const day = unit.periods("days", at(from)).at(0)!;
			assert.equal(day.start, at(from));
			assert.equal(day.end - day.start, hours * HOUR);
			assert.equal(day.amounts.import, hours * 60);
			const inside = unit.periods("hours", at(from), day.end);
			assert.equal(inside.length, hours);
			assert.ok(inside.every(({ amounts, marks }) => amounts.import === 60 && marks === ""));
		}
	});

	it("applies a new time zone to the earlier readings that are still stored, too", () => {
		run(at("2026-11-19 22:00"), at("2026-11-21 02:00"));
		const [utc] = unit.periods("days", at("2026-11-20"));
		assert.deepEqual([utc.start, utc.end], [at("2026-11-20"), at("2026-11-21")]);
		unit.zone.select("Asia/Kathmandu");
		const [kathmandu] = unit.periods("days", at("2026-11-19 18:15"));
		assert.deepEqual([kathmandu.end, kathmandu.amounts.import], [at("2026-11-20 18:15"), 1215]);
	});

	it("stores no readout without time, with a wrong check or without registers", () => {
		const lines = linesOf({ import: 1 });
		unit.record(readoutOf(lines, 0));
		unit.record(readoutOf(lines, at("2026-11-20"), { status: STATUS_CHECK_WRONG }));
		unit.record(readoutOf("F.F(00)\r\n16.7.0(1.2*kW)\r\n", at("2026-11-20")));
		assert.equal(unit.flash.operations, 0);
	});

	it("stores truncated readouts", () => {
		run(at("2026-11-20 06:00"), at("2026-11-20 06:00"));
		unit.record(readoutOf(linesOf({ import: 1_000_400 }), at("2026-11-20 06:15"), { status: STATUS_CUT }));
		assert.equal(unit.sum("hours"), 40);
	});

	it("waits up to an hour for a register that readouts lack, then continues without it", () => {
		const both = (text: string, export_: number) => unit.read(at(text), { import: 0, export: export_ });
		both("2026-11-20 06:00", 100);
		unit.read(at("2026-11-20 06:15"), { import: 0 });
		both("2026-11-20 06:16", 116);
		assert.deepEqual(
			unit.periods("quarters").map(({ amounts, marks }) => [amounts.export, marks]),
			[[16, ""], ...[]],
		);
		for (const time of ["06:30", "07:00", "07:16", "07:30"]) unit.read(at(`2026-11-20 ${time}`), { import: 10 });
		const hours = unit.periods("hours");
		assert.equal(hours[0].amounts.export, 16);
		both("2026-11-20 08:00", 200);
		assert.equal(unit.sum("hours", "export"), 100);
		assert.ok(unit.periods("hours").some(({ marks }) => marks.includes("partial")));
	});

	it("marks the period in which a register returns, because it has what was counted before", () => {
		const both = (text: string, hour: number) => unit.read(at(text), { import: 100 * hour, export: 10 * hour });
		both("2026-11-20 06:00:03", 0);
		both("2026-11-20 07:00:03", 1);
		for (let hour = 8; hour < 12; hour++) unit.read(at("2026-11-20") + hour * HOUR + 3, { export: 10 * (hour - 6) });
		both("2026-11-20 12:00:03", 6);
		both("2026-11-20 13:00:03", 7);
		assert.deepEqual(short(unit.periods("hours")), [
			"11-20 06:00:00 11-20 07:00:00 100",
			...[7, 8, 9, 10].map((hour) => {
				const [from, to] = [hour, hour + 1].map((one) => String(one).padStart(2, "0"));
				return `11-20 ${from}:00:00 11-20 ${to}:00:00 - partial`;
			}),
			"11-20 11:00:00 11-20 12:00:00 500 partial",
			"11-20 12:00:00 11-20 13:00:00 100",
		]);
		assert.deepEqual(short(unit.periods("hours", at("2026-11-20 11:00"))), [
			"11-20 11:00:00 11-20 12:00:00 500 partial",
			"11-20 12:00:00 11-20 13:00:00 100",
		]);
		assert.deepEqual(short(unit.periods("days")), ["11-20 06:00:03 11-20 13:00:03 700 partial"]);
	});

	it("has no import in tariff 2 that was counted before the import", () => {
		const read = (hour: number, tariff2?: number) =>
			unit.read(at("2026-11-20") + hour * HOUR + 3, { import: 100 * hour, ...(tariff2 && { tariff2 }) });
		for (const [hour, tariff2] of [[6, 300], [7, 400], [8], [9], [10], [11, 800], [12, 850]]) read(hour, tariff2);
		assert.deepEqual(
			unit.periods("hours").map(({ amounts, marks }) => [amounts.import, amounts.tariff2, marks]),
			[
				[100, 100, ""],
				[100, undefined, "partial"],
				[100, undefined, "partial"],
				[100, undefined, "partial"],
				[100, undefined, "partial"],
				[100, 50, ""],
			],
		);
		assert.deepEqual(unit.sum("days", "tariff2"), 550);
	});

	it("includes a new register from its first reading on", () => {
		run(at("2026-11-20 06:00"), at("2026-11-20 07:00"));
		unit.read(at("2026-11-20 08:00"), { import: 1_000_600, heat: 5000 });
		unit.read(at("2026-11-20 09:00"), { import: 1_000_700, heat: 5300 });
		assert.deepEqual(
			unit.periods("hours").map(({ amounts }) => amounts.heat),
			[undefined, undefined, 300],
		);
		assert.deepEqual(unit.periods("days")[0].marks, "partial");
	});

	describe("with another meter", () => {
		beforeEach(() => run(at("2026-11-20 06:00"), at("2026-11-20 07:00")));

		/** Amount and marks of each hour after those of `beforeEach` and the exchange. */
		const later = (medium: "gas" | "water") =>
			unit
				.periods("hours")
				.slice(2)
				.map(({ amounts, marks }) => [amounts[medium], marks]);

		it("continues with the new meter's readings, and marks the exchange", () => {
			unit.read(at("2026-11-20 08:00:05"), { import: 5 }, { id: "OTHER" });
			unit.read(at("2026-11-20 09:00:05"), { import: 105 }, { id: "OTHER" });
			assert.deepEqual(short(unit.periods("hours")), [
				"11-20 06:00:00 11-20 07:00:00 60",
				"11-20 07:00:00 11-20 08:00:00 - partial changed",
				"11-20 08:00:00 11-20 09:00:00 100",
			]);
			assert.equal(unit.sum("days"), 160);
		});
		it("does not compare the gas meters on two M-Bus channels, of which one can't be read for a while", () => {
			const read = (time: string, first: string, second: string) => {
				const gas = (channel: number, reading: string) =>
					`0-${channel}:24.1.0(003)\r\n0-${channel}:24.2.1(${reading}*m3)\r\n`;
				unit.record(readoutOf(`1.8.0(2000.000*kWh)\r\n${gas(1, first)}${gas(2, second)}`, at(`2026-11-20 ${time}`)));
			};
			read("08:00:05", "261120090000W)(00100.000", "261120090000W)(00700.000");
			read("09:00:05", "261120100000W)(00101.000", "261120100000W)(00702.000");
			read("10:00:05", "632525252525S)(00000.000", "261120110000W)(00704.000");
			read("11:00:05", "632525252525S)(00000.000", "261120120000W)(00706.000");
			read("12:00:05", "261120130000W)(00107.000", "261120130000W)(00708.000");
			read("13:00:05", "261120140000W)(00108.000", "261120140000W)(00710.000");
			assert.deepEqual(later("gas"), [
				[1000, ""],
				[undefined, "partial changed"],
				[2000, ""],
				[undefined, "partial changed"],
				[1000, ""],
			]);
			unit.restart();
			read("14:00:05", "632525252525S)(00000.000", "261120150000W)(00712.000");
			assert.equal(unit.periods("hours").at(-1)?.amounts.gas, undefined);
		});
		it("knows the exchange of a meter on M-Bus by its number, even if the new one has counted more", () => {
			const read = (time: string, number: string, reading: string) =>
				unit.record(
					readoutOf(
						`1.8.0(2000.000*kWh)\r\n0-1:96.1.0(${number})\r\n8-1:1.0.0(${reading}*m3)`,
						at(`2026-11-20 ${time}`),
					),
				);
			read("08:00:05", "10000001", "00100.000");
			read("09:00:05", "10000001", "00100.100");
			read("10:00:05", "10000002", "00107.000");
			read("11:00:05", "10000002", "00107.200");
			assert.deepEqual(later("water"), [
				[100, ""],
				[undefined, "partial changed"],
				[200, ""],
			]);
		});
		it("detects another meter with the same identification by a lower reading", () => {
			unit.read(at("2026-11-20 07:15:05"), { import: 5 });
			unit.read(at("2026-11-20 07:30:05"), { import: 105 });
			assert.deepEqual(
				unit
					.periods("quarters")
					.slice(4)
					.map(({ amounts, marks }) => [amounts.import, marks]),
				[
					[undefined, "partial changed"],
					[100, ""],
				],
			);
		});
		it("identifies a meter by its number rather than its identification, which may change with the protocol", () => {
			const first = { serial: "123", id: "A" };
			unit = new Unit("");
			unit.read(at("2026-11-20 06:00"), { import: 100 }, first);
			unit.read(at("2026-11-20 06:15"), { import: 110 }, { serial: "123", id: "B" });
			unit.read(at("2026-11-20 06:30"), { import: 120 }, { serial: "124", id: "B" });
			assert.deepEqual(
				unit.periods("quarters").map(({ amounts, marks }) => [amounts.import, marks]),
				[
					[10, ""],
					[undefined, "partial changed"],
				],
			);
		});
		it("remembers the meter over a restart", () => {
			unit.restart();
			unit.read(at("2026-11-20 07:15"), { import: 1_000_500 });
			unit.restart();
			unit.read(at("2026-11-20 07:30"), { import: 2_000_000 }, { id: "OTHER" });
			assert.match(unit.periods("quarters").at(-1)!.marks, /changed/);
			assert.equal(unit.periods("quarters").at(-2)!.marks, "");
		});
	});

	it("continues when a register has overflowed its digits", () => {
		unit.read(at("2026-11-20 06:00"), { import: 999_999_000, export: 7 });
		unit.read(at("2026-11-20 07:00"), { import: 500, export: 8 });
		unit.restart();
		unit.read(at("2026-11-20 08:00"), { import: 700, export: 9 });
		assert.deepEqual(
			unit.periods("hours").map(({ amounts, marks }) => [amounts.import, amounts.export, marks]),
			[
				[1500, 1, "wrapped"],
				[200, 1, ""],
			],
		);
	});

	describe("with a clock that is set back", () => {
		it("waits for the old time if the difference is small", () => {
			run(at("2026-11-20 06:00"), at("2026-11-20 07:00"));
			const { operations } = unit.flash;
			unit.read(at("2026-11-20 06:20"), { import: 1_000_430 });
			unit.read(at("2026-11-20 07:10"), { import: 1_000_430 });
			assert.equal(unit.flash.operations, operations);
			unit.read(at("2026-11-20 07:15"), { import: 1_000_435 });
			assert.equal(unit.sum("quarters"), 75);
		});
		it("sums up readings that are now in the future, and keeps all earlier ones", () => {
			run(at("2026-11-20 06:00"), at("2026-11-20 07:00"));
			// The clock was in a wrong year for two hours.
			unit.read(at("2031-11-20 07:15"), { import: 1_000_435 });
			unit.read(at("2031-11-20 08:15"), { import: 1_000_495 });
			unit.read(at("2031-11-20 09:15"), { import: 1_000_555 });
			unit.read(at("2026-11-20 09:30:03"), { import: 1_000_570 });
			unit.restart();
			unit.read(at("2026-11-20 10:00:03"), { import: 1_000_600 });
			assert.equal(unit.sum("hours"), 240);
			assert.deepEqual(short(unit.periods("hours")), [
				"11-20 06:00:00 11-20 07:00:00 60",
				"11-20 07:00:00 11-20 10:00:00 180 gap",
			]);
			assert.equal(unit.periods("quarters").length, 5 + 1);
		});
		it("keeps correct sums if it is set back by weeks, to a time whose readings are already compacted", () => {
			run(at("2026-09-20"), at("2026-11-20"));
			const before = unit.periods("days", 0, at("2026-11-04"));
			const importWh = (at("2026-11-20") - at("2026-09-20")) / 60;
			unit.read(at("2026-11-05 00:00:03"), { import: 1_000_000 + 100 });
			assert.deepEqual(unit.periods("days", 0, at("2026-11-04")), before);
			assert.equal(unit.sum("days"), importWh + 100);
			unit.restart();
			for (let i = 1; i < 3000; i++) unit.read(at("2026-11-05 00:00:03") + i * QUARTER, { import: 1_000_100 + i });
			assert.deepEqual(unit.periods("days", 0, at("2026-11-04")), before);
			assert.equal(unit.sum("days"), importWh + 100 + 2999);
		});
		it("starts again if all readings are in the future", () => {
			run(at("2031-11-20 06:00"), at("2031-11-20 07:00"));
			unit.read(at("2026-11-20 06:00"), { import: 1 });
			unit.read(at("2026-11-20 07:00"), { import: 11 });
			assert.deepEqual(short(unit.periods("hours")), ["11-20 06:00:00 11-20 07:00:00 10"]);
		});
	});

	it("keeps increases beyond 32 bits exactly", () => {
		unit.read(at("2026-11-20 06:00"), { import: 10_000_000_000 });
		unit.read(at("2026-11-20 07:00"), { import: 15_000_000_123 });
		assert.equal(unit.sum("hours"), 5_000_000_123);
		unit.restart();
		unit.read(at("2026-11-20 08:00"), { import: 15_000_000_124 });
		assert.equal(unit.sum("hours"), 5_000_000_124);
	});

	it("is the same after a restart", () => {
		run(at("2026-11-20 06:00"), at("2026-11-25 06:00"));
		const before = (["quarters", "hours", "days", "months"] as const).map((level) => unit.periods(level));
		unit.restart();
		assert.deepEqual(
			(["quarters", "hours", "days", "months"] as const).map((level) => unit.periods(level)),
			before,
		);
	});

	it("does not keep a wrong value in the first readout after a start", () => {
		for (const wrong of [6_000_000, 5]) {
			unit = new Unit("");
			run(at("2026-11-20 06:00"), at("2026-11-20 06:15"));
			unit.restart();
			unit.read(at("2026-11-20 06:30:03"), { import: wrong });
			unit.read(at("2026-11-20 06:30:13"), { import: 1_000_390 });
			run(at("2026-11-20 06:45"), at("2026-11-20 07:00"));
			assert.deepEqual(
				unit.periods("quarters").map(({ amounts, marks }) => [amounts.import, marks]),
				[15, 15, 15, 15].map((wh) => [wh, ""]),
				`${wrong}`,
			);
		}
	});

	it("keeps a jump after a start if the next readout agrees, or an hour after the last one", () => {
		for (const time of ["06:30:13", "07:30:03"]) {
			unit = new Unit("");
			run(at("2026-11-20 06:00"), at("2026-11-20 06:15"));
			unit.restart();
			if (time < "07") unit.read(at("2026-11-20 06:30:03"), { import: 6_000_000 });
			unit.read(at(`2026-11-20 ${time}`), { import: 6_000_000 });
			assert.equal(unit.sum("days"), 4_999_640, time);
		}
	});

	it("reports flash that refuses writes, and continues when it accepts them again", () => {
		run(at("2026-11-20 06:00"), at("2026-11-20 07:00"));
		expectFaults(/^fault: history: Error: the flash refuses/);
		unit.flash.refusals = 1;
		unit.read(at("2026-11-20 07:15:03"), { import: 1_000_435 });
		unit.read(at("2026-11-20 07:16:03"), { import: 1_000_436 });
		assert.equal(unit.sum("quarters"), 76);
	});

	it("makes a cursor throw, instead of returning wrong periods, if readings were compacted while it was in use", () => {
		run(at("2026-11-20 06:00"), at("2026-11-22 06:00"));
		const cursor = unit.history.periods(QUARTERS, 0, 2 ** 32);
		assert.ok(cursor.next());
		run(at("2026-11-22 06:15"), at("2026-11-22 12:00"));
		assert.ok(cursor.next());
		// After this each sector has been reused.
		run(at("2026-11-22 12:15"), at("2027-01-20 12:00"));
		assert.throws(() => {
			while (cursor.next());
		}, /compacted while it was read/);
	});

	it("stores nothing after a start that can't complete a factory reset, but works", () => {
		run(at("2026-11-20 06:00"), at("2026-11-20 08:00"));
		unit.flash.cutPowerAt(1);
		assert.throws(() => unit.history.whenErasing());
		expectFaults(/^fault: history: Error: the flash refuses/);
		unit.flash.refusals = 1;
		unit.restart();
		unit.read(at("2026-11-20 09:00"), { import: 2_000_000 });
		unit.restart();
		assert.deepEqual(unit.periods("hours"), []);
		assert.deepEqual(unit.storage.keys(), []);
	});

	it("erases everything at a factory reset, even if the power is cut in the middle", () => {
		run(at("2026-11-20 06:00"), at("2026-11-20 08:00"));
		unit.flash.cutPowerAt(1);
		assert.throws(() => unit.history.whenErasing());
		unit.read(at("2026-11-20 08:15"), { import: 1_000_435 });
		unit.restart();
		assert.ok(unit.partition.bytes.every((byte) => byte === 0xff));
		assert.deepEqual(unit.storage.keys(), []);
		run(at("2026-11-20 09:00"), at("2026-11-20 10:00"));
		assert.equal(unit.sum("hours"), 60);
	});
});
