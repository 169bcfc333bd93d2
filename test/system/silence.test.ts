/** A P1 meter that falls silent, and what the API of the whole gateway shows: before, during and after. */
import assert from "node:assert/strict";
import { Household } from "../../tools/meter/household.js";
import { p1Telegram } from "../../tools/meter/p1-telegram.js";
import { PushMeter } from "../../tools/meter/push-meter.js";
import type { JSONObject } from "../api/gateway.js";
import { readMetrics } from "../api/metrics-text.js";
import { START_UTC_MS, VirtualGateway } from "../api/virtual-gateway.js";

const POWER = "1-0:21.7.0";
const COUNTER = "1-0:1.8.1";
/** Longer than the age limit of a meter that sends each second. */
const SILENCE_MS = 40_000;

describe("a P1 meter that falls silent", function () {
	this.timeout(60_000);
	let gateway: VirtualGateway;
	let isOn: boolean;

	beforeEach(async () => {
		gateway = await VirtualGateway.loggedIn();
		await gateway.write("iec62056/config", { mode_d_enabled: true, mode_d_baudrate: 115_200 });
		isOn = true;
		const household = new Household({ utcMs: START_UTC_MS, mode: "C", baud: 9600 });
		const source = (nowMs: number) => (isOn ? p1Telegram(household.reading(nowMs)) : new Uint8Array(0));
		const line = gateway.world.serial.meter;
		line.plugIn();
		line.connect(new PushMeter({ source, baud: 115_200, pushMs: 1000 }, gateway.world.clock.monotonicMs()));
		await gateway.pass(60_000);
	});
	afterEach(() => gateway.stop());

	const log = async () =>
		(await gateway.read("system/log")).events
			.map(({ event, detail }: JSONObject) => `${event} ${detail ?? ""}`.trim())
			.filter((text: string) => text.startsWith("meter"));
	const state = async () => (await gateway.read("system/status")).meter_state;
	const number = ({ readings }: JSONObject, code: string) =>
		readings.find(({ obis_long }: JSONObject) => obis_long === code).value1_number;
	const powers = async () =>
		readMetrics((await gateway.get("metrics")).text).filter(({ name }) => name === "smartmeter_power_watts").length;
	const silence = async () => {
		isOn = false;
		await gateway.pass(SILENCE_MS);
	};

	it("is noticed by status, last readout, log and metrics; counters stay, and the texts are those of the meter", async () => {
		const before = await gateway.read("iec62056/last");
		assert.deepEqual([await state(), before.last_error, before.momentary_valid], ["ok", null, true]);
		assert.ok(number(before, POWER) !== null && (await powers()) > 0);
		await silence();
		const last = await gateway.read("iec62056/last");
		assert.deepEqual([await state(), last.last_error, last.momentary_valid], ["meter/silent", "meter/silent", false]);
		assert.equal(number(last, POWER), null);
		assert.equal(number(last, COUNTER), number(before, COUNTER));
		assert.ok(last.readings.every(({ value1 }: JSONObject) => value1 !== ""));
		assert.equal(await powers(), 0);
		assert.deepEqual(await log(), ["meter_failed meter/silent"]);
	});

	it("takes the power out of meter/now, while the counters stay and grow old", async () => {
		const before = await gateway.read("meter/now");
		assert.deepEqual(Object.keys(before), ["age_secs", "power_w", "direction", "import_kwh", "export_kwh"]);
		assert.ok(before.age_secs <= 1 && before.power_w !== 0, JSON.stringify(before));
		await silence();
		const { age_secs, ...now } = await gateway.read("meter/now");
		assert.deepEqual(Object.keys(now), ["import_kwh", "export_kwh"]);
		assert.ok(age_secs >= SILENCE_MS / 1000 - 1 && now.import_kwh >= before.import_kwh);
		await gateway.pass(600_000);
		assert.deepEqual(await gateway.read("meter/now"), { age_secs: age_secs + 600, ...now });
	});

	it("is noticed once, and so is its return", async () => {
		await silence();
		await gateway.pass(600_000);
		isOn = true;
		await gateway.pass(5000);
		const last = await gateway.read("iec62056/last");
		assert.deepEqual([await state(), last.last_error, last.momentary_valid], ["ok", null, true]);
		assert.ok(number(last, POWER) !== null && (await powers()) > 0);
		assert.deepEqual(await log(), ["meter_failed meter/silent", "meter_read"]);
	});

	it("is not said to be back after a start", async () => {
		assert.deepEqual(await log(), []);
	});
});
