/** Boundaries of periods on the local clock, in all zones and at each clock change. */
import assert from "node:assert/strict";
import { DAYS, HOURS, LocalCalendar, MONTHS, QUARTER_S, QUARTERS } from "../../modules/time/calendar.js";
import { HEADER_LENGTH, NAME_HEADER_LENGTH, namesStart, type TimeZone } from "../../modules/time/zone.js";
import { at } from "../history/unit.js";
import { TABLE, zoneOf } from "./zones.js";

const DAY = 86_400;

/** One zone for each rule of the table; zones that share a rule always have the same time. */
function zones(): string[] {
	const names = new Map<number, string>();
	let name = "";
	for (let i = namesStart(TABLE); i < TABLE.length; ) {
		const end = i + NAME_HEADER_LENGTH + TABLE[i + 1];
		name = name.slice(0, TABLE[i]) + String.fromCharCode(...TABLE.subarray(i + NAME_HEADER_LENGTH, end));
		names.set(TABLE[i + 2], name);
		i = end;
	}
	assert.ok(names.size > 50 && names.size <= TABLE[HEADER_LENGTH - 1]);
	return [...names.values()];
}

/**
 * Whether a period of that level begins at this time by the local calendar, derived from what clocks show just before.
 */
function isBoundary(zone: TimeZone, level: number, timeS: number): boolean {
	const local = (s: number) => s + zone.offsetMinutes(s * 1000) * 60;
	if (level === QUARTERS) return true;
	const now = local(timeS);
	if (level === HOURS) return now % 3600 === 0;
	const index = (s: number) => {
		const date = new Date(s * 1000);
		return level === DAYS ? Math.floor(s / DAY) : date.getUTCFullYear() * 12 + date.getUTCMonth();
	};
	// A repeated midnight counts only the first time, since days have one beginning.
	for (let back = QUARTER_S; back <= 4 * 3600; back += QUARTER_S)
		if (index(local(timeS - back)) >= index(now)) return false;
	return true;
}

describe("time/calendar", () => {
	it("has the boundaries that the clocks of each zone show, at every clock change in 2026 and 2027", function () {
		this.timeout(120_000);
		for (const name of zones()) {
			const zone = zoneOf(name);
			const calendar = new LocalCalendar(zone);
			let before = zone.offsetMinutes(at("2026") * 1000);
			let changes = 0;
			for (let dayS = at("2026"); dayS < at("2028"); dayS += DAY) {
				const offset = zone.offsetMinutes((dayS + DAY) * 1000);
				if (offset !== before) {
					changes++;
					for (const level of [QUARTERS, HOURS, DAYS, MONTHS])
						agrees(zone, calendar, level, dayS - 2 * DAY, dayS + 3 * DAY, name);
				}
				before = offset;
			}
			if (changes === 0) agrees(zone, calendar, DAYS, at("2026-02-27"), at("2026-03-02"), name);
		}
	});

	function agrees(zone: TimeZone, calendar: LocalCalendar, level: number, fromS: number, toS: number, name: string) {
		let last = -1;
		for (let timeS = fromS; timeS < toS; timeS += QUARTER_S) {
			const where = `${name}, level ${level}, ${new Date(timeS * 1000).toISOString()}`;
			if (isBoundary(zone, level, timeS)) {
				if (last >= 0) assert.equal(calendar.boundary(level, timeS - 1, 1), timeS, where);
				last = timeS;
				assert.equal(calendar.boundary(level, timeS), timeS, where);
			} else if (last >= 0) assert.equal(calendar.boundary(level, timeS), last, where);
			assert.equal(calendar.boundary(level, timeS + 899), calendar.boundary(level, timeS), where);
			assert.ok(calendar.boundary(level, timeS, 1) > timeS, where);
			assert.equal(calendar.boundary(level, timeS, 1), calendar.boundary(level, timeS + 1, 1), where);
		}
	}

	it("has months of all lengths", () => {
		const calendar = new LocalCalendar(zoneOf("Europe/Berlin"));
		const days: number[] = [];
		for (let month = calendar.boundary(MONTHS, at("2028-01-10")); days.length < 12; ) {
			const next = calendar.boundary(MONTHS, month, 1);
			days.push((next - month) / DAY);
			month = next;
		}
		const hour = 1 / 24;
		assert.deepEqual(days, [31, 29, 31 - hour, 30, 31, 30, 31, 31, 30, 31 + hour, 30, 31]);
	});
});
