/** Live mode in the whole gateway: which clients start it, where the values arrive, and what it does not disturb. */
import assert from "node:assert/strict";
import { parseDLMSOptions } from "../../tools/meter/dlms-options.js";
import { ASSOCIATED } from "../../tools/meter/dlms-server.js";
import { makeDLMSMeter } from "../../tools/meter/make-dlms-meter.js";
import type { JSONObject } from "../api/gateway.js";
import { LAN_CLIENT, START_UTC_MS, VirtualGateway } from "../api/virtual-gateway.js";
import { BROKER_ADDRESS, ScriptedBroker } from "../mqtt/broker.js";

const ACCESS = { server_physical: 17, opening: "direct" };
const STATE = "smgw/virtual0001/state";

describe("Live mode in the gateway", () => {
	let gateway: VirtualGateway;

	beforeEach(async () => {
		gateway = await VirtualGateway.loggedIn();
		connect("");
		await gateway.write("meter/protocol", { protocol: "dlms" });
		await gateway.write("dlms/config", ACCESS);
		await gateway.pass(5000);
	});
	afterEach(() => gateway.stop());

	function connect(line: string): void {
		const options = parseDLMSOptions(line === "" ? [] : line.split(" "))!;
		gateway.world.serial.meter.connect(makeDLMSMeter(options, { utcMs: START_UTC_MS, clocked: true }));
	}

	const status = () => gateway.read("system/status");
	const liveState = async () => (await status()).meter_live;
	const associations = () => gateway.world.serial.meter.meterEvents.filter((code) => code === ASSOCIATED).length;
	const numberOf = ({ readings }: JSONObject, code: string) =>
		readings.find(({ obis }: JSONObject) => obis === code).value1_number;
	/** Import minus export. */
	const powerOf = (last: JSONObject) => numberOf(last, "1.7.0") - numberOf(last, "2.7.0");

	it("is off at first, and waits for a client when it is on", async () => {
		assert.equal((await gateway.read("dlms/config")).live_secs, 0);
		const follower = gateway.follow();
		await gateway.pass(60_000);
		assert.deepEqual([await liveState(), associations()], ["off", 0]);
		follower.leave();
		await gateway.write("dlms/config", { live_secs: 2 });
		await gateway.pass(60_000);
		assert.deepEqual([await liveState(), associations()], ["waiting", 0]);
	});
	it("takes 0 to 5 seconds", async () => {
		for (const live_secs of [-1, 6, 2.5, "2"]) {
			const reply = await gateway.post("dlms/config", { live_secs });
			assert.deepEqual([reply.status, JSON.parse(reply.text).field], [400, "live_secs"]);
		}
		for (let live_secs = 5; live_secs >= 0; live_secs--) await gateway.write("dlms/config", { live_secs });
	});
	it("is on while the event stream is read, and marks the power with its own time", async () => {
		await gateway.write("dlms/config", { live_secs: 2 });
		await gateway.read("iec62056/read");
		const full = await gateway.read("iec62056/last");
		assert.equal(full.live_timestamp, undefined);
		const follower = gateway.follow();
		await gateway.pass(5000);
		const from = follower.events.length;
		await gateway.pass(20_000);
		const readouts = follower.events.slice(from).filter(({ name }) => name === "readout");
		assert.ok(readouts.length >= 9, String(readouts.length));
		const last = await gateway.read("iec62056/last");
		assert.equal(last.timestamp, full.timestamp);
		assert.ok(last.live_timestamp > full.timestamp + 15);
		assert.equal(last.live_timestamp, readouts.at(-1)!.data.live_timestamp);
		assert.equal(last.readings.length, full.readings.length);
		assert.notEqual(powerOf(last), powerOf(full));
		assert.equal(follower.last("state").meter_live, "on");
		assert.equal(follower.last("state").meter_state, "ok");
		follower.leave();
		await gateway.pass(40_000);
		assert.equal(await liveState(), "waiting");
	});
	it("is on while a listed client of a dialect sends requests, and gives it fresh values", async () => {
		await gateway.write("dlms/config", { live_secs: 2 });
		await gateway.write("live-meter", { ecotracker: true, max_age_secs: 5 });
		await gateway.write("live-meter/clients", { clients: [{ address: LAN_CLIENT }] });
		const ask = () => gateway.begin("GET", "/v1/json", { secure: false, token: null }).reply();
		assert.equal((await ask()).status, 503);
		await gateway.pass(5000);
		for (let i = 0; i < 20; i++) {
			const reply = await ask();
			assert.equal(reply.status, 200);
			const { power, agePower, energyCounterIn } = JSON.parse(reply.text);
			assert.ok(agePower < 2500, String(agePower));
			assert.equal(power, powerOf(await gateway.read("iec62056/last")));
			assert.ok(energyCounterIn > 0);
			await gateway.pass(1000);
		}
		await gateway.pass(45_000);
		assert.equal(await liveState(), "waiting");
		assert.equal((await ask()).status, 503);
	});
	it("is on for MQTT only if the pause between messages is below a minute", async () => {
		await gateway.write("dlms/config", { live_secs: 2 });
		const broker = new ScriptedBroker(gateway.world);
		await gateway.write("mqtt", { enabled: true, url: `mqtt://${BROKER_ADDRESS}`, pause_secs: 60 });
		await gateway.pass(30_000);
		assert.equal(await liveState(), "waiting");
		await gateway.write("mqtt", { pause_secs: 2 });
		await gateway.pass(20_000);
		const before = broker.count(STATE);
		await gateway.pass(20_000);
		assert.ok(broker.count(STATE) - before >= 8, String(broker.count(STATE) - before));
		const { time } = JSON.parse(broker.last.get(STATE)!);
		assert.ok(Math.abs(Date.parse(time) - gateway.world.clock.utcMs()!) < 5000);
	});
	it("misses no scheduled readout, and adds nothing to the history", async () => {
		await gateway.write("dlms/config", { live_secs: 5 });
		await gateway.write("iec62056/schedule", { enabled: true, period_unit: "minutes", period_value: 15 });
		new ScriptedBroker(gateway.world);
		await gateway.write("mqtt", { enabled: true, url: `mqtt://${BROKER_ADDRESS}`, pause_secs: 5 });
		await gateway.pass(62 * 60_000);
		await gateway.login();
		const { meter_live, meter_readouts, schedule_missed, schedule_error, schedule_last, timestamp } = await status();
		assert.deepEqual([meter_live, schedule_missed, schedule_error], ["on", 0, ""]);
		assert.ok(timestamp - schedule_last < 900);
		assert.ok(meter_readouts > 600, String(meter_readouts));
		// The first readout and four of the schedule, each followed by live mode.
		assert.equal(associations(), 10);
		const { periods } = await gateway.read("meter/history?period=quarters");
		assert.equal(periods.length, 4);
		for (const { import_wh } of periods) assert.ok(import_wh > 200, JSON.stringify(periods));
	});
	it("pauses for a load profile and for a probe", async () => {
		await gateway.write("dlms/config", { live_secs: 2 });
		const follower = gateway.follow();
		await gateway.pass(10_000);
		assert.equal((await gateway.read("meter/profile?entries=4")).rows.length, 4);
		await gateway.pass(5000);
		assert.equal(await liveState(), "on");
		const refused = await gateway.post("meter/probe", undefined);
		assert.deepEqual([refused.status, refused.headers.get("retry-after")], [503, "5"]);
		await gateway.pass(5000);
		assert.equal((await gateway.write("meter/probe", undefined)).ok, true);
		follower.leave();
	});
	it("ends when it is turned off, or when the protocol changes, and is unsupported in mode C", async () => {
		await gateway.write("dlms/config", { live_secs: 2 });
		const follower = gateway.follow();
		await gateway.pass(10_000);
		assert.equal(await liveState(), "on");
		await gateway.write("dlms/config", { live_secs: 0 });
		assert.equal(await liveState(), "off");
		const before = associations();
		await gateway.pass(60_000);
		assert.equal(associations(), before);
		await gateway.write("dlms/config", { live_secs: 2 });
		await gateway.pass(10_000);
		assert.equal(await liveState(), "on");
		await gateway.write("meter/protocol", { protocol: "iec62056" });
		assert.equal(await liveState(), "unsupported");
		follower.leave();
	});
	it("does not make a full readout fail when the meter rejects requests of live mode", async () => {
		connect("--request-limit 6");
		await gateway.write("dlms/config", { live_secs: 2 });
		const follower = gateway.follow();
		await gateway.pass(60_000);
		assert.equal(await liveState(), "dlms/lost");
		assert.equal((await status()).meter_state, "ok");
		assert.equal((await gateway.read("iec62056/read")).status, 0);
		follower.leave();
	});
});
