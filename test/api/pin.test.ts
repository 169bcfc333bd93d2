/**
 * Entering the PIN of a meter's display over HTTP, and its effect. Runs in virtual time. test/meter/pin.test.ts tests
 * the light.
 */
import assert from "node:assert/strict";
import { isOpen } from "../../hosts/browser/kit/power.js";
import type { VirtualWorld } from "../../hosts/node/virtual.js";
import { Household } from "../../tools/meter/household.js";
import { MeterDisplay } from "../../tools/meter/meter-display.js";
import { PushMeter } from "../../tools/meter/push-meter.js";
import { smlSource } from "../../tools/meter/sml-options.js";
import { isError, type JSONObject, vectorOf } from "./gateway.js";
import { START_UTC_MS, VirtualGateway } from "./virtual-gateway.js";

const { telegram } = vectorOf("landis-gyr-zmf100-m26-padded-left");
const PIN = "90817263";

describe("POST meter/pin", () => {
	let gateway: VirtualGateway;

	beforeEach(async () => {
		gateway = await VirtualGateway.loggedIn("client", { utcMs: START_UTC_MS });
		await gateway.connectMeter({ telegram });
	});
	afterEach(() => gateway.stop());

	it("reports how long the entry takes, and occupies the line for that time", async () => {
		const { duration_ms, digits_ms } = await gateway.write("meter/pin", { pin: PIN });
		assert.equal(duration_ms, 2 * 2000 + 36 * 1000 + 7 * 4000 + 3000);
		assert.deepEqual([digits_ms.length, digits_ms[0], digits_ms.at(-1)], [8, 2 * 2000 + 13_000, duration_ms]);
		await gateway.pass(duration_ms - 500);
		isError(await gateway.post("meter/probe"), 503, "busy");
		const again = await gateway.post("meter/pin", { pin: "1234" });
		isError(again, 409, "busy");
		assert.equal(again.headers.get("retry-after"), "5");
		// A readout that is requested now waits.
		assert.equal((await gateway.read("iec62056/read")).status, 0);
		assert.equal((await gateway.write("meter/pin", { pin: "0000", flashes: 0 })).duration_ms, 12_000);
	});
	it("replies 409 while a readout is running", async () => {
		const reading = gateway.begin("GET", "iec62056/read");
		await gateway.pass(50);
		isError(await gateway.post("meter/pin", { pin: PIN }), 409, "busy");
		assert.equal((await reading.reply()).status, 200);
	});
	it("reports that the port of the head can't be used", async () => {
		await gateway.connectMeter(undefined);
		const reply = await gateway.post("meter/pin", { pin: PIN });
		isError(reply, 500, "meter_error");
		assert.equal(JSON.parse(reply.text).code, "port");
		await gateway.connectMeter({ telegram });
		assert.equal((await gateway.read("iec62056/read")).status, 0);
	});
	it("is aborted by DELETE, which does not disturb others on the line", async () => {
		assert.equal((await gateway.request("DELETE", "meter/pin")).status, 200);
		await gateway.write("meter/pin", { pin: PIN });
		await gateway.pass(10_000);
		assert.equal((await gateway.request("DELETE", "meter/pin")).status, 200);
		assert.equal((await gateway.read("iec62056/read")).status, 0);
		const probing = gateway.begin("POST", "meter/probe");
		await gateway.pass(50);
		assert.equal((await gateway.request("DELETE", "meter/pin")).status, 200);
		assert.equal(JSON.parse((await probing.reply()).text).ok, true);
	});
	it("takes no time with the simulator", async () => {
		await gateway.write("iec62056/control", { simulator_en: true });
		assert.deepEqual(await gateway.write("meter/pin", { pin: PIN }), { duration_ms: 0, digits_ms: [] });
		assert.equal((await gateway.read("iec62056/read")).status, 0);
	});
	it("leaves the PIN neither in the settings nor in backup, logs and traces", async () => {
		await gateway.write("iec62056/control", { log_en: true });
		const { duration_ms } = await gateway.write("meter/pin", { pin: PIN });
		await gateway.pass(duration_ms);
		for (const path of ["iec62056/log", "system/log", "system/backup", "iec62056/last", "metrics"])
			assert.ok(!(await gateway.get(path)).text.includes(PIN), path);
		assert.deepEqual((await gateway.read("iec62056/log")).entries, []);
		assert.ok(!gateway.diagnosis.includes(PIN));
	});
});

