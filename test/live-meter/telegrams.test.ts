/** The meter's telegrams over TCP. */
import assert from "node:assert/strict";
import type { VirtualClient } from "../../hosts/node/virtual-network.js";
import { VirtualGateway } from "../api/virtual-gateway.js";

const PROGRAM = "192.0.2.40";
const OTHER = "192.0.2.41";
const STRANGER = "192.0.2.42";
const PORT = 2001;
const TELEGRAM = Buffer.from(
	["/KFM5KAIFA-METER", "", "1-0:1.8.1(000012.572*kWh)", "1-0:1.7.0(00.421*kW)", "!", ""].join("\r\n"),
);

describe("The gateway as the serial port of its meter", () => {
	let gateway: VirtualGateway;

	const connectMeter = (mode: "C" | "D" = "D") =>
		gateway.connectMeter({ telegram: TELEGRAM, mode, pushBaud: 9600, pushMs: 1000 });
	const turnOn = async () => {
		await gateway.write("live-meter/clients", { clients: [{ address: PROGRAM }, { address: OTHER }] });
		await gateway.write("live-meter", { telegrams: true });
		await gateway.pass(5000);
	};
	const open = (from = PROGRAM) => gateway.world.network.tcpListener(PORT).connect(from);
	const connect = (from = PROGRAM) => {
		const client = open(from);
		assert.ok(client !== undefined, "connection refused");
		return client;
	};
	/** Removes and returns what has arrived. */
	const take = (client: VirtualClient) => {
		const bytes = Buffer.from(client.received);
		client.discard(bytes.length);
		return bytes;
	};

	beforeEach(async () => {
		gateway = new VirtualGateway();
		await connectMeter();
		await gateway.login();
		await gateway.write("iec62056/config", { mode_d_enabled: true, mode_d_baudrate: 9600 });
	});
	afterEach(() => gateway.stop());

	it("listens only while it is turned on", async () => {
		assert.equal(open(), undefined);
		await turnOn();
		const client = connect();
		await gateway.pass(2500);
		assert.ok(take(client).length > 0);
		await gateway.write("live-meter", { telegrams: false });
		await gateway.pass(2500);
		assert.deepEqual([client.isClosed, open()], [true, undefined]);
		assert.equal((await gateway.read("iec62056/last")).last_error, null, "the meter is still read");
	});

	it("sends the meter's bytes as they are, without end", async () => {
		await turnOn();
		const client = connect();
		await gateway.pass(10_500);
		const text = take(client).toString("latin1");
		const whole = TELEGRAM.toString("latin1");
		const first = text.indexOf("/");
		const telegrams = text.slice(first).split(/(?=\/KFM5)/);
		assert.ok(telegrams.length >= 10, `${telegrams.length} telegrams`);
		for (const telegram of telegrams.slice(0, -1)) assert.equal(telegram, whole);
		assert.ok(whole.endsWith(text.slice(0, first)));
	});

	it("sends nothing while the meter is silent, and nothing of an asked meter", async () => {
		await turnOn();
		const client = connect();
		await gateway.connectMeter(undefined);
		await gateway.pass(500);
		take(client);
		await gateway.pass(60_000);
		assert.equal(take(client).length, 0);
		await connectMeter("C");
		await gateway.write("iec62056/config", { mode_d_enabled: false });
		await gateway.read("iec62056/read");
		await gateway.pass(20_000);
		assert.deepEqual([take(client).length, client.isClosed], [0, false]);
	});

	it("ignores what a client sends", async () => {
		await turnOn();
		const client = connect();
		client.send(Buffer.from("/?!\r\n".repeat(1000)));
		await gateway.pass(3000);
		assert.ok(take(client).length > TELEGRAM.length);
		assert.equal((await gateway.read("iec62056/last")).last_error, null);
	});

	it("serves one client at a time, the one that came last", async () => {
		await turnOn();
		const [first, second] = [connect(), connect(OTHER)];
		await gateway.pass(2500);
		assert.ok(first.isClosed && !second.isClosed);
		assert.ok(take(second).length > TELEGRAM.length);
		second.close();
		await gateway.pass(1000);
		const third = connect();
		await gateway.pass(2500);
		assert.ok(take(third).length > TELEGRAM.length);
	});

	it("refuses addresses that are not listed, and closes when an address leaves the list", async () => {
		await turnOn();
		const client = connect();
		const stranger = connect(STRANGER);
		await gateway.pass(2500);
		assert.deepEqual([stranger.isClosed, take(stranger).length, client.isClosed], [true, 0, false]);
		const { refused, clients } = await gateway.read("live-meter/status");
		assert.deepEqual([refused.address, refused.dialect], [STRANGER, "telegrams"]);
		assert.deepEqual([clients.length, clients[0].address, clients[0].dialect], [1, PROGRAM, "telegrams"]);
		await gateway.write("live-meter/clients", { clients: [{ address: OTHER }] });
		await gateway.pass(2500);
		assert.ok(client.isClosed);
	});

	it("disconnects a client that does not read", async () => {
		await turnOn();
		const client = connect();
		client.paused = true;
		await gateway.pass(600_000);
		client.paused = false;
		await gateway.pass(100);
		assert.ok(client.isClosed);
		assert.ok(take(client).length < 64 * TELEGRAM.length, "no telegram is kept for it");
		assert.equal((await gateway.read("iec62056/last")).last_error, null);
	});
});
