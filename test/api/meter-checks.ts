/** Readouts, probe and session log over a line (API text, "Meter readout"). */
import assert from "node:assert/strict";
import { bytesOf } from "../latin1.js";
import type { ExpectedReading } from "../vectors.js";
import { isError, type JSONObject, succeeded, type TestGateway, vectorOf } from "./gateway.js";

/** A short capture. The third letter of the maker is upper case, so the meter has the longer reaction time. */
const zmf100 = vectorOf("landis-gyr-zmf100-m26-padded-left");
/** A capture with second values. */
const metcom = vectorOf("metcom-mcs301-maxima");
const pushed = vectorOf("ebz-dd3-push");

const READOUT = ["protocol", "meter_id", "mode", "baudrate", "timestamp", "localtime", "status", "readings"];
const LAST = [...READOUT.slice(0, -1), "running", "last_attempt", "last_error", "momentary_valid", "readings"];
const READING = [
	"obis_long obis value1 value2 value1_number value1_unit medium channel billing_period mapping_id en".split(" "),
].flat();

const MAPPED = new Map([
	["1.8.0", "07020000"],
	["2.8.0", "07020001"],
	["16.7.0", "07020400"],
	["32.7.0", "0B040505"],
	["31.7.0", "0B040508"],
]);

/** Expected `mapping_id`, found by the short code. Past billing periods are never mapped. */
export function mappingOf({ obis, billing_period }: ExpectedReading): string {
	const whole = obis.split(".").length === 2 ? `${obis}.0` : obis;
	return (billing_period === null && MAPPED.get(whole)) || "00000000";
}

/** Checks that the readout has the documented fields, with consistent values of the documented types. */
export function isReadout(readout: JSONObject, { language = "en", last = false } = {}): void {
	assert.deepEqual(Object.keys(readout), last ? LAST : READOUT);
	assert.equal(readout.protocol, "IEC62056-21");
	assert.equal(typeof readout.meter_id, "string");
	assert.ok(Number.isInteger(readout.baudrate) && Number.isInteger(readout.timestamp));
	if (readout.timestamp === 0) assert.equal(readout.localtime, "");
	else {
		assert.match(readout.localtime, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(Z|[+-]\d\d:\d\d)$/);
		assert.equal(Date.parse(readout.localtime), readout.timestamp * 1000);
	}
	const names = language === "en" ? READING : [...READING, language];
	for (const reading of readout.readings) {
		const { values, values_units, value2_unit, ...rest } = reading;
		assert.deepEqual(Object.keys(rest), names);
		if ("value2_unit" in reading) assert.match(value2_unit, /^\S+$/);
		if ("values" in reading) assert.ok(Array.isArray(values) && values.length > 0);
		if ("values_units" in reading) assert.equal(values_units.length, values.length);
		assert.equal(reading.mapping_id, mappingOf(reading));
		for (const name of ["en", language]) {
			if (reading[name] !== null) assert.match(reading[name], /^\S(.*\S)?$/);
		}
		// A code has a name in all languages or in none.
		assert.equal(reading.en === null, reading[language] === null);
	}
}

/** The readings without members that the captures lack. */
export function withoutNames(readout: JSONObject): ExpectedReading[] {
	return readout.readings.map(({ mapping_id, en, de, pl, ...reading }: JSONObject) => reading);
}

/** Texts sent to the meter, from the session log. */
export async function sentTo(gateway: TestGateway): Promise<string[]> {
	const { entries } = await gateway.read("iec62056/log");
	return entries.filter((entry: JSONObject) => entry.kind === "sent").map((entry: JSONObject) => entry.text);
}

