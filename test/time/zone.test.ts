import assert from "node:assert/strict";
import { localText } from "../../modules/time/iso.js";
import { TimeZone } from "../../modules/time/zone.js";
import { buildTable } from "../../tools/timezone-table.js";
import { textCodec } from "../config/memory-storage.js";
import { agrees, NAMES, RELEASE, TABLE, whyNoIntl, zoneOf } from "./zones.js";

function local(name: string, utc: string): string {
	const ms = Date.parse(utc);
	return localText(ms, zoneOf(name).offsetMinutes(ms), textCodec);
}

/** A zone with this rule only. */
function zoneByRule(rule: string): TimeZone {
	const zone = new TimeZone(buildTable({ release: RELEASE, names: new Map([["A", { transitions: [], rule }]]) }));
	zone.select("A");
	return zone;
}

describe("time/zone", () => {
	it("switches at the exact second: in either hemisphere, by half an hour, and where winter time is the exception", () => {
		assert.equal(local("Europe/Berlin", "2026-03-29T00:59:59Z"), "2026-03-29T01:59:59+01:00");
		assert.equal(local("Europe/Berlin", "2026-03-29T01:00:00Z"), "2026-03-29T03:00:00+02:00");
		assert.equal(local("Europe/Berlin", "2026-10-25T00:59:59Z"), "2026-10-25T02:59:59+02:00");
		assert.equal(local("Europe/Berlin", "2026-10-25T01:00:00Z"), "2026-10-25T02:00:00+01:00");
		assert.equal(local("Australia/Sydney", "2026-04-04T15:59:59Z"), "2026-04-05T02:59:59+11:00");
		assert.equal(local("Australia/Sydney", "2026-04-04T16:00:00Z"), "2026-04-05T02:00:00+10:00");
		assert.equal(local("Australia/Sydney", "2026-10-03T15:59:59Z"), "2026-10-04T01:59:59+10:00");
		assert.equal(local("Australia/Sydney", "2026-10-03T16:00:00Z"), "2026-10-04T03:00:00+11:00");
		assert.equal(local("Australia/Lord_Howe", "2026-04-04T14:59:59Z"), "2026-04-05T01:59:59+11:00");
		assert.equal(local("Australia/Lord_Howe", "2026-04-04T15:00:00Z"), "2026-04-05T01:30:00+10:30");
		assert.equal(local("Europe/Dublin", "2026-03-29T00:59:59Z"), "2026-03-29T00:59:59+00:00");
		assert.equal(local("Europe/Dublin", "2026-03-29T01:00:00Z"), "2026-03-29T02:00:00+01:00");
		assert.equal(local("Antarctica/Troll", "2026-03-29T01:00:00Z"), "2026-03-29T03:00:00+02:00");
	});

	it("switches on the day before or after the one that the rule names", () => {
		// The last Saturday of March at 22:00, written as -1:00 of the last Sunday.
		assert.equal(local("America/Nuuk", "2026-03-29T00:59:59Z"), "2026-03-28T22:59:59-02:00");
		assert.equal(local("America/Nuuk", "2026-03-29T01:00:00Z"), "2026-03-29T00:00:00-01:00");
		// The Friday before the last Sunday of March, written as hour 26 of the fourth Thursday.
		assert.equal(local("Asia/Jerusalem", "2026-03-26T23:59:59Z"), "2026-03-27T01:59:59+02:00");
		assert.equal(local("Asia/Jerusalem", "2026-03-27T00:00:00Z"), "2026-03-27T03:00:00+03:00");
	});

	it("knows changes of law in the last years and the months of Ramadan, which no rule describes", () => {
		assert.equal(local("Asia/Almaty", "2024-02-29T17:59:59Z"), "2024-02-29T23:59:59+06:00");
		assert.equal(local("Asia/Almaty", "2024-02-29T19:00:00Z"), "2024-03-01T00:00:00+05:00");
		assert.equal(local("Africa/Casablanca", "2026-03-01T12:00:00Z"), "2026-03-01T12:00:00+00:00");
		assert.equal(local("Africa/Casablanca", "2026-04-01T12:00:00Z"), "2026-04-01T13:00:00+01:00");
	});

	it("follows the rule up to the end of the clock's range", () => {
		assert.equal(local("Europe/Berlin", "2099-07-01T12:00:00Z"), "2099-07-01T14:00:00+02:00");
		assert.equal(local("Europe/Berlin", "2099-12-31T23:59:59Z"), "2100-01-01T00:59:59+01:00");
		assert.equal(local("Pacific/Auckland", "2099-12-31T23:59:59Z"), "2100-01-01T12:59:59+13:00");
		assert.equal(local("Pacific/Auckland", "2098-12-31T11:00:00Z"), "2099-01-01T00:00:00+13:00");
	});

	it("supports dates given as the day of the year, without counting February 29", () => {
		const zone = zoneByRule("AAA-1BBB,J60/0,J300");
		for (const year of [2027, 2028]) {
			const march = Date.UTC(year, 2, 1) - 3_600_000;
			assert.deepEqual([zone.offsetMinutes(march - 1), zone.offsetMinutes(march)], [60, 120]);
			const october = Date.UTC(year, 9, 27);
			assert.deepEqual([zone.offsetMinutes(october - 1), zone.offsetMinutes(october)], [120, 60]);
		}
	});

	const absent = whyNoIntl();
	const title = "agrees with Node on every zone, 2024 to 2037, to the second of each switch";
	if (absent !== undefined) it(`${title} (not run: ${absent})`);
	else {
		it(title, () => {
			for (const name of NAMES) agrees(name);
		});
	}

	it("finds every name, and rejects similar texts", () => {
		const zone = new TimeZone(TABLE);
		const names = new Set(NAMES);
		for (const name of NAMES) {
			assert.ok(zone.has(name), name);
			for (const other of [`${name}x`, name.slice(0, -1), name.slice(1), name.toLowerCase(), `${name}\0`, ` ${name}`])
				assert.equal(zone.has(other), other === "" || names.has(other), other);
		}
		for (const name of ["A", "ZZZ", "~", "\0", "Europe/", "ä", "\u{1f600}", "__proto__"])
			assert.equal(zone.has(name), false);
	});

	it("is UTC without a name, with an unknown name, and without a table", () => {
		const summer = Date.UTC(2026, 6, 1);
		const zone = zoneOf("Europe/Berlin");
		zone.select("");
		assert.equal(zone.offsetMinutes(summer), 0);
		zone.select("Europe/Berlin");
		assert.equal(zone.offsetMinutes(summer), 120);
		zone.select("Europe/Atlantis");
		assert.equal(zone.offsetMinutes(summer), 0);
		for (const table of [undefined, new Uint8Array(0), new Uint8Array(100), TABLE.subarray(1)]) {
			const bare = new TimeZone(table);
			assert.deepEqual([bare.has(""), bare.has("UTC"), bare.has("Europe/Berlin")], [true, false, false]);
			bare.select("Europe/Berlin");
			assert.equal(bare.offsetMinutes(summer), 0);
		}
	});
});
