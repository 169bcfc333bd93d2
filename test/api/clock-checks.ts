/** system/clock, system/timezone and the local times that follow from them. */
import assert from "node:assert/strict";
import { isError, type JSONObject, type TestGateway, vectorOf } from "./gateway.js";

/** Earliest time that can be set, 2024-01-01T00:00:00Z. */
const FIRST = 1_704_067_200;
/** Latest time that can be set, 2099-12-31T23:59:59Z. */
const LAST = 4_102_444_799;
const SUMMER = Date.UTC(2026, 6, 15, 12) / 1000;
/** Longest delay of a reply, s. */
const SLACK_S = 10;

const CLOCK = ["timestamp", "utc", "localtime", "is_valid", "timezone"];
const NO_INTEGER = [String(SUMMER), "", true, false, null, [], [SUMMER], {}, { timestamp: SUMMER }, SUMMER + 0.5];
const NO_TIMESTAMP = [...NO_INTEGER, 0, 1, -1, -SUMMER, FIRST - 1, LAST + 1, 2 ** 32, 2 ** 53, SUMMER * 1000];
/** JSON numbers that are not an integer in range. */
const NO_TIMESTAMP_TEXTS = ["1e400", "1704067199.9", "17040672e-9", `${FIRST}${"0".repeat(40)}`, "-0"];
const NO_NAME = [0, 1, 2, true, false, null, [], ["UTC"], {}, { UTC: "UTC" }];
const UNKNOWN = [
	..."Europe Europe/ Europe/Atlantis europe/berlin EUROPE/BERLIN Europe/Berlin/ /Europe/Berlin Berlin GMT+1".split(" "),
	..."CET-1CEST,M3.5.0,M10.5.0/3 ../../etc/passwd +01:00 Europe/Berlin\u0000 Europe/Bérlin \ud83d\ude00".split(" "),
	...[" ", " Europe/Berlin", "Europe/Berlin ", "Europe/Berlin\n", "x".repeat(64), "x".repeat(65), "x".repeat(1500)],
];
/** Zones by name, with their offset at SUMMER. */
const ZONES = [
	["Europe/Berlin", "+02:00"],
	["Europe/Dublin", "+01:00"],
	["America/St_Johns", "-02:30"],
	["America/Argentina/ComodRivadavia", "-03:00"],
	["Australia/Lord_Howe", "+10:30"],
	["Asia/Kathmandu", "+05:45"],
	["Etc/GMT+12", "-12:00"],
	["Etc/GMT-14", "+14:00"],
	["Africa/Abidjan", "+00:00"],
	["Zulu", "+00:00"],
	["", "+00:00"],
];