export function meterChecks(gateway: () => TestGateway): void {
	describe("GET iec62056/read", () => {
		for (const vector of [zmf100, metcom]) {
			it(`reads the meter and shows its values: ${vector.name}`, async () => {
				await gateway().connectMeter({ telegram: vector.telegram });
				const readout = await gateway().read("iec62056/read");
				isReadout(readout);
				assert.deepEqual(withoutNames(readout), vector.readings);
				assert.equal(readout.meter_id, vector.meterId);
				assert.equal(readout.mode, "C");
				assert.equal(readout.status, 0);
				const last = await gateway().read("iec62056/last");
				isReadout(last, { last: true });
				const { running, last_attempt, last_error, momentary_valid, ...rest } = last;
				assert.deepEqual(rest, readout);
				assert.deepEqual([running, last_error], [false, null]);
				assert.ok(last_attempt > 0 && last_attempt <= readout.timestamp);
			});
		}
		it("answers two requests at once by one session with the meter (limit: one request at a time)", async () => {
			await gateway().connectMeter({ telegram: zmf100.telegram });
			const exchanges = ["iec62056/read", "iec62056/read"].map((path) => gateway().begin("GET", path));
			const replies = [];
			for (const exchange of exchanges) replies.push(succeeded(await exchange.reply()));
			assert.deepEqual(replies[0], replies[1]);
		});
		it("reads the meter each time, so that another meter gives another readout", async () => {
			await gateway().connectMeter({ telegram: zmf100.telegram });
			assert.equal((await gateway().read("iec62056/read")).meter_id, zmf100.meterId);
			await gateway().connectMeter({ telegram: metcom.telegram });
			assert.equal((await gateway().read("iec62056/last")).meter_id, zmf100.meterId);
			assert.equal((await gateway().read("iec62056/read")).meter_id, metcom.meterId);
		});
		it("respects baudrate_max and the device address", async () => {
			await gateway().connectMeter({ telegram: zmf100.telegram, address: "12345678" });
			await gateway().write("iec62056/config", { baudrate_max: 1199, device_address: "0012345678" });
			await gateway().write("iec62056/control", { log_en: true });
			assert.equal((await gateway().read("iec62056/read")).baudrate, 600);
			assert.deepEqual(await sentTo(gateway()), ["/?0012345678!\r\n", "\u0006010\r\n"]);
		});
		it("copes with an echo, noise and a block that must be repeated", async () => {
			const faults = { noise: 5, wrongBCC: 1 };
			await gateway().connectMeter({ telegram: zmf100.telegram, faults, echo: true });
			const readout = await gateway().read("iec62056/read");
			assert.equal(readout.status, 0);
			assert.deepEqual(withoutNames(readout), zmf100.readings);
		});
		it("replies 500 meter_error without a serial port, and the last good readout stays", async () => {
			await gateway().connectMeter({ telegram: zmf100.telegram });
			const good = await gateway().read("iec62056/read");
			await gateway().connectMeter(undefined);
			isError(await gateway().get("iec62056/read"), 500, "meter_error");
			const last = await gateway().read("iec62056/last");
			assert.equal(last.last_error, "port");
			assert.equal(last.status, 0);
			assert.deepEqual(last.readings, good.readings);
			assert.equal(last.timestamp, good.timestamp);
			await gateway().connectMeter({ telegram: zmf100.telegram });
			assert.equal((await gateway().read("iec62056/read")).status, 0);
			assert.equal((await gateway().read("iec62056/last")).last_error, null);
		});
		it("waits for a readout that is already running, which /last shows as running", async () => {
			await gateway().connectMeter({ telegram: zmf100.telegram });
			await gateway().write("iec62056/control", { log_en: true });
			const first = gateway().begin("GET", "iec62056/read");
			await gateway().pass(50);
			assert.equal((await gateway().read("iec62056/last")).running, true);
			const second = gateway().begin("GET", "iec62056/read?lang=de");
			const [one, other] = [succeeded(await first.reply()), succeeded(await second.reply())];
			assert.deepEqual(withoutNames(other), withoutNames(one));
			assert.equal(other.timestamp, one.timestamp);
			assert.equal((await gateway().read("iec62056/last")).running, false);
			assert.equal((await sentTo(gateway())).filter((text) => text.startsWith("/?")).length, 1);
		});
		it("completes the readout if its client disconnects", async () => {
			await gateway().restartAndLogin();
			await gateway().connectMeter({ telegram: metcom.telegram });
			const exchange = gateway().begin("GET", "iec62056/read");
			await gateway().pass(100);
			exchange.abandon();
			const last = await gateway().untilIdle();
			assert.equal(last.status, 0);
			assert.deepEqual(withoutNames(last), metcom.readings);
			assert.equal((await gateway().read("iec62056/read")).status, 0);
		});
	});

	describe("GET iec62056/last", () => {
		it("shows an empty readout with status 1 before the first one", async () => {
			await gateway().restartAndLogin();
			const last = await gateway().read("iec62056/last");
			assert.deepEqual(last, {
				protocol: "IEC62056-21",
				meter_id: "",
				mode: "",
				baudrate: 0,
				timestamp: 0,
				localtime: "",
				status: 1,
				running: false,
				last_attempt: 0,
				last_error: null,
				momentary_valid: true,
				readings: [],
			});
		});
		it("never reads the meter", async () => {
			await gateway().connectMeter(undefined);
			const before = await gateway().read("iec62056/last");
			assert.deepEqual(await gateway().read("iec62056/last"), before);
			await gateway().connectMeter({ telegram: zmf100.telegram });
			await gateway().write("iec62056/control", { log_en: true });
			await gateway().read("iec62056/last");
			await gateway().pass(100);
			assert.deepEqual(await sentTo(gateway()), []);
		});
	});

	describe("GET meter/now", () => {
		const meterWith = (lines: string) =>
			gateway().connectMeter({
				telegram: bytesOf(`/EBZ5DD3\r\n\r\n${lines.replaceAll(" ", "\r\n")}\r\n!\r\n`),
				mode: "C",
			});
		const price = (import_micro: number, more: JSONObject = {}) =>
			gateway().write("prices", { periods: [{ from: "2000-01-01", import_micro, ...more }], currency: "PLN" });
		afterEach(() => gateway().write("prices", { periods: [], currency: "EUR" }));

		it("is empty before the first readout", async () => {
			await price(300_000);
			await gateway().restartAndLogin();
			assert.deepEqual(await gateway().read("meter/now"), {});
		});
		it("has the power with its direction, the counters, and their age", async () => {
			await meterWith("1.8.0(012345.6789*kWh) 2.8.0(000021.5*kWh) 16.7.0(-00.4125*kW)");
			await gateway().read("iec62056/read");
			await gateway().pass(2000);
			const { age_secs, ...now } = await gateway().read("meter/now");
			assert.ok(age_secs >= 2 && age_secs < 10, String(age_secs));
			assert.deepEqual(now, { power_w: -412.5, direction: "export", import_kwh: 12345.6789, export_kwh: 21.5 });
		});
		it("has the cost of an hour if the present price is known", async () => {
			const power = async (kW: string) => {
				await meterWith(`1.8.0(1*kWh) 16.7.0(${kW}*kW)`);
				await gateway().read("iec62056/read");
			};
			const cost = async () => {
				const { cost_per_hour_micro: micro, currency } = await gateway().read("meter/now");
				return [micro, currency];
			};
			await power("2.5");
			assert.deepEqual(await cost(), [undefined, undefined]);
			await price(300_001, { export_micro: 80_000 });
			assert.deepEqual(await cost(), [750_003, "PLN"]);
			await price(300_001, { from: "2099-12-31" });
			assert.deepEqual(await cost(), [undefined, undefined]);
			await price(300_001, { import_t2_micro: 1, export_micro: 80_000 });
			assert.deepEqual(await cost(), [undefined, undefined]);
			await power("-2.5");
			assert.deepEqual(await cost(), [-200_000, "PLN"]);
			await power("0");
			assert.equal((await gateway().read("meter/now")).direction, "none");
		});
		it("has the cost by the clock, and by the dynamic price", async () => {
			await meterWith("1.8.0(1*kWh) 16.7.0(1*kW)");
			await gateway().read("iec62056/read");
			await gateway().write("system/timezone", { timezone: "" });
			const { timestamp } = await gateway().read("system/clock");
			const quarter = timestamp - (timestamp % 900);
			const minute = (quarter % 86_400) / 60;
			const weekday = 1 << ((Math.floor(quarter / 86_400) + 3) % 7);
			const from = "2000-01-01";
			/** Cost with a second price in these windows. */
			const cost = async (...windows: JSONObject[]) => {
				const second = windows.map((window, i) => ({ from, import_micro: 1000 * (i + 1), ...window }));
				await gateway().write("prices", { periods: [...second, { from, import_micro: 500, dynamic }] });
				return (await gateway().read("meter/now")).cost_per_hour_micro;
			};
			let dynamic = false;
			const now = { start_minute: minute, end_minute: minute + 15 };
			assert.equal(await cost(now), 1000);
			assert.equal(await cost({ ...now, weekdays: weekday }, { weekdays: 127 - weekday }), 1000);
			assert.equal(await cost(now, { weekdays: weekday }), 2000);
			assert.equal(await cost({ start_minute: (minute + 15) % 1440, end_minute: minute || 1440 }), 500);
			assert.equal(await cost({ ...now, from: "2001-01-01" }), 500);
			dynamic = true;
			await gateway().write("prices/dynamic", { start: quarter, step_minutes: 15, prices: [] });
			assert.equal(await cost(), undefined);
			const prices = [{ import_micro: 300_000 }, { import_micro: 300_000 }];
			await gateway().write("prices/dynamic", { start: quarter, step_minutes: 15, prices });
			assert.deepEqual([await cost(), await cost(now)], [300_500, 301_000]);
			await gateway().write("prices/dynamic", { start: quarter, step_minutes: 15, prices: [] });
		});
		it("takes at most 300 bytes", async () => {
			await meterWith("1.8.0(99999999.9999*kWh) 2.8.0(99999999.9999*kWh) 16.7.0(-99999.9999*kW)");
			await gateway().read("iec62056/read");
			await price(2_000_000_000, { export_micro: 2_000_000_000 });
			const { text } = await gateway().get("meter/now");
			assert.equal(JSON.parse(text).cost_per_hour_micro, -199_999_999_800_000);
			assert.ok(text.length <= 300, text);
		});
	});

	describe("query lang", () => {
		it("adds German or Polish names; any other value gives English only", async () => {
			await gateway().connectMeter({ telegram: zmf100.telegram });
			await gateway().read("iec62056/read");
			for (const [query, language] of [
				["?lang=de", "de"],
				["?lang=pl", "pl"],
				["?lang=d%65", "de"],
				["?x=1&lang=pl&lang=de", "pl"],
				["?lang=en", "en"],
				["?lang=xx", "en"],
				["?lang=DE", "en"],
				["?lang=", "en"],
				["?lang=dede", "en"],
				["?lang=%00", "en"],
				["?Lang=de", "en"],
				["", "en"],
			]) {
				const last = await gateway().read(`iec62056/last${query}`);
				isReadout(last, { language, last: true });
				assert.deepEqual(withoutNames(last), zmf100.readings, query);
			}
			const read = await gateway().read("iec62056/read?lang=pl");
			isReadout(read, { language: "pl" });
			const energy = read.readings.find((reading: JSONObject) => reading.obis === "1.8.0");
			assert.match(energy.en, /import/i);
			assert.match(energy.pl, /pobran|pobór|poboru/i);
		});
	});

	describe("mode D", () => {
		it("waits for the next telegram, and updates /last without a request", async () => {
			await gateway().connectMeter({ telegram: pushed.telegram, mode: "D", pushBaud: 9600, pushMs: 1000 });
			await gateway().write("iec62056/config", { mode_d_enabled: true, mode_d_baudrate: 9600 });
			const readout = await gateway().read("iec62056/read");
			isReadout(readout);
			assert.equal(readout.mode, "D");
			assert.equal(readout.baudrate, 9600);
			assert.equal(readout.meter_id, pushed.meterId);
			assert.deepEqual(withoutNames(readout), pushed.readings);
			await gateway().pass(2500);
			const last = await gateway().read("iec62056/last");
			assert.ok(last.timestamp > readout.timestamp);
			assert.equal(last.running, false);
			assert.deepEqual(withoutNames(last), pushed.readings);
		});
		it("returns the identification of a telegram to a probe", async () => {
			await gateway().connectMeter({ telegram: pushed.telegram, mode: "D", pushBaud: 9600, pushMs: 1000 });
			await gateway().write("iec62056/config", { mode_d_enabled: true, mode_d_baudrate: 9600 });
			const probe = await gateway().write("meter/probe", undefined);
			assert.equal(probe.ok, true);
			assert.equal(probe.meter_id, pushed.meterId);
		});
	});

	describe("the built-in simulator", () => {
		it("replaces the meter while it is on", async () => {
			await gateway().connectMeter(undefined);
			await gateway().write("iec62056/control", { simulator_en: true });
			const readout = await gateway().read("iec62056/read");
			isReadout(readout);
			assert.equal(readout.status, 0);
			assert.ok(readout.readings.length >= 10);
			const probe = await gateway().write("meter/probe", undefined);
			assert.equal(probe.ok, true);
			assert.equal(probe.meter_id, readout.meter_id);
			await gateway().connectMeter({ telegram: zmf100.telegram });
			assert.equal((await gateway().read("iec62056/read")).meter_id, readout.meter_id);
			await gateway().write("iec62056/control", { simulator_en: false });
			assert.equal((await gateway().read("iec62056/read")).meter_id, zmf100.meterId);
		});
		it("leaves no readout of its own when turned off, and keeps the meter's readout when turned on", async () => {
			await gateway().connectMeter({ telegram: zmf100.telegram });
			await gateway().write("iec62056/control", { simulator_en: true });
			await gateway().read("iec62056/read");
			assert.equal((await gateway().read("iec62056/last")).status, 0);
			await gateway().write("iec62056/control", { simulator_en: false });
			const { status, readings, timestamp, last_attempt } = await gateway().read("iec62056/last");
			assert.deepEqual([status, readings, timestamp, last_attempt], [1, [], 0, 0]);
			assert.equal((await gateway().read("system/status")).meter_state, "idle");
			await gateway().read("iec62056/read");
			await gateway().write("iec62056/control", { simulator_en: true });
			assert.equal((await gateway().read("iec62056/last")).meter_id, zmf100.meterId);
			await gateway().write("iec62056/control", { simulator_en: false });
			assert.equal((await gateway().read("iec62056/last")).meter_id, zmf100.meterId);
		});
		it("shows the protocol that is set for the meter", async () => {
			await gateway().write("iec62056/control", { simulator_en: true });
			for (const [protocol, shown, mode, missing] of [
				["dlms", "DLMS/COSEM", "", []],
				["iec62056", "IEC62056-21", "C", undefined],
			] as const) {
				await gateway().write("meter/protocol", { protocol });
				const readout = await gateway().read("iec62056/read");
				assert.deepEqual([readout.protocol, readout.mode, readout.missing], [shown, mode, missing]);
				assert.ok(readout.readings.length >= 10);
			}
		});
	});

	describe("POST meter/probe", () => {
		const PROBE = "ok meter_id error message received damaged text hex unasked settings".split(" ");

		it("shows the identification that was received, and leaves the meter ready", async () => {
			await gateway().connectMeter({ telegram: zmf100.telegram });
			const before = await gateway().read("iec62056/last");
			const probe = await gateway().write("meter/probe", undefined);
			assert.deepEqual(Object.keys(probe), PROBE);
			assert.deepEqual([probe.ok, probe.meter_id, probe.error, probe.damaged], [true, zmf100.meterId, null, 0]);
			assert.equal(probe.text, `/${zmf100.meterId}\r\n`);
			assert.equal(probe.hex, Buffer.from(probe.text).toString("hex"));
			assert.equal(probe.received, probe.text.length);
			assert.deepEqual(await gateway().read("iec62056/last"), before);
			assert.equal((await gateway().write("meter/probe", {})).ok, true);
			assert.equal((await gateway().read("iec62056/read")).status, 0);
		});
		it("reports that nothing was received", async () => {
			await gateway().connectMeter({ telegram: zmf100.telegram, faults: { silence: 1000 } });
			const probe = await gateway().write("meter/probe", undefined);
			assert.deepEqual([probe.ok, probe.meter_id, probe.error], [false, "", "iec62056-21/silence"]);
			assert.deepEqual([probe.received, probe.damaged, probe.text, probe.hex], [0, 0, "", ""]);
		});
		it("reports that only the echo was received", async () => {
			await gateway().connectMeter({ telegram: zmf100.telegram, faults: { silence: 1000 }, echo: true });
			const probe = await gateway().write("meter/probe", undefined);
			assert.deepEqual([probe.ok, probe.meter_id, probe.error], [false, "", "iec62056-21/echo-only"]);
			assert.deepEqual([probe.received, probe.text, probe.hex], [5, "/?!\r\n", "2f3f210d0a"]);
		});
		it("signs on only once if it is quick", async () => {
			await gateway().connectMeter({ telegram: zmf100.telegram, faults: { silence: 1 }, echo: true });
			const missed = await gateway().write("meter/probe", { quick: true });
			assert.deepEqual(Object.keys(missed), PROBE);
			assert.deepEqual([missed.ok, missed.error, missed.received], [false, "meter/echo-only", 5]);
			assert.equal((await gateway().write("meter/probe", { quick: true })).meter_id, zmf100.meterId);
			isError(await gateway().post("meter/probe", { quick: "yes" }), 400, "invalid_field", "quick");
		});
		it("reports unsolicited data with the settings that read it, as a readout does", async () => {
			const { telegram } = pushed;
			await gateway().connectMeter({ telegram, mode: "D", pushBaud: 9600, pushMs: 2000, isPaced: true });
			const failed = await gateway().get("iec62056/read");
			isError(failed, 500, "meter_error");
			const body = JSON.parse(failed.text);
			const probe = await gateway().write("meter/probe", undefined);
			assert.deepEqual([probe.ok, probe.error, body.code], [false, "unasked/ascii", "unasked/ascii"]);
			assert.match(probe.text, /\d\.\d.*\(/);
			for (const { unasked, settings } of [body, probe]) {
				assert.deepEqual([unasked.kind, unasked.baudrate, unasked.supported], ["ascii", 9600, true]);
				assert.deepEqual(settings, { protocol: "iec62056", mode_d_enabled: true, mode_d_baudrate: 9600 });
			}
			await gateway().write("iec62056/config", { mode_d_enabled: true, mode_d_baudrate: 9600 });
			assert.equal((await gateway().read("iec62056/read")).meter_id, pushed.meterId);
			await gateway().write("iec62056/config", { mode_d_enabled: false, mode_d_baudrate: 2400 });
		});
		it("reports that the port is missing", async () => {
			await gateway().connectMeter(undefined);
			const probe = await gateway().write("meter/probe", undefined);
			assert.deepEqual([probe.ok, probe.error, probe.received], [false, "port", 0]);
		});
		it("replies 503 while a readout is running", async () => {
			await gateway().connectMeter({ telegram: zmf100.telegram });
			const reading = gateway().begin("GET", "iec62056/read");
			await gateway().pass(50);
			isError(await gateway().post("meter/probe"), 503, "busy");
			assert.equal(succeeded(await reading.reply()).status, 0);
		});
		it("is followed by a readout that was requested while it ran", async () => {
			await gateway().connectMeter({ telegram: zmf100.telegram });
			const probing = gateway().begin("POST", "meter/probe");
			await gateway().pass(20);
			const reading = gateway().begin("GET", "iec62056/read");
			assert.equal(succeeded(await probing.reply()).ok, true);
			assert.equal(succeeded(await reading.reply()).status, 0);
		});
	});

	describe("GET iec62056/log", () => {
		it("is empty while log_en is off, even after a readout", async () => {
			await gateway().connectMeter({ telegram: zmf100.telegram });
			await gateway().read("iec62056/read");
			const log = await gateway().read("iec62056/log");
			assert.deepEqual(Object.keys(log), ["log_en", "now_ms", "dropped", "entries"]);
			assert.deepEqual([log.log_en, log.dropped, log.entries], [false, 0, []]);
		});
		it("shows what was sent, at which speed, and what was received", async () => {
			await gateway().connectMeter({ telegram: zmf100.telegram });
			await gateway().write("iec62056/control", { log_en: true });
			const readout = await gateway().read("iec62056/read");
			const log = await gateway().read("iec62056/log");
			assert.equal(log.log_en, true);
			const kinds = new Set(log.entries.map((entry: JSONObject) => entry.kind));
			assert.deepEqual([...kinds].sort(), ["line", "received", "sent"]);
			let beforeMs = 0;
			for (const entry of log.entries) {
				assert.ok(entry.ms >= beforeMs && entry.ms <= log.now_ms);
				beforeMs = entry.ms;
				if (entry.kind === "line") assert.deepEqual(Object.keys(entry), ["ms", "kind", "baud"]);
				else {
					assert.deepEqual(Object.keys(entry), ["ms", "kind", "text", "hex"]);
					assert.match(entry.hex, /^([0-9a-f]{2})+$/);
				}
			}
			const z = String.fromCharCode(zmf100.telegram[4]);
			assert.deepEqual(await sentTo(gateway()), ["/?!\r\n", `\u00060${z}0\r\n`]);
			const received = log.entries.filter((entry: JSONObject) => entry.kind === "received");
			const hex = received.map((entry: JSONObject) => entry.hex).join("");
			assert.equal(hex, Buffer.from(zmf100.telegram).toString("hex"));
			const speeds = log.entries.filter((entry: JSONObject) => entry.kind === "line");
			assert.ok(speeds.some((entry: JSONObject) => entry.baud === readout.baudrate));
		});
		it("is cleared when log_en is turned off", async () => {
			await gateway().connectMeter({ telegram: zmf100.telegram });
			await gateway().write("iec62056/control", { log_en: true });
			await gateway().write("meter/probe", undefined);
			assert.ok((await gateway().read("iec62056/log")).entries.length > 0);
			await gateway().write("iec62056/control", { log_en: false });
			assert.deepEqual((await gateway().read("iec62056/log")).entries, []);
		});
	});
}
