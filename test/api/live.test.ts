/** `GET events` over times that are too long for live-checks.ts. Runs in virtual time. */
import assert from "node:assert/strict";
import { encodeRequest } from "../../hosts/node/virtual-request.js";
import { SESSION_LIFETIME_MS } from "../../modules/auth/sessions.js";
import { DEFAULT_LIMITS } from "../../modules/http/limits.js";
import { type Memory, RESERVE } from "../../modules/io/memory.js";
import { EVENTS_COST } from "../../modules/parts/system/event-stream.js";
import type { Follower } from "./follower.js";
import { isError, PASSWORD } from "./gateway.js";
import { START_UTC_MS, VirtualGateway } from "./virtual-gateway.js";

const { beatMs, pauseMs, writeMs, graceMs } = DEFAULT_LIMITS;
const TELEGRAM = Buffer.from("/XXX5T\r\n\r\n1-0:1.8.0(000123.45*kWh)\r\n!\r\n");

describe("Events over a long time", () => {
	let gateway: VirtualGateway;

	beforeEach(async () => {
		gateway = await VirtualGateway.loggedIn();
	});
	afterEach(async () => {
		await gateway.stop();
	});

	const follow = async (options = {}): Promise<Follower> => {
		const follower = gateway.follow(options);
		await gateway.pass(2 * pauseMs);
		return follower;
	};

	it("include a comment after each 15 s of silence, and nothing else while nothing happens", async () => {
		assert.deepEqual([beatMs, writeMs], [15_000, 20_000]);
		await gateway.write("iec62056/schedule", { enabled: false, period_unit: "minutes", period_value: 15 });
		// Time to join the network.
		await gateway.pass(60_000);
		const follower = await follow();
		const from = follower.text.length;
		await gateway.pass(beatMs - 3 * pauseMs);
		assert.equal(follower.text.length, from);
		await gateway.pass(3 * pauseMs);
		assert.deepEqual([follower.comments, follower.text.slice(from)], [1, ":\n\n"]);
		await gateway.pass(100 * beatMs);
		assert.deepEqual([follower.comments, follower.text.length], [101, from + 101 * 3]);
	});

	it("end within 15 s of the end of their session, and at once after a new password", async () => {
		const follower = await follow();
		await gateway.pass(SESSION_LIFETIME_MS - 2 * pauseMs - 1000);
		assert.equal(follower.isClosed, false);
		await gateway.pass(1000 + beatMs);
		assert.ok(follower.hasEnded && follower.isClosed);

		await gateway.login();
		const other = await follow();
		const body = { old_password: PASSWORD, new_password: "another-password" };
		assert.equal((await gateway.post("system/password", body)).status, 200);
		await gateway.pass(2 * pauseMs);
		assert.ok(other.hasEnded);
	});

	it("report when the meter is read next, and that it was read", async () => {
		await gateway.connectMeter({ telegram: TELEGRAM, mode: "C" });
		const follower = await follow();
		const { schedule_next } = follower.last("state");
		assert.ok(schedule_next > START_UTC_MS / 1000);
		await gateway.pass(16 * 60_000);
		const state = follower.last("state");
		assert.deepEqual([state.schedule_next, state.meter_readouts], [schedule_next + 900, 1]);
		assert.equal(follower.last("readout").meter_readouts, 1);
		assert.ok(state.schedule_last >= schedule_next);
	});

	it("report that the network is lost, and that it is joined again, over the same connection", async () => {
		const follower = await follow();
		await gateway.untilNetwork(({ connected }) => connected);
		await gateway.pass(1000);
		assert.equal(follower.last("state").connected, true);
		gateway.setAir("nothing");
		await gateway.pass(120_000);
		assert.equal(follower.last("state").connected, false);
		gateway.setAir("");
		await gateway.untilNetwork(({ connected }) => connected);
		await gateway.pass(1000);
		assert.equal(follower.last("state").connected, true);
	});

	it("report changes of hub_state and mqtt_state", async () => {
		await gateway.untilNetwork(({ connected }) => connected);
		const follower = await follow();
		await gateway.write("hub", { enabled: true, url: "http://192.0.2.77:8123", token: "x" });
		await gateway.write("mqtt", { enabled: true, url: "mqtt://192.0.2.78" });
		await gateway.pass(1000);
		const initialState = follower.last("state");
		assert.deepEqual([initialState.hub_state, initialState.mqtt_state], ["waiting", "unreachable"]);
		await gateway.pass(60_000);
		const { hub_state, mqtt_state } = await gateway.read("system/status");
		const lastState = follower.last("state");
		assert.deepEqual([lastState.hub_state, lastState.mqtt_state], [hub_state, mqtt_state]);
		assert.match(hub_state, /unreachable|refused|timeout/);
		assert.match(mqtt_state, /unreachable|refused|timeout/);
	});

	it("end for a client that reads nothing for 20 s, so that another client can follow", async () => {
		await gateway.write("iec62056/control", { simulator_en: true });
		const client = gateway.world.connect(true);
		client.paused = true;
		client.send(encodeRequest("/api/v1/events", { headers: { Authorization: `Bearer ${gateway.token}` } }));
		await gateway.pass(1000);
		// Each event has about 400 bytes.
		for (let i = 0; i < 10; i++) {
			await gateway.read("iec62056/read");
			await gateway.pass(1000);
		}
		isError(await gateway.get("events"), 503, "busy");
		await gateway.pass(writeMs + 1000);
		const follower = await follow();
		assert.equal(follower.status, 200);
		assert.equal(follower.last("readout").meter_readouts, 10);
	});

	it("end when other clients need the connection, even before these have sent a token", async () => {
		const follower = await follow();
		await gateway.pass(graceMs);
		const waiting = [0, 1, 2].map((i) => {
			const client = gateway.world.connect(true, `192.0.2.${90 + i}`);
			client.send("GET /api/v1/");
			return client;
		});
		await gateway.pass(graceMs);
		assert.ok(follower.isClosed && !follower.hasEnded);
		assert.deepEqual(
			waiting.map((client) => client.isClosed),
			[false, false, false],
		);
	});

	it("are for one client on each port", async () => {
		const phone = await VirtualGateway.loggedIn("ap");
		const followers = [phone.follow({ secure: true }), phone.follow({ secure: false })];
		await phone.pass(2 * pauseMs);
		assert.deepEqual(
			followers.map(({ status }) => status),
			[200, 200],
		);
		for (const secure of [true, false]) isError(await phone.get("events", { secure }), 503, "busy");
		await phone.stop();
	});

	it("claim memory, release it when they end, and are refused with 503 if memory is short", async () => {
		let slots = 10_000;
		const memory: Memory = { suffices: (wanted) => wanted <= slots };
		await gateway.stop();
		gateway = await VirtualGateway.loggedIn("client", { utcMs: START_UTC_MS, memory });
		slots = RESERVE.slots + EVENTS_COST.slots - 1;
		const reply = await gateway.get("events");
		isError(reply, 503, "busy");
		assert.equal(reply.headers.get("retry-after"), "1");
		slots = RESERVE.slots + EVENTS_COST.slots;
		for (let i = 0; i < 5; i++) {
			const follower = await follow();
			assert.equal(follower.status, 200);
			follower.leave();
			await gateway.pass(100);
			assert.equal((await gateway.request("HEAD", "events")).status, 200);
		}
	});

	it("fit into the buffer of a connection, even with a long identification of control characters", async () => {
		const id = `XXX5${"\x01".repeat(200)}`;
		await gateway.connectMeter({ telegram: Buffer.from(`/${id}\r\n\r\n1-0:1.8.0(000123.45*kWh)\r\n!\r\n`), mode: "C" });
		const { meter_id } = await gateway.read("iec62056/read");
		const follower = await follow();
		assert.equal(follower.last("readout").meter_id, meter_id);
		assert.ok(meter_id.length > 10);
		const longest = Math.max(...follower.text.split("\n\n").map((event) => event.length));
		assert.ok(longest < 900, `${longest} bytes`);
	});
});
