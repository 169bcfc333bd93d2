/** The whole gateway with a broker: published readouts, and the status in the API. */
import assert from "node:assert/strict";
import { BROKER_ADDRESS, ScriptedBroker } from "../mqtt/broker.js";
import { isError, vectorOf } from "./gateway.js";
import { START_UTC_MS, VirtualGateway } from "./virtual-gateway.js";

const BASE = "smgw/virtual0001";
const DISCOVERY = "homeassistant/device/smgw_virtual0001/config";
const METER = vectorOf("landis-gyr-zmf100-m26-padded-left");
const ON = { enabled: true, url: `mqtt://${BROKER_ADDRESS}`, user: "gateway", password: "canary of the broker" };

describe("The gateway with an MQTT broker", () => {
	let gateway: VirtualGateway;
	let broker: ScriptedBroker;

	beforeEach(async () => {
		gateway = new VirtualGateway();
		gateway.plant(ON.password);
		await gateway.login();
		await gateway.connectMeter({ telegram: METER.telegram });
		broker = new ScriptedBroker(gateway.world);
		// Time to join the network.
		await gateway.pass(5000);
	});
	afterEach(() => gateway.stop());

	const events = async () => {
		const { events: list } = JSON.parse((await gateway.get("system/log")).text) as { events: { event: string }[] };
		return list.filter(({ event }) => event.startsWith("mqtt"));
	};
	const metric = async (name: string) => {
		const { text } = await gateway.get("metrics");
		return new RegExp(`^gateway_mqtt_${name} (.*)$`, "m").exec(text)?.[1];
	};

	it("connects when MQTT is enabled, then announces and publishes a readout", async () => {
		assert.equal(await metric("connected"), undefined);
		await gateway.write("mqtt", ON);
		await gateway.pass(1000);
		assert.equal((await gateway.read("system/status")).mqtt_state, "ok");
		assert.deepEqual([...broker.retained.keys()], [`${BASE}/status`]);
		const [connect] = broker.current!.packets;
		assert.ok(connect.cmd === "connect");
		assert.deepEqual([connect.clientId, connect.username], ["virtual0001", ON.user]);
		await gateway.read("iec62056/read");
		await gateway.pass(4000);
		const state = JSON.parse(broker.last.get(`${BASE}/state`)!);
		const { readings } = (await gateway.read("iec62056/last")) as unknown as {
			readings: { obis: string; value1_number: number }[];
		};
		assert.equal(state["1_8_0"], readings.find(({ obis }) => obis === "1.8.0")!.value1_number);
		assert.equal(typeof state.time, "string");
		assert.equal(JSON.parse(broker.retained.get(DISCOVERY)!).cmps["1_8_0"].stat_cla, "total_increasing");
		assert.equal(await metric("connected"), "1");
		assert.equal(await metric("messages_total"), String(broker.published.length));
		assert.equal(await metric("failures_total"), "0");
	});

	it("connects within ten seconds after a start, each gateway at a time of its own", async () => {
		await gateway.write("mqtt", ON);
		const waits: number[] = [];
		for (let seed = 1; seed <= 20; seed++) {
			const { storage } = gateway.world;
			const other = new VirtualGateway("client", { seed, radio: false, storage: storage.copy(), utcMs: START_UTC_MS });
			const { time } = other.world;
			const its = new ScriptedBroker(other.world);
			assert.ok(time.runWhile(() => its.sessions.length === 0, 11_000));
			waits.push(time.nowMs);
			await other.stop();
		}
		waits.sort((a, b) => a - b);
		assert.ok(waits[19] - waits[0] > 5000, `${waits}`);
		assert.ok(
			waits.every((ms, i) => i < 6 || ms - waits[i - 6] > 500),
			`${waits}`,
		);
	});

	it("publishes nothing of the simulator", async () => {
		await gateway.write("mqtt", ON);
		await gateway.write("iec62056/control", { simulator_en: true });
		await gateway.read("iec62056/read");
		await gateway.pass(60_000);
		assert.deepEqual([...broker.retained.keys()], [`${BASE}/status`]);
	});

	it("replies to mqtt/send once the broker has accepted everything, at most every ten seconds", async () => {
		await gateway.write("mqtt", ON);
		await gateway.read("iec62056/read");
		await gateway.pass(20_000);
		const before = broker.published.length;
		assert.deepEqual(await gateway.read("mqtt/send"), {
			retcode: 0,
			code: "ok",
			message: "The broker accepted everything. By MQTT 3.1.1 it can't tell whether an access list dropped a message.",
		});
		assert.ok(broker.published.length >= before + 2);
		const again = await gateway.get("mqtt/send");
		isError(again, 503, "busy");
		assert.equal(again.headers.get("retry-after"), "10");
		await gateway.pass(10_000);
		assert.equal((await gateway.read("mqtt/send")).retcode, 0);
	});

	it("reports an error in words and in the log, and counts it", async () => {
		broker.returnCode = 5;
		await gateway.write("mqtt", ON);
		await gateway.pass(1000);
		assert.equal((await gateway.read("system/status")).mqtt_state, "refused_access");
		const reply = await gateway.read("mqtt/send");
		assert.deepEqual([reply.retcode, reply.code], [1, "refused_access"]);
		assert.match(String(reply.message), /user and password/);
		assert.equal(await metric("failures_total"), "2");
		broker.returnCode = 0;
		await gateway.pass(10_000);
		assert.equal((await gateway.read("mqtt/send")).retcode, 0);
		assert.deepEqual(
			(await events()).map(({ event }) => event),
			["mqtt_failed", "mqtt_sent"],
		);
	});

	it("ends a test if its client has disconnected or the broker does not answer", async () => {
		broker.greets = false;
		await gateway.write("mqtt", ON);
		await gateway.pass(1000);
		gateway.begin("GET", "mqtt/send").abandon();
		await gateway.pass(15_000);
		const reply = await gateway.read("mqtt/send");
		assert.deepEqual([reply.retcode, reply.code], [3, "silent"]);
	});

	for (const [url, retcode, code] of [
		["mqtt://nobody.lan", 2, "no_such_name"],
		["mqtt://192.0.2.99", 3, "unreachable"],
	] as const) {
		it(`reports ${code}`, async () => {
			await gateway.write("mqtt", { ...ON, url });
			const reply = await gateway.read("mqtt/send");
			assert.deepEqual([reply.retcode, reply.code], [retcode, code]);
		});
	}

	it("leaves nothing of MQTT in flash after a factory reset", async () => {
		await gateway.write("mqtt", ON);
		await gateway.read("iec62056/read");
		await gateway.pass(1000);
		assert.ok(gateway.world.storage.keys().includes("mqtt_announced"));
		await gateway.post("system/factory_reset");
		assert.deepEqual(
			gateway.world.storage.keys().filter((key) => key.startsWith("mqtt")),
			[],
		);
	});
});
