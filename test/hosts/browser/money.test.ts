import assert from "node:assert/strict";
import { microOf } from "../../../hosts/browser/kit/csv.js";
import {
	activeTariff,
	type Money,
	moneyOf,
	type Pricing,
	tariffsOf,
	totalOf,
} from "../../../hosts/browser/kit/money.js";
import { type Piece, piecesOf } from "../../../hosts/browser/kit/periods.js";
import type { Period, PricePeriod, Reading } from "../../../hosts/browser/kit/replies.js";
import { momentOf, stampOf } from "../../../hosts/browser/kit/wall-clock.js";

const BERLIN = "Europe/Berlin";
const utc = (text: string) => Date.parse(`${text}Z`);

function piece(from: string, to: string, import_wh: number, export_wh = 0): Piece {
	const start = momentOf(utc(from), BERLIN);
	const period: Period = { start, end: momentOf(utc(to), BERLIN), localtime: from, import_wh, export_wh };
	return { period, fromMs: utc(from), toMs: utc(to) };
}
const day = (date: string, import_wh: number, export_wh = 0) => {
	const next = new Date(Date.parse(date) + 86_400_000).toISOString().slice(0, 10);
	return piece(`${date}T00:00:00`, `${next}T00:00:00`, import_wh, export_wh);
};
const month = (from: string, to: string, import_wh: number, export_wh = 0) =>
	piece(`${from}T00:00:00`, `${to}T00:00:00`, import_wh, export_wh);

const PRICE: PricePeriod = { from: "2026-01-01", import_micro: 320_000, export_micro: 80_000 };

function money(pieces: readonly Piece[], periods: readonly PricePeriod[], tariff2?: number, withBase = true): Money {
	const found = moneyOf(pieces, { periods, tariff2 }, withBase);
	assert.ok(found !== undefined);
	for (const micro of [found.imported, found.exported, found.base]) assert.ok(Number.isInteger(micro), `${micro}`);
	return found;
}

