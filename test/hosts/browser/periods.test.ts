import assert from "node:assert/strict";
import {
	type Amount,
	compare,
	HOUR_S,
	isFine,
	type Piece,
	piecesOf,
	QUARTER_S,
	spanOf,
	sumOf,
	type Unit,
	wattsPerWh,
	within,
} from "../../../hosts/browser/kit/periods.js";
import type { Period } from "../../../hosts/browser/kit/replies.js";
import { momentOf, wallClockOf } from "../../../hosts/browser/kit/wall-clock.js";

const BERLIN = "Europe/Berlin";
const utc = (text: string) => Date.parse(`${text}Z`);

/** A period as the gateway reports it in Berlin. */
function period(from: string, to: string, wh: number, marks: Partial<Period> = {}): Period {
	const start = momentOf(utc(from), BERLIN);
	return { start, end: momentOf(utc(to), BERLIN), localtime: `${from}+01:00`, import_wh: wh, ...marks };
}

/** Days of `wh` each, the last one partial. */
function days(from: string, count: number, wh = 100): Piece[] {
	const day = (index: number) => new Date(utc(`${from}T00:00:00`) + index * 86_400_000).toISOString().slice(0, 19);
	return [...piecesOf(Array.from({ length: count }, (_, i) => period(day(i), day(i + 1), wh)))];
}

describe("hosts/browser/kit/wall", () => {
	it("converts between moments and the wall clock", () => {
		for (const [moment, wall] of [
			["2026-11-22T13:37:20", "2026-11-22T14:37:20"],
			["2026-07-01T22:00:00", "2026-07-02T00:00:00"],
			// Days of clock changes.
			["2026-03-28T23:00:00", "2026-03-29T00:00:00"],
			["2026-03-29T22:00:00", "2026-03-30T00:00:00"],
			["2026-10-24T22:00:00", "2026-10-25T00:00:00"],
			["2026-10-25T23:00:00", "2026-10-26T00:00:00"],
		]) {
			assert.equal(wallClockOf(utc(moment) / 1000, BERLIN), utc(wall), wall);
			assert.equal(momentOf(utc(wall), BERLIN), utc(moment) / 1000, wall);
		}
		assert.equal(momentOf(utc("2026-11-22T00:00:00"), "Asia/Kathmandu"), utc("2026-11-21T18:15:00") / 1000);
	});
});

