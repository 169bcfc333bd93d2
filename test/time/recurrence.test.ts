import assert from "node:assert/strict";
import { ENTRIES } from "../../modules/app/parts.js";
import { put } from "../../modules/config/schema.js";
import { ConfigStore } from "../../modules/config/store.js";
import {
	PERIOD_UNITS,
	SCHEDULE_ENABLED,
	SCHEDULE_PERIOD_UNIT,
	SCHEDULE_PERIOD_VALUE,
	SCHEDULE_TRIGGER_DAY,
	SCHEDULE_TRIGGER_HOUR,
	SCHEDULE_TRIGGER_MINUTE,
} from "../../modules/parts/meter/schedule-fields.js";
import { scheduleOf } from "../../modules/parts/meter/schedule-settings.js";
import { localText } from "../../modules/time/iso.js";
import { nextMoment, type Recurrence } from "../../modules/time/recurrence.js";
import { firstMomentOf } from "../../modules/time/wall-clock.js";
import type { TimeZone } from "../../modules/time/zone.js";
import { MemoryStorage, textCodec } from "../config/memory-storage.js";
import { zoneOf } from "./zones.js";

const MINUTE_MS = 60_000;
const QUARTER_MINUTES = 15;
const FROM_MS = Date.UTC(2026, 0, 1);
const TO_MS = Date.UTC(2027, 2, 1);

/** A plan from settings as in the API. */
function planOf(unit: string, value: number, { hour = 0, minute = 0, day = 1 } = {}): Recurrence {
	const store = new ConfigStore(new MemoryStorage(), textCodec, ENTRIES);
	store.change([
		put(SCHEDULE_PERIOD_UNIT, unit),
		put(SCHEDULE_PERIOD_VALUE, value),
		put(SCHEDULE_TRIGGER_HOUR, hour),
		put(SCHEDULE_TRIGGER_MINUTE, minute),
		put(SCHEDULE_TRIGGER_DAY, day),
	]);
	return scheduleOf(store) ?? assert.fail("it is enabled");
}

/** Local texts of the times after `utc`. */
function next(plan: Recurrence, zoneName: string, utc: string, count: number): string[] {
	const zone = zoneOf(zoneName);
	const texts: string[] = [];
	for (let ms = Date.parse(utc); texts.length < count; ) {
		ms = nextMoment(plan, zone, ms);
		texts.push(localText(ms, zone.offsetMinutes(ms), textCodec));
	}
	return texts;
}

/** Local minutes since 1970 for each minute of a year and more. */
function wallClock(zone: TimeZone): readonly number[] {
	const minutes: number[] = [];
	for (let ms = FROM_MS; ms < TO_MS; ms += QUARTER_MINUTES * MINUTE_MS) {
		// No zone changes within a quarter of an hour.
		const offset = zone.offsetMinutes(ms);
		for (let i = 0; i < QUARTER_MINUTES; i++) minutes.push(ms / MINUTE_MS + i + offset);
	}
	return minutes;
}

/** Whether a readout is due at this local time. Calculated from the calendar date, without the code under test. */
function isDue(unit: string, value: number, [hour, minute, day]: readonly number[], localMinutes: number): boolean {
	const localMinute = localMinutes % 60;
	if (unit === "minutes") return localMinute % value === 0;
	if (localMinute !== minute) return false;
	const localHour = Math.floor(localMinutes / 60) % 24;
	if (unit === "hours") return localHour % value === 0;
	if (localHour !== hour) return false;
	// Made only here, because a date for each minute of each plan would take most of the test's time.
	const date = new Date(localMinutes * MINUTE_MS);
	if (unit === "days") return (date.getTime() - Date.UTC(1970, 0, 5, hour, minute)) % (value * 86_400_000) === 0;
	return date.getUTCDate() === day && date.getUTCMonth() % value === 0;
}