describe("A meter that hides its values", () => {
	const pin = "0815";
	let gateway: VirtualGateway;
	let display: MeterDisplay;
	let offsetMs: number;

	/** Connects the meter; its time is that of this world plus `offsetMs`. */
	function attachMeter(world: VirtualWorld): void {
		const household = new Household({ utcMs: START_UTC_MS, mode: "C", baud: 9600 });
		const fromMs = offsetMs;
		const sml = smlSource({ display });
		const source = (nowMs: number) => sml(household.reading(fromMs + nowMs), fromMs + nowMs);
		const meter = new PushMeter({ source, baud: 9600, pushMs: 2000, display });
		meter.light = (startMs, endMs) => display.light(fromMs + startMs, fromMs + endMs);
		world.serial.meter.connect(meter);
	}
	async function sent(): Promise<"all" | "little"> {
		await gateway.pass(5000);
		const { status, readings } = await gateway.read("iec62056/read");
		assert.equal(status, 0);
		const hasPower = readings.some(({ obis }: JSONObject) => obis === "16.7.0");
		const isWhole = readings.find(({ obis }: JSONObject) => obis === "1.8.0").value1_number % 1000 === 0;
		assert.equal(hasPower, !isWhole, JSON.stringify(readings));
		assert.equal(isOpen(readings), hasPower);
		return hasPower ? "all" : "little";
	}
	/** Enters the PIN and waits until the entry is complete. */
	async function enter(body: JSONObject): Promise<void> {
		const { duration_ms } = await gateway.write("meter/pin", body);
		await gateway.pass(duration_ms);
	}

	beforeEach(async () => {
		gateway = new VirtualGateway("client", { utcMs: START_UTC_MS });
		display = new MeterDisplay({ pin });
		offsetMs = 0;
		attachMeter(gateway.world);
		await gateway.login();
		await gateway.write("meter/protocol", { protocol: "sml" });
	});
	afterEach(() => gateway.stop());

	it("sends all values for two minutes after its PIN", async () => {
		assert.equal(await sent(), "little");
		await enter({ pin });
		assert.equal(await sent(), "all");
		await gateway.pass(120_000);
		assert.equal(await sent(), "little");
	});
	it("sends all values for good once its menu item InF is on, even if the PIN alone has no effect", async () => {
		display = new MeterDisplay({ pin, flashes: 1, needsInf: true });
		attachMeter(gateway.world);
		await enter({ pin, flashes: 1 });
		assert.equal(await sent(), "little");
		await gateway.pass(120_000);
		await enter({ pin, flashes: 1, inf: 8 });
		await gateway.pass(200_000);
		assert.equal(await sent(), "all");
	});
	it("switches on its menu item InF and nothing else, even if its menu is still shown", async () => {
		display = new MeterDisplay({ pin, needsInf: true });
		attachMeter(gateway.world);
		await enter({ pin });
		assert.equal(await sent(), "little");
		const { duration_ms, digits_ms } = await gateway.write("meter/pin", { pin, inf: 8 });
		assert.ok(digits_ms[0] > 100_000 && digits_ms[0] < 130_000, `${digits_ms[0]} ms`);
		await gateway.pass(duration_ms);
		assert.equal(await sent(), "all");
		assert.deepEqual(display.switched, ["InF"]);
		// After an abort, an entry also waits until the menu is no longer shown.
		await gateway.pass(200_000);
		await gateway.write("meter/pin", { pin });
		await gateway.pass(30_000);
		await gateway.request("DELETE", "meter/pin");
		const { digits_ms: later } = await gateway.write("meter/pin", { pin, inf: 8 });
		assert.ok(later[0] > 100_000, `${later[0]} ms`);
	});
	it("sends few values after a wrong PIN, and all after the right one", async () => {
		await enter({ pin: "8150" });
		assert.equal(await sent(), "little");
		await enter({ pin });
		assert.equal(await sent(), "all");
	});
	it("is read after the PIN if a readout was requested during the entry", async () => {
		await gateway.write("meter/pin", { pin });
		await gateway.pass(10_000);
		const { readings } = await gateway.read("iec62056/read");
		assert.ok(isOpen(readings));
		assert.deepEqual(display.entered, [pin]);
	});
	it("sends few values after an aborted entry, and accepts its PIN later", async () => {
		await gateway.write("meter/pin", { pin });
		await gateway.pass(12_000);
		await gateway.request("DELETE", "meter/pin");
		assert.equal(await sent(), "little");
		await gateway.pass(30_000);
		await enter({ pin });
		assert.equal(await sent(), "all");
	});
	it("sends few values after the gateway restarted during the entry, and accepts its PIN later", async () => {
		await gateway.write("meter/pin", { pin });
		await gateway.pass(12_000);
		gateway.onWorld = attachMeter;
		offsetMs = gateway.world.time.nowMs;
		await gateway.restartAndLogin();
		assert.equal(await sent(), "little");
		await gateway.pass(30_000);
		await enter({ pin });
		assert.equal(await sent(), "all");
	});
});