describe("hosts/browser/kit/periods", () => {
	const wall = utc("2026-11-22T14:37:20");

	it("divides time into days, months and years", () => {
		const labelOf = (unit: Unit, steps = 0) => {
			const { fromMs, toMs } = spanOf(unit, wall, steps);
			return [fromMs, toMs].map((ms) => new Date(ms).toISOString().slice(0, 10)).join(" ");
		};
		assert.equal(labelOf("day"), "2026-11-22 2026-11-23");
		assert.equal(labelOf("day", -22), "2026-10-31 2026-11-01");
		assert.equal(labelOf("month", -11), "2025-12-01 2026-01-01");
		assert.equal(labelOf("month", -12), "2025-11-01 2025-12-01");
		assert.equal(labelOf("year", -1), "2025-01-01 2026-01-01");
	});

	it("ends a day of 25 hours at midnight", () => {
		const [long, next] = piecesOf([
			{ ...period("2026-10-25T00:00:00", "2026-10-26T00:00:00", 1), localtime: "2026-10-25T00:00:00+02:00" },
			period("2026-10-26T00:00:00", "2026-10-27T00:00:00", 1),
		]);
		assert.equal(long.period.end - long.period.start, 25 * 3600);
		assert.equal(long.toMs, utc("2026-10-26T00:00:00"));
		assert.equal(next.fromMs, long.toMs);
		assert.equal(within([long, next], spanOf("day", utc("2026-10-25T12:00:00"))).length, 1);
	});

	it("adds up known amounts, and returns undefined if none is known", () => {
		const pieces = days("2026-11-01", 3);
		assert.equal(sumOf(pieces, "import_wh"), 300);
		assert.equal(sumOf(pieces, "gas_l"), undefined);
		assert.equal(sumOf([], "import_wh"), undefined);
	});

	const of = (pieces: readonly Piece[], unit: Unit, at = wall, amount: Amount = "import_wh") => {
		const found = compare(pieces, unit, at, amount);
		return found && [found.nowSum, found.beforeSum, new Date(found.before.toMs).toISOString().slice(0, 16)];
	};
	/** The days of two months, the last one incomplete. */
	const until = (last: string, perDay = 100) => {
		const first = utc(`${last.slice(0, 8)}01T00:00:00`);
		const start = new Date(first);
		start.setUTCMonth(start.getUTCMonth() - 1);
		const count = Math.round((utc(`${last}T00:00:00`) - start.getTime()) / 86_400_000) + 1;
		const all = days(start.toISOString().slice(0, 10), count, perDay);
		const end = all[all.length - 1];
		all[all.length - 1] = { ...end, period: { ...end.period, partial: true } };
		return all;
	};

	it("knows the mean power only of energy that covers the period's own time", () => {
		const wattsOf = (to: string, wh: number, marks: Partial<Period> = {}, wholeS = QUARTER_S) => {
			const each = wattsPerWh(period("2026-11-22T14:15:00", `2026-11-22T${to}`, wh, marks), wholeS);
			return each === undefined ? undefined : Math.round(wh * each);
		};
		assert.equal(wattsOf("14:30:00", 100), 400);
		assert.equal(wattsOf("15:15:00", 400, {}, HOUR_S), 400);
		// The running quarter, a quarter divided by time, and a gap of an hour and a half.
		assert.equal(wattsOf("14:25:00", 100, { partial: true }), 600);
		assert.equal(wattsOf("14:30:00", 100, { interpolated: true }), 400);
		assert.equal(wattsOf("15:45:00", 600, { gap: true }), 400);
		// A step of the counter would be 15 W.
		assert.equal(wattsOf("14:19:00", 20, { partial: true }), undefined);
		// A value was missing for a while; the meter was exchanged.
		assert.equal(wattsOf("14:30:00", 60, { partial: true }), undefined);
		assert.equal(wattsOf("14:25:00", 60, { partial: true, meter_changed: true }), undefined);
	});

	it("knows a counter that is too coarse for the power of a quarter hour", () => {
		const piecesWith = (wh: readonly number[], marks: Partial<Period> = {}) =>
			piecesOf(wh.map((one) => period("2026-11-22T14:15:00", "2026-11-22T14:30:00", one, marks)));
		assert.equal(isFine(piecesWith([0, 100, 200])), false);
		assert.equal(isFine(piecesWith([37, 63], { interpolated: true })), false);
		assert.equal(isFine(piecesWith([0, 110])), true);
	});

	it("compares the finished days of a month with as many of the previous month", () => {
		assert.deepEqual(of(until("2026-11-22"), "month"), [2100, 2100, "2026-10-22T00:00"]);
		assert.equal(of(until("2026-11-01"), "month", utc("2026-11-01T08:00:00")), undefined, "no day is finished");
		const march = utc("2026-03-29T12:00:00");
		assert.deepEqual(of(until("2026-03-29"), "month", march), [2800, 2800, "2026-03-01T00:00"]);
		// February has no 29 days.
		assert.equal(of(until("2026-03-30"), "month", march + 86_400_000), undefined);
	});

	it("compares a whole day with the previous whole day", () => {
		assert.deepEqual(of(until("2026-11-22"), "day", wall - 86_400_000), [100, 100, "2026-11-21T00:00"]);
	});

	it("compares nothing if data are missing, between two periods or inside one", () => {
		const all = until("2026-11-22");
		assert.equal(of(all.slice(1), "month"), undefined, "the beginning of the previous month");
		assert.equal(of([...all.slice(0, 40), ...all.slice(41)], "month"), undefined, "a day of this month");
		const changed = all.map((piece, i) =>
			i === 5 ? { ...piece, period: { ...piece.period, meter_changed: true } } : piece,
		);
		assert.equal(of(changed, "month"), undefined, "the counts of the meter before its exchange");
		assert.equal(of(all, "month", wall, "export_wh"), undefined);
	});

	it("compares today up to the last quarter of an hour", () => {
		const quarter = (day: number, index: number) => {
			const text = (i: number) => new Date(utc(`2026-11-${day}T00:00:00`) + i * 900_000).toISOString().slice(0, 19);
			return period(text(index), text(index + 1), day);
		};
		const quarters = [21, 22].flatMap((day) => Array.from({ length: day === 22 ? 58 : 96 }, (_, i) => quarter(day, i)));
		const last = period("2026-11-22T14:30:00", "2026-11-22T14:37:00", 5, { partial: true });
		assert.deepEqual(of(piecesOf([...quarters, last]), "day"), [58 * 22, 58 * 21, "2026-11-21T14:30"]);
	});
});