describe("time/recurrence", () => {
	it("follows the wall clock, from any given moment on", () => {
		assert.deepEqual(next(planOf("minutes", 15), "Europe/Berlin", "2026-11-22T07:14:59.999Z", 2), [
			"2026-11-22T08:15:00+01:00",
			"2026-11-22T08:30:00+01:00",
		]);
		// At a due time, the next due time is returned.
		assert.deepEqual(next(planOf("minutes", 15), "", "2026-11-22T07:15:00Z", 1), ["2026-11-22T07:30:00+00:00"]);
		assert.deepEqual(next(planOf("minutes", 30), "Asia/Kathmandu", "2026-11-22T07:14:00Z", 1), [
			"2026-11-22T13:00:00+05:45",
		]);
		// 2026-11-23 is a Monday, the first day of periods of 7 days.
		assert.deepEqual(next(planOf("days", 7, { hour: 6, minute: 30 }), "Europe/Berlin", "2026-11-22T07:14:00Z", 2), [
			"2026-11-23T06:30:00+01:00",
			"2026-11-30T06:30:00+01:00",
		]);
		assert.deepEqual(
			next(planOf("months", 3, { day: 28, hour: 23, minute: 59 }), "Europe/Berlin", "2026-11-22T07:14:00Z", 3),
			["2027-01-28T23:59:00+01:00", "2027-04-28T23:59:00+02:00", "2027-07-28T23:59:00+02:00"],
		);
	});

	it("runs only once in an hour that happens twice, unless the period is an hour or less", () => {
		const at = { hour: 2, minute: 30 };
		const before = "2026-10-24T22:31:00Z";
		assert.deepEqual(next(planOf("hours", 2, at), "Europe/Berlin", before, 3), [
			"2026-10-25T02:30:00+02:00",
			"2026-10-25T04:30:00+01:00",
			"2026-10-25T06:30:00+01:00",
		]);
		assert.deepEqual(next(planOf("hours", 1, at), "Europe/Berlin", before, 4), [
			"2026-10-25T01:30:00+02:00",
			"2026-10-25T02:30:00+02:00",
			"2026-10-25T02:30:00+01:00",
			"2026-10-25T03:30:00+01:00",
		]);
		assert.deepEqual(next(planOf("days", 1, at), "Europe/Berlin", before, 2), [
			"2026-10-25T02:30:00+02:00",
			"2026-10-26T02:30:00+01:00",
		]);
		// This time is within the second of the two hours.
		assert.deepEqual(next(planOf("days", 1, at), "Europe/Berlin", "2026-10-25T01:15:00Z", 1), [
			"2026-10-26T02:30:00+01:00",
		]);
	});

	it("runs at the clock change if its own time is skipped, unless the period is an hour or less", () => {
		const at = { hour: 2, minute: 30 };
		const before = "2026-03-28T23:31:00Z";
		assert.deepEqual(next(planOf("hours", 2, at), "Europe/Berlin", before, 2), [
			"2026-03-29T03:00:00+02:00",
			"2026-03-29T04:30:00+02:00",
		]);
		assert.deepEqual(next(planOf("days", 1, at), "Europe/Berlin", before, 2), [
			"2026-03-29T03:00:00+02:00",
			"2026-03-30T02:30:00+02:00",
		]);
		assert.deepEqual(next(planOf("hours", 1, at), "Europe/Berlin", before, 2), [
			"2026-03-29T01:30:00+01:00",
			"2026-03-29T03:30:00+02:00",
		]);
	});

	it("converts local time to UTC when clocks go back or forward, also by half an hour", () => {
		const berlin = zoneOf("Europe/Berlin");
		const minutes = (text: string) => Date.parse(`${text}:00Z`) / MINUTE_MS;
		const utc = (zone: TimeZone, text: string) => new Date(firstMomentOf(zone, minutes(text))).toISOString();
		assert.equal(utc(berlin, "2026-10-25T02:59"), "2026-10-25T00:59:00.000Z");
		assert.equal(utc(berlin, "2026-10-25T03:00"), "2026-10-25T02:00:00.000Z");
		assert.equal(utc(berlin, "2026-03-29T01:59"), "2026-03-29T00:59:00.000Z");
		assert.equal(utc(berlin, "2026-03-29T02:01"), "2026-03-29T01:00:00.000Z");
		assert.equal(utc(berlin, "2026-03-29T03:01"), "2026-03-29T01:01:00.000Z");
		const island = zoneOf("Australia/Lord_Howe");
		assert.equal(utc(island, "2026-04-05T01:45"), "2026-04-04T14:45:00.000Z");
		assert.equal(utc(island, "2026-04-05T02:00"), "2026-04-04T15:30:00.000Z");
		assert.equal(utc(island, "2026-10-04T02:15"), "2026-10-03T15:30:00.000Z");
	});

	// In the south, half an hour, and at 23:00 of the day before.
	for (const name of ["Europe/Berlin", "Australia/Lord_Howe", "America/Nuuk"]) {
		it(`agrees with a walk through each minute of fourteen months in ${name}`, function () {
			this.timeout(60_000);
			const zone = zoneOf(name);
			const clock = wallClock(zone);
			const triggers = [
				[0, 0, 1],
				[2, 30, 28],
				[23, 59, 15],
			];
			const units = ["minutes", "hours", "days", "months"];
			for (const [index, { values }] of PERIOD_UNITS.entries()) {
				for (const value of values) {
					for (const trigger of triggers) {
						const [hour, minute, day] = trigger;
						const plan = planOf(units[index], value, { hour, minute, day });
						const isShort = index === 0 || (index === 1 && value === 1);
						let shown = clock[0];
						let due = nextMoment(plan, zone, FROM_MS);
						for (let i = 1; i < clock.length; i++) {
							const ms = FROM_MS + i * MINUTE_MS;
							let expected = isShort && isDue(units[index], value, trigger, clock[i]);
							// Each local time counts once: not again after the clock goes back, and at the change if it is skipped.
							for (; !isShort && shown < clock[i]; shown++) expected ||= isDue(units[index], value, trigger, shown + 1);
							if (expected !== (due === ms))
								assert.fail(`${name}, each ${value} ${units[index]} at ${trigger}: ${new Date(ms).toISOString()}`);
							if (expected) due = nextMoment(plan, zone, ms);
						}
					}
				}
			}
		});
	}

	it("has no plan if the schedule is off", () => {
		const store = new ConfigStore(new MemoryStorage(), textCodec, ENTRIES);
		store.change([put(SCHEDULE_ENABLED, false)]);
		assert.equal(scheduleOf(store), undefined);
	});
});