describe("hosts/browser/kit/money", () => {
	it("subtracts the cost of the import and adds the yield of the export, in whole millionths", () => {
		const { imported, exported, base, isEstimated, sinceMs } = money([day("2026-05-01", 12_345, 6_789)], [PRICE]);
		assert.deepEqual([imported, exported, base], [-3_950_400, 543_120, 0]);
		assert.deepEqual([isEstimated, sinceMs], [false, undefined]);
	});
	it("has a positive total if the export yields more than the import costs", () => {
		assert.equal(totalOf(money([day("2026-05-01", 1_000, 10_000)], [PRICE])), 480_000);
		assert.equal(totalOf(money([day("2026-05-01", 10_000, 1_000)], [PRICE])), -3_120_000);
	});
	it("is 0, and not negative zero, at a price of zero or without consumption", () => {
		const free = { from: "2026-01-01", import_micro: 0 };
		for (const total of [
			totalOf(money([day("2026-05-01", 5_000, 5_000)], [free])),
			totalOf(money([day("2026-05-01", 0)], [PRICE])),
		])
			assert.ok(Object.is(total, 0), `${total}`);
	});
	describe("by the clock", () => {
		const night = { from: PRICE.from, import_micro: 200_000, weekdays: 127, start_minute: 1320, end_minute: 360 };
		const quarter = (time: string, import_wh: number) => {
			const from = `2026-05-01T${time}:00`;
			return piece(from, new Date(utc(from) + 900_000).toISOString().slice(0, 19), import_wh);
		};
		const hours = (date: string) =>
			Array.from({ length: 24 }, (_, hour) => {
				const from = `${date}T${String(hour).padStart(2, "0")}:00:00`;
				return piece(from, new Date(utc(from) + 3_600_000).toISOString().slice(0, 19), 1000);
			});
		const cost = (pieces: readonly Piece[], more: Partial<Pricing>) =>
			moneyOf(pieces, { periods: [PRICE], tariff2: undefined, ...more }, true);

		it("has the price of the window in its quarter hours, past midnight too; the last window counts", () => {
			const periods = [PRICE, night];
			for (const [time, micro] of [
				["21:45", 320],
				["22:00", 200],
				["00:00", 200],
				["05:45", 200],
				["06:00", 320],
			] as const)
				assert.equal(cost([quarter(time, 1000)], { periods })?.imported, -1000 * micro, time);
			// 2026-05-01 is a Friday.
			const friday = { ...night, import_micro: 1000, weekdays: 16 };
			assert.equal(cost([quarter("23:00", 1000)], { periods: [...periods, friday] })?.imported, -1000);
			assert.equal(cost([quarter("23:00", 1000)], { periods: [friday, ...periods] })?.imported, -200_000);
			const monday = { ...friday, weekdays: 1 };
			assert.equal(cost([quarter("23:00", 1000)], { periods: [...periods, monday] })?.imported, -200_000);
		});
		it("knows the cost of a day from its hours only, and sums up from the first known day on", () => {
			const periods = [PRICE, night];
			const days = [day("2026-05-01", 24_000), day("2026-05-02", 24_000)];
			assert.equal(cost(days, { periods }), undefined);
			const known = cost(days, { periods, fine: hours("2026-05-02") });
			assert.equal(known?.imported, -(8 * 200_000 + 16 * 320_000));
			assert.deepEqual([known?.sinceMs, known?.isEstimated], [utc("2026-05-02T00:00:00"), false]);
			const early = { ...night, end_minute: 375 };
			assert.equal(cost(days, { periods: [PRICE, early], fine: hours("2026-05-02") })?.isEstimated, true);
		});
		it("adds the dynamic price of the time, and has no sum before the last time without one", () => {
			const start = momentOf(utc("2026-05-01T10:00:00"), BERLIN);
			const prices = [100_000, null, -400_000].map((import_micro) => ({ import_micro }));
			const more = { periods: [{ ...PRICE, dynamic: true }], dynamic: { start, step_minutes: 15 as const, prices } };
			const of = (...times: string[]) =>
				cost(
					times.map((time) => quarter(time, 1000)),
					more,
				);
			assert.equal(of("10:00")?.imported, -420_000);
			assert.equal(of("10:15"), undefined);
			assert.equal(of("09:45"), undefined);
			const all = of("10:00", "10:15", "10:30");
			assert.deepEqual([all?.imported, all?.sinceMs], [80_000, utc("2026-05-01T10:30:00")]);
			assert.equal(of("10:00", "10:45"), undefined);
		});
		it("is of one medium, with its own days and base charge", () => {
			const gas: PricePeriod = { from: "2026-05-02", medium: "gas", import_micro: 1_200_000, base_micro: 31_000_000 };
			const { period, ...rest } = day("2026-05-02", 5_000);
			const both = [{ ...rest, period: { ...period, gas_l: 2500 } }];
			const found = moneyOf(both, { periods: [PRICE, gas], tariff2: undefined }, true, "gas");
			assert.deepEqual([found?.imported, found?.exported, found?.base], [-3_000_000, 0, -1_000_000]);
			assert.equal(cost(both, { periods: [PRICE, gas] })?.imported, -1_600_000);
			assert.equal(moneyOf(both, { periods: [PRICE], tariff2: undefined }, true, "gas"), undefined);
		});
	});
	it("reverses the signs at negative prices", () => {
		const negative = { from: "2026-01-01", import_micro: -20_000, export_micro: -10_000 };
		const { imported, exported } = money([day("2026-05-01", 5_000, 3_000)], [negative]);
		assert.deepEqual([imported, exported], [100_000, -30_000]);
	});
	it("uses the newest price that is valid on the day, whatever the order of the prices", () => {
		const periods = [
			{ from: "2026-05-02", import_micro: 200_000 },
			{ from: "2025-01-01", import_micro: 100_000 },
			{ from: "2026-05-03", import_micro: 400_000 },
		];
		const costs = ["2026-05-01", "2026-05-02", "2026-05-03", "2026-05-04"].map(
			(date) => money([day(date, 1_000)], periods).imported,
		);
		assert.deepEqual(costs, [-100_000, -200_000, -400_000, -400_000]);
	});
	it("changes the price within a month at the exact day if the days are known", () => {
		const periods = [PRICE, { from: "2026-05-16", import_micro: 160_000 }];
		const days = [day("2026-05-14", 1_000), day("2026-05-15", 2_000), day("2026-05-16", 4_000)];
		const sum = money(days, periods);
		assert.equal(sum.imported, -320_000 - 640_000 - 640_000);
		assert.equal(sum.isEstimated, false);
		assert.equal(
			days.reduce((total, one) => total + money([one], periods).imported, 0),
			sum.imported,
		);
	});
	it("divides a month by time if only its sum is known, loses nothing, and marks the estimate", () => {
		const periods = [
			{ from: "2026-01-01", import_micro: 310_000, export_micro: 62_000 },
			{ from: "2026-05-11", import_micro: 620_000, export_micro: 31_000 },
		];
		// 10 of 31 days at the old price.
		const { imported, exported, isEstimated } = money([month("2026-05-01", "2026-06-01", 31_000, 3_100)], periods);
		assert.deepEqual([imported, exported], [-(10 * 310_000 + 21 * 620_000), 62_000 + 65_100]);
		assert.equal(isEstimated, true);
		const same = periods.map((one) => ({ ...one, import_micro: 1_000_000 }));
		assert.equal(money([month("2026-05-01", "2026-06-01", 31_007)], same).imported, -31_007_000);
	});
	it("omits the time before the first price, and says when the price begins", () => {
		const late = [{ from: "2026-05-02", import_micro: 100_000, base_micro: 31_000_000 }];
		const { imported, base, sinceMs } = money([day("2026-05-01", 9_000), day("2026-05-02", 1_000)], late);
		assert.deepEqual([imported, base, sinceMs], [-100_000, -1_000_000, Date.UTC(2026, 4, 2)]);
		assert.equal(moneyOf([day("2026-05-01", 9_000)], { periods: late, tariff2: undefined }, true), undefined);
		assert.equal(moneyOf([day("2026-05-01", 9_000)], { periods: [], tariff2: undefined }, true), undefined);
	});
	it("divides the base charge by the days of its month or year, including leap years", () => {
		const monthly = [{ from: "2024-01-01", import_micro: 0, base_micro: 12_400_000 }];
		const yearly = [{ from: "2024-01-01", import_micro: 0, base_micro: 109_800_000, base_per: "year" as const }];
		assert.equal(money([day("2026-05-01", 0)], monthly).base, -400_000);
		assert.equal(money([day("2026-02-01", 0)], monthly).base, -Math.round(12_400_000 / 28));
		assert.equal(money([day("2024-02-29", 0)], yearly).base, -300_000);
		assert.equal(money([month("2024-01-01", "2025-01-01", 0)], yearly).base, -109_800_000);
		assert.equal(money([month("2026-01-01", "2027-01-01", 0)], yearly).base, -109_800_000);
		assert.equal(money([month("2026-02-01", "2026-04-01", 0)], monthly).base, -24_800_000);
	});
	it("changes the base charge with the price", () => {
		const periods = [
			{ from: "2026-01-01", import_micro: 0, base_micro: 31_000_000 },
			{ from: "2026-05-11", import_micro: 0, base_micro: 62_000_000 },
		];
		assert.equal(money([month("2026-05-01", "2026-06-01", 0)], periods).base, -(10 + 21 * 2) * 1_000_000);
	});
	it("charges the base charge of each day once and in full, even for partial days and days of 23 or 25 hours", () => {
		const periods = [{ from: "2026-01-01", import_micro: 0, base_micro: 31_000_000 }];
		for (const [date, hours] of [
			["2026-03-29", 23],
			["2026-10-25", 25],
		] as const) {
			const start = momentOf(utc(`${date}T00:00:00`), BERLIN);
			const quarters = piecesOf(
				Array.from({ length: hours * 4 }, (_, index) => ({
					start: start + index * 900,
					end: start + index * 900 + 900,
					localtime: stampOf(start + index * 900, BERLIN),
					import_wh: 100,
				})),
			);
			assert.equal(money(quarters, periods).base, -1_000_000, date);
			assert.equal(money(quarters.slice(0, 3), periods).base, -1_000_000, date);
			assert.ok(Object.is(money(quarters, periods, undefined, false).base, 0));
			assert.equal(money(quarters, [PRICE]).imported, -hours * 4 * 32_000);
		}
	});
	it("divides the import in the ratio of the tariff counters, and marks the estimate", () => {
		const periods = [{ ...PRICE, import_t2_micro: 200_000 }];
		const { imported, isEstimated } = money([day("2026-05-01", 10_000)], periods, 0.25);
		assert.equal(imported, -(7_500 * 320 + 2_500 * 200));
		assert.equal(isEstimated, true);
		// A meter without counters of both tariffs.
		assert.equal(money([day("2026-05-01", 10_000)], periods).imported, -3_200_000);
		const reading = (obis: string, value: number) =>
			({ obis, value1_number: value, value1_unit: "kWh", billing_period: null }) as Reading;
		assert.equal(tariffsOf([reading("1.8.1", 300), reading("1.8.2", 100)]).tariff2, 0.25);
		assert.equal(tariffsOf([reading("1.8.0", 300), reading("1.8.2", 100)]).tariff2, undefined);
		assert.equal(tariffsOf([reading("1.8.1", 0), reading("1.8.2", 0)]).tariff2, undefined);
	});
	it("is unknown if the meter counts in more tariffs than have a price", () => {
		const reading = (obis: string, value: number) =>
			({ obis, value1_number: value, value1_unit: "kWh", billing_period: null }) as Reading;
		const two = { ...PRICE, import_t2_micro: 200_000 };
		const tempo = tariffsOf([1, 2, 3, 4, 5, 6].map((e) => reading(`1.8.${e}`, 100 * e)));
		assert.equal(moneyOf([day("2026-05-01", 10_000)], { periods: [two], ...tempo }, true), undefined);
		// One price is the same in all tariffs.
		assert.equal(moneyOf([day("2026-05-01", 10_000)], { periods: [PRICE], ...tempo }, true)?.imported, -3_200_000);
		const left = tariffsOf([reading("1.8.1", 300), reading("1.8.2", 100), reading("1.8.3", 0.4)]);
		assert.equal(moneyOf([day("2026-05-01", 10_000)], { periods: [two], ...left }, true)?.isEstimated, true);
	});
	it("knows the active tariff that the meter sends", () => {
		const activeOf = (value1: string, obis = "96.14.0") =>
			activeTariff([{ obis, value1, value1_number: null, value1_unit: "", billing_period: null } as Reading]);
		assert.deepEqual(
			["0001", "0002", "2", "3", "HP", ""].map((text) => activeOf(text)),
			[1, 2, 2, ...Array(3)],
		);
		assert.equal(activeOf("2", "96.14.1"), undefined);
	});
	it("uses the import of tariff 2 from the history if present, and does not mark the result as an estimate", () => {
		const periods = [{ ...PRICE, import_t2_micro: 200_000 }];
		const storedPiece = (import_t2_wh: number) => {
			const one = day("2026-05-01", 10_001);
			return { ...one, period: { ...one.period, import_t2_wh } };
		};
		for (const [wh, micro] of [
			[0, 10_001 * 320],
			[3_333, 6_668 * 320 + 3_333 * 200],
			[10_001, 10_001 * 200],
		] as const) {
			const { imported, isEstimated } = money([storedPiece(wh)], periods, 0.9);
			assert.deepEqual([imported, isEstimated], [-micro, false]);
		}
		const both = money([storedPiece(10_001), day("2026-05-02", 1_000)], periods, 0.5);
		assert.deepEqual([both.imported, both.isEstimated], [-(10_001 * 200 + 500 * 320 + 500 * 200), true]);
		// Without import there is no division by zero.
		assert.equal(
			money([{ ...storedPiece(0), period: { ...storedPiece(0).period, import_wh: 0 } }], periods).imported,
			0,
		);
	});
	it("is exact over ten years of a large household", () => {
		const days = Array.from({ length: 3650 }, () => day("2026-05-01", 99_999, 33_333));
		const price = [{ from: "2026-01-01", import_micro: 318_741, export_micro: 80_333 }];
		const { imported, exported } = money(days, price, undefined, false);
		assert.equal(imported, -3650 * Math.round(99.999 * 318_741));
		assert.equal(exported, 3650 * Math.round(33.333 * 80_333));
	});
	it("parses typed numbers with a point or a comma to the last millionth", () => {
		for (const [typed, micro] of [
			["0,3217", 321_700],
			["0.318741", 318_741],
			["1", 1_000_000],
			[" 12,9 ", 12_900_000],
			["5.", 5_000_000],
			["-0,01", -10_000],
			["-0", 0],
			["99999.999999", 99_999_999_999],
			["8.1", 8_100_000],
			["0.000001", 1],
		] as const)
			assert.ok(Object.is(microOf(typed), micro), typed);
		for (const typed of ["", "x", "1.2345678", "1,2,3", "1e3", ".5", "undefined"])
			assert.ok(Number.isNaN(microOf(typed)), typed);
	});
});
