/** Periods of days with a clock change. */
import assert from "node:assert/strict";
import { type Piece, piecesOf, shownEnd } from "../../../hosts/browser/kit/periods.js";
import { momentOf, stampOf } from "../../../hosts/browser/kit/wall-clock.js";

const BERLIN = "Europe/Berlin";

/** The periods of a day as the gateway reports them. */
function dayOf(date: string, lengthS: number, timeZone = BERLIN): readonly Piece[] {
	const start = momentOf(Date.parse(`${date}T00:00:00Z`), timeZone);
	const end = momentOf(Date.parse(`${date}T00:00:00Z`) + 86_400_000, timeZone);
	return piecesOf(
		Array.from({ length: (end - start) / lengthS }, (_, index) => {
			const at = start + index * lengthS;
			return { start: at, end: at + lengthS, localtime: stampOf(at, timeZone), import_wh: 100 };
		}),
	);
}

function labelOf(piece: Piece): string {
	const [from, to] = [piece.fromMs, shownEnd(piece)].map((ms) => new Date(ms).toISOString().slice(11, 16));
	return `${from} ${to}${piece.season === undefined ? "" : ` ${piece.season}`}`;
}

describe("hosts/browser/kit/periods on days of 23 and 25 hours", () => {
	it("marks the repeated hour as summer or winter time, and ends each quarter by the clock of its season", () => {
		const all = dayOf("2026-10-25", 900).map(labelOf);
		assert.equal(all.length, 100);
		assert.equal(new Set(all).size, 100);
		assert.deepEqual(all.slice(7, 17), [
			"01:45 02:00",
			"02:00 02:15 summer",
			"02:15 02:30 summer",
			"02:30 02:45 summer",
			"02:45 03:00 summer",
			"02:00 02:15 winter",
			"02:15 02:30 winter",
			"02:30 02:45 winter",
			"02:45 03:00 winter",
			"03:00 03:15",
		]);
	});
	it("marks winter and summer time on both sides of the skipped hour, and shows no gap", () => {
		const pieces = dayOf("2026-03-29", 900);
		assert.equal(pieces.length, 92);
		assert.deepEqual(pieces.slice(3, 13).map(labelOf), [
			"00:45 01:00",
			"01:00 01:15 winter",
			"01:15 01:30 winter",
			"01:30 01:45 winter",
			"01:45 02:00 winter",
			"03:00 03:15 summer",
			"03:15 03:30 summer",
			"03:30 03:45 summer",
			"03:45 04:00 summer",
			"04:00 04:15",
		]);
		// On the clock of its own season, each quarter ends when the next one begins.
		for (const [index, { toMs }] of pieces.slice(0, -1).entries()) assert.equal(toMs, pieces[index + 1].fromMs);
	});
	it("marks the repeated hours of periods of an hour, of a clock change by half an hour, and west of Greenwich", () => {
		assert.deepEqual(dayOf("2026-10-25", 3600).slice(1, 5).map(labelOf), [
			"01:00 02:00",
			"02:00 03:00 summer",
			"02:00 03:00 winter",
			"03:00 04:00",
		]);
		const half = dayOf("2026-04-05", 900, "Australia/Lord_Howe").map(labelOf);
		assert.equal(half.length, 98);
		assert.deepEqual(half.slice(5, 11), [
			"01:15 01:30",
			"01:30 01:45 summer",
			"01:45 02:00 summer",
			"01:30 01:45 winter",
			"01:45 02:00 winter",
			"02:00 02:15",
		]);
		const york = dayOf("2026-11-01", 3600, "America/New_York").map(labelOf);
		assert.deepEqual(york.slice(1, 3), ["01:00 02:00 summer", "01:00 02:00 winter"]);
	});
	it("marks neither whole days nor the quarters of a day without a clock change", () => {
		const days = piecesOf(
			["2026-10-24", "2026-10-25", "2026-10-26"].map((date) => {
				const start = momentOf(Date.parse(date), BERLIN);
				const end = momentOf(Date.parse(date) + 86_400_000, BERLIN);
				return { start, end, localtime: stampOf(start, BERLIN), import_wh: 1 };
			}),
		);
		assert.deepEqual(days.map(labelOf), ["00:00 00:00", "00:00 00:00", "00:00 00:00"]);
		assert.deepEqual(
			dayOf("2026-10-24", 900).filter(({ season }) => season !== undefined),
			[],
		);
	});
	it("formats a time with the zone's offset at that time", () => {
		for (const [moment, stamp] of [
			["2026-10-25T00:00:00Z", "2026-10-25T02:00:00+02:00"],
			["2026-10-25T01:00:00Z", "2026-10-25T02:00:00+01:00"],
			["2026-03-29T00:59:00Z", "2026-03-29T01:59:00+01:00"],
			["2026-03-29T01:00:00Z", "2026-03-29T03:00:00+02:00"],
		])
			assert.equal(stampOf(Date.parse(moment) / 1000, BERLIN), stamp);
		const at = Date.parse("2026-11-01T06:30:00Z") / 1000;
		assert.equal(stampOf(at, "America/New_York"), "2026-11-01T01:30:00-05:00");
		assert.equal(stampOf(at, "Asia/Kathmandu"), "2026-11-01T12:15:00+05:45");
		assert.equal(stampOf(at, "America/St_Johns"), "2026-11-01T03:00:00-03:30");
		assert.equal(stampOf(at, "UTC"), "2026-11-01T06:30:00+00:00");
	});
});
