/** The history from the meter's line to `GET meter/history`, in virtual time. */
import assert from "node:assert/strict";
import { isError, type JSONObject } from "../api/gateway.js";
import { VirtualGateway } from "../api/virtual-gateway.js";
import { expectFaults } from "../faults.js";

const MINUTE_MS = 60_000;
const HOUR_S = 3600;
const START_MS = Date.UTC(2026, 9, 24, 20, 0, 1);

/** A telegram with these readings, Wh. */
function telegramOf(importWh: number, exportWh: number, serial = "4711"): Uint8Array {
	const kilo = (value: number) => (value / 1000).toFixed(3).padStart(10, "0");
	const block = `0.0.0(${serial})\r\n1.8.0(${kilo(importWh)}*kWh)\r\n2.8.0(${kilo(exportWh)}*kWh)\r\n!\r\n\x03`;
	const check = Buffer.from(block, "latin1").reduce((sum, byte) => sum ^ byte, 0);
	return new Uint8Array(Buffer.from(`/XYZ5METER\r\n\x02${block}${String.fromCharCode(check)}`, "latin1"));
}

describe("The history of a gateway", function () {
	this.timeout(60_000);
	let gateway: VirtualGateway;
	let importWh: number;

	beforeEach(async () => {
		importWh = 123_456_000;
		gateway = await VirtualGateway.loggedIn("client", { utcMs: START_MS });
		await gateway.write("system/timezone", { timezone: "Europe/Berlin" });
		await scheduleOff();
	});
	afterEach(async () => {
		await gateway.stop();
	});

	const history = async (query: string): Promise<JSONObject[]> =>
		(await gateway.read(`meter/history?${query}`)).periods;

	/** Switches off the schedule, so that only the test reads the meter. */
	async function scheduleOff(): Promise<void> {
		await gateway.write("iec62056/schedule", { enabled: false, period_unit: "minutes", period_value: 15 });
	}

	/** Reads the meter every quarter of an hour. */
	async function readFor(hours: number, serial?: string): Promise<void> {
		for (let i = 0; i < hours * 4; i++) {
			await gateway.connectMeter({ telegram: telegramOf(importWh, 77_000, serial) });
			if (i % 2 === 0) await gateway.login();
			const from = gateway.world.time.nowMs;
			await gateway.read("iec62056/read");
			await gateway.pass(15 * MINUTE_MS - (gateway.world.time.nowMs - from));
			importWh += 100;
		}
		await gateway.login();
	}

	it("returns the day of 25 hours, hour by hour, as JSON and as CSV", async () => {
		await readFor(29);
		const hours = await history("period=hours");
		assert.equal(hours.length, 29);
		assert.deepEqual(hours[0], {
			start: START_MS / 1000 - 1,
			end: START_MS / 1000 - 1 + HOUR_S,
			localtime: "2026-10-24T22:00:00+02:00",
			import_wh: 400,
			export_wh: 0,
		});
		assert.deepEqual(
			hours.slice(4, 6).map(({ localtime }) => localtime),
			["2026-10-25T02:00:00+02:00", "2026-10-25T02:00:00+01:00"],
		);
		assert.equal(hours[28].partial, true);
		const days = await history("period=days");
		assert.deepEqual(days.map(({ start, end, import_wh }) => [(end - start) / HOUR_S, import_wh]).at(1), [25, 10_000]);
		assert.equal(days[0].partial, true);
		const [, day] = days;
		assert.equal((await history(`period=quarters&from=${day.start}&to=${day.end}`)).length, 100);

		const csv = await gateway.get("meter/history?period=hours", { headers: { Accept: "text/csv" } });
		const [names, ...rows] = csv.text.trimEnd().split("\r\n");
		const listed = rows.map((row) => Object.fromEntries(row.split(",").map((cell, i) => [names.split(",")[i], cell])));
		assert.deepEqual(
			listed,
			hours.map((one) => ({
				start: String(one.start),
				end: String(one.end),
				local_start: one.localtime,
				import_wh: String(one.import_wh),
				export_wh: String(one.export_wh),
				gas_l: "",
				water_l: "",
				heat_wh: "",
				marks: one.partial ? "partial" : "",
				import_t2_wh: "",
			})),
		);
	});

	it("survives a restart, and is empty after a factory reset", async () => {
		await readFor(3);
		const before = await history("period=quarters");
		assert.equal(before.length, 11);
		await gateway.restartAndLogin();
		assert.deepEqual(await history("period=quarters"), before);
		await gateway.post("system/factory_reset");
		await gateway.loginAfterReboot();
		assert.deepEqual(await history("period=quarters"), []);
		await scheduleOff();
		await readFor(1);
		assert.equal((await history("period=quarters")).length, 3);
	});

	it("stores nothing from the built-in simulator, and continues after it", async () => {
		await readFor(1);
		await gateway.write("iec62056/control", { simulator_en: true });
		await gateway.pass(15 * MINUTE_MS);
		await gateway.read("iec62056/read");
		await gateway.pass(15 * MINUTE_MS);
		await gateway.login();
		await gateway.write("iec62056/control", { simulator_en: false });
		importWh += 200;
		await readFor(1);
		const hours = await history("period=hours");
		assert.equal(
			hours.reduce((sum, { import_wh }) => sum + import_wh, 0),
			importWh - 100 - 123_456_000,
		);
		assert.ok(hours.every(({ meter_changed }) => !meter_changed));
	});

	it("marks the period in which the meter was exchanged", async () => {
		await readFor(2);
		importWh = 5000;
		await readFor(2, "4712");
		const marked = (await history("period=quarters")).filter(({ meter_changed }) => meter_changed);
		assert.equal(marked.length, 1);
		assert.equal(marked[0].import_wh, undefined);
	});

	it("stores nothing while the clock has not been set", async () => {
		await gateway.stop();
		gateway = await VirtualGateway.loggedIn("client", {});
		await scheduleOff();
		await readFor(1);
		assert.deepEqual(await history("period=quarters"), []);
		assert.ok(gateway.world.flash.open("history")!.bytes.every((byte) => byte === 0xff));
	});

	it("is empty if there is no flash for it", async () => {
		gateway.onWorld = (world) => Object.assign(world, { flash: { open: () => undefined } });
		await gateway.restart();
		await readFor(1);
		assert.deepEqual(await history("period=quarters"), []);
	});

	it("replies `busy` while memory is too short for the reply, and stores the reading once it suffices", async () => {
		let suffices = true;
		gateway.onWorld = (world) => Object.assign(world, { memory: { suffices: () => suffices } });
		await gateway.restart();
		await readFor(1);
		suffices = false;
		isError(await gateway.get("meter/history"), 503, "busy");
		suffices = true;
		assert.equal((await history("period=quarters")).length, 3);
		await gateway.connectMeter({ telegram: telegramOf(importWh, 77_000) });
		// Memory suffices when the readout begins, but not when the history would store it.
		const reading = gateway.begin("GET", "iec62056/read");
		await gateway.pass(100);
		suffices = false;
		assert.equal((await reading.reply()).status, 200);
		await gateway.pass(5000);
		suffices = true;
		await gateway.pass(1500);
		assert.equal((await history("period=quarters")).length, 4);
	});

	it("replies 500 if flash can't be read, and the gateway keeps working", async () => {
		await readFor(1);
		await gateway.restartAndLogin();
		const { read } = gateway.world.flash.open("history")!;
		expectFaults(/^fault: http: Error: the flash can't be read/);
		gateway.world.flash.open("history")!.read = () => {
			throw new Error("the flash can't be read");
		};
		isError(await gateway.get("meter/history"), 500, "internal");
		gateway.world.flash.open("history")!.read = read;
		assert.equal((await history("period=quarters")).length, 3);
	});

	it("closes the connection in the middle of a reply that can't be completed", async () => {
		await readFor(48);
		const client = gateway.world.connect(true, gateway.clientAddress);
		client.paused = true;
		const authorization = `Authorization: Bearer ${gateway.token}`;
		client.send(
			`GET /api/v1/meter/history?period=quarters HTTP/1.1\r\nHost: gateway.local\r\n${authorization}\r\n\r\n`,
		);
		await gateway.pass(100);
		expectFaults(/^fault: http: Error: the flash can't be read/);
		gateway.world.flash.open("history")!.read = () => {
			throw new Error("the flash can't be read");
		};
		client.paused = false;
		await gateway.pass(1000);
		assert.ok(client.isClosed);
		assert.match(client.text, /^HTTP\/1.1 200 /);
		assert.doesNotMatch(client.text, /\]\}/);
	});
});