function isClock(clock: JSONObject, timezone: string): void {
	assert.deepEqual(Object.keys(clock), CLOCK);
	assert.equal(clock.is_valid, true);
	assert.equal(clock.timezone, timezone);
	assert.match(clock.utc, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
	assert.match(clock.localtime, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d$/);
	for (const text of [clock.utc, clock.localtime]) assert.equal(Date.parse(text), clock.timestamp * 1000, text);
}

/** Checks that the clock shows this time or a little later. */
function isAt(clock: JSONObject, timestamp: number): void {
	const since = clock.timestamp - timestamp;
	assert.ok(since >= 0 && since <= SLACK_S, `${since} s after ${timestamp}`);
}

export function clockChecks(gateway: () => TestGateway): void {
	const path = "system/clock";
	const setZone = (timezone: string) => gateway().write("system/timezone", { timezone });

	describe("system/clock and system/timezone", () => {
		let offMs = 0;

		beforeEach(async () => {
			offMs = (await gateway().read(path)).timestamp * 1000 - Date.now();
		});
		afterEach(async () => {
			await gateway().write(path, { timestamp: Math.floor((Date.now() + offMs) / 1000) });
			await setZone("");
		});

		it("are in UTC on a new unit", async () => {
			assert.deepEqual(await gateway().read("system/timezone"), { timezone: "" });
			const clock = await gateway().read(path);
			isClock(clock, "");
			assert.match(clock.localtime, /\+00:00$/);
		});

		it("accept times in range, including both ends, and the clock continues from them", async () => {
			await setZone("Pacific/Kiritimati");
			for (const timestamp of [FIRST, FIRST + 1, SUMMER, 2 ** 31 - 1, 2 ** 31, LAST - SLACK_S, LAST]) {
				const reply = await gateway().write(path, { timestamp });
				isClock(reply, "Pacific/Kiritimati");
				isAt(reply, timestamp);
				isAt(await gateway().read(path), timestamp);
				const status = await gateway().read("system/status");
				isAt(status, timestamp);
				assert.equal(status.clock_valid, true);
				assert.equal(status.localtime.slice(-6), "+14:00");
			}
			isAt(await gateway().write(path, { timestamp: SUMMER, timezone: "UTC", utc: 1, more: [{}] }), SUMMER);
			assert.deepEqual(await gateway().read("system/timezone"), { timezone: "Pacific/Kiritimati" });
		});

		it("reject every other time, and the clock continues unchanged", async () => {
			await gateway().write(path, { timestamp: SUMMER });
			const texts = [...NO_TIMESTAMP.map((value) => JSON.stringify(value)), ...NO_TIMESTAMP_TEXTS];
			for (const text of texts) {
				isError(await gateway().post(path, `{"timestamp":${text}}`), 400, "invalid_field", "timestamp");
			}
			for (const body of [{}, { Timestamp: SUMMER }, { utc: "2026-07-15T12:00:00Z" }]) {
				isError(await gateway().post(path, body), 400, "missing_field", "timestamp");
			}
			for (const body of ["", "[]", String(SUMMER), `{"timestamp":${FIRST}`]) {
				isError(await gateway().post(path, body), 400, "invalid_json");
			}
			isAt(await gateway().read(path), SUMMER);
		});

		it("accept time zones by their names, and use them for local times from then on", async () => {
			await gateway().write(path, { timestamp: SUMMER });
			for (const [timezone, offset] of ZONES) {
				assert.deepEqual(await setZone(timezone), { timezone });
				assert.deepEqual(await gateway().read("system/timezone"), { timezone });
				const clock = await gateway().read(path);
				isClock(clock, timezone);
				assert.equal(clock.localtime.slice(-6), offset, timezone);
				assert.equal((await gateway().read("system/status")).localtime.slice(-6), offset, timezone);
			}
		});

		it("reject an unknown time zone, and keep the previous one", async () => {
			await setZone("Europe/Warsaw");
			for (const timezone of [...NO_NAME, ...UNKNOWN]) {
				isError(await gateway().post("system/timezone", { timezone }), 400, "invalid_field", "timezone");
			}
			for (const body of [{}, { Timezone: "UTC" }, { zone: "UTC" }]) {
				isError(await gateway().post("system/timezone", body), 400, "missing_field", "timezone");
			}
			assert.deepEqual(await gateway().read("system/timezone"), { timezone: "Europe/Warsaw" });
			assert.equal((await gateway().read(path)).timezone, "Europe/Warsaw");
			assert.deepEqual(await gateway().write("system/timezone", { timezone: "UTC", offset: 5, more: { a: [] } }), {
				timezone: "UTC",
			});
		});

		it("follow the start and the end of daylight-saving time", async () => {
			await setZone("Europe/Berlin");
			for (const [utc, before, after] of [
				["2026-03-29T01:00:00Z", "+01:00", "+02:00"],
				["2026-10-25T01:00:00Z", "+02:00", "+01:00"],
			]) {
				const timestamp = Date.parse(utc) / 1000;
				const early = await gateway().write(path, { timestamp: timestamp - SLACK_S - 1 });
				assert.equal(early.localtime.slice(-6), before, utc);
				assert.equal((await gateway().write(path, { timestamp })).localtime.slice(-6), after, utc);
			}
		});

		it("determine the local time of a readout, even of an earlier one", async () => {
			await gateway().connectMeter({ telegram: vectorOf("landis-gyr-zmf100-m26-padded-left").telegram });
			await setZone("America/St_Johns");
			await gateway().write(path, { timestamp: SUMMER });
			const readout = await gateway().read("iec62056/read");
			isAt({ timestamp: readout.timestamp }, SUMMER);
			assert.equal(readout.localtime.slice(-6), "-02:30");
			assert.equal(Date.parse(readout.localtime), readout.timestamp * 1000);
			await setZone("Asia/Kathmandu");
			const last = await gateway().read("iec62056/last");
			assert.equal(last.timestamp, readout.timestamp);
			assert.equal(last.localtime.slice(-6), "+05:45");
		});

		it("keep the time zone after a restart", async () => {
			await setZone("Australia/Lord_Howe");
			await gateway().restartAndLogin();
			assert.deepEqual(await gateway().read("system/timezone"), { timezone: "Australia/Lord_Howe" });
			const clock = await gateway().read(path);
			isClock(clock, "Australia/Lord_Howe");
			assert.match(clock.localtime, /\+1[01]:[03]0$/);
		});

		it("fall back to UTC if the stored time zone is damaged, and keep other settings", async () => {
			await setZone("Europe/Berlin");
			await gateway().write("iec62056/control", { log_en: true });
			await gateway().restartAndLogin("system");
			assert.deepEqual(await gateway().read("system/timezone"), { timezone: "" });
			isClock(await gateway().read(path), "");
			assert.equal((await gateway().read("iec62056/control")).log_en, true);
			await setZone("Europe/Berlin");
			await gateway().restartAndLogin();
			assert.deepEqual(await gateway().read("system/timezone"), { timezone: "Europe/Berlin" });
		});
	});
}
