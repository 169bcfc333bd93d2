/** The table of time zones, compared with Node's own copy of the database (ICU, Intl). */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { TimeZone } from "../../modules/time/zone.js";
import { readRelease, tableNames } from "../../tools/timezone-table.js";

const DAY_MS = 86_400_000;
/** Step that misses no change: Morocco and Palestine, whose rules follow the moon, change four weeks apart. */
const STEP_MS = 12 * DAY_MS;
const FROM_MS = Date.UTC(2024, 0, 1);
const TO_MS = Date.UTC(2038, 0, 1);
/** Releases of the database that have the same offsets in all zones from 2024 on (its NEWS file). */
const SAME = ["2025b", "2025c"];

export const TABLE = new Uint8Array(readFileSync(new URL("../../../modules/resources/timezones.bin", import.meta.url)));
export const NAMES: readonly string[] = tableNames(TABLE);
export const RELEASE = readRelease(TABLE);

export function zoneOf(name: string): TimeZone {
	const zone = new TimeZone(TABLE);
	assert.ok(zone.has(name), name);
	zone.select(name);
	return zone;
}

/** Reason why the table can't be compared with Node; undefined if it can. */
export function whyNoIntl(): string | undefined {
	const release: string = process.versions["tz"] ?? "none";
	if (release === RELEASE || (SAME.includes(release) && SAME.includes(RELEASE))) return undefined;
	return `Node has release ${release} of the database, the table ${RELEASE}`;
}

/** Node's offset in minutes; undefined: unknown name. */
export function intlOffset(name: string): ((utcMs: number) => number) | undefined {
	let format: Intl.DateTimeFormat;
	try {
		format = new Intl.DateTimeFormat("en", { timeZone: name, timeZoneName: "longOffset" });
	} catch {
		return undefined;
	}
	return (utcMs) => {
		const [, sign, hours, minutes] = /GMT(?:([+-])(\d\d):(\d\d))?$/.exec(format.format(utcMs)) ?? assert.fail(name);
		return sign === undefined ? 0 : (sign === "-" ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
	};
}

/** Compares the table with Node from 2024 to 2037: every twelve days, and a second before and at each change. */
export function agrees(name: string): void {
	const intl = intlOffset(name);
	if (intl === undefined) {
		// "Factory" is a system's initial setting, not the zone of a place.
		assert.equal(name, "Factory");
		return;
	}
	const zone = zoneOf(name);
	const isSame = (ms: number) =>
		assert.equal(zone.offsetMinutes(ms), intl(ms), `${name} ${new Date(ms).toISOString()}`);
	for (let ms = FROM_MS; ms < TO_MS; ms += STEP_MS) {
		isSame(ms);
		if (intl(ms) === intl(ms + STEP_MS)) continue;
		let [before, after] = [ms, ms + STEP_MS];
		while (after - before > 1000) {
			const middle = before + Math.floor((after - before) / 2000) * 1000;
			if (intl(middle) === intl(ms)) before = middle;
			else after = middle;
		}
		for (const moment of [before, after - 1, after, after + 1000]) isSame(moment);
	}
}
