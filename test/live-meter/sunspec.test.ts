/** The gateway as a SunSpec meter by Modbus TCP, and its limits. */
import assert from "node:assert/strict";
import type { VirtualClient } from "../../hosts/node/virtual-network.js";
import { VirtualGateway } from "../api/virtual-gateway.js";
import { connectModbus, openModbus, sendModbus } from "./modbus-client.js";
import { connectLines } from "./pushed-lines.js";

const INVERTER = "192.0.2.40";
const OTHER = "192.0.2.42";
const STRANGER = "192.0.2.41";
const LINES = [
	...["1-0:1.8.0(000012.572*kWh)", "1-0:2.8.0(000003.5*kWh)", "1-0:16.7.0(-00.321*kW)", "1-0:32.7.0(230*V)"],
	...["1-0:52.7.0(231*V)", "1-0:72.7.0(232*V)", "1-0:14.7.0(50.01*Hz)"],
];
const BASE = 40_000;
const VALUES = BASE + 71;
const VALUE_COUNT = 124;
/** Places in model 213, by their numbers among its values. */
const [AMPERES, VOLTS, LINE_VOLTS, HERTZ, WATTS, VAR, EXPORT, IMPORT, OTHER_COUNTERS] = [
	0, 4, 8, 12, 13, 21, 29, 33, 37,
];

function request(first: number, count: number, unit = 1, called = 3): Buffer {
	const bytes = Buffer.from([0x12, 0x34, 0, 0, 0, 6, unit, called, 0, 0, 0, 0]);
	bytes.writeUInt16BE(first, 8);
	bytes.writeUInt16BE(count, 10);
	return bytes;
}

describe("The gateway as a SunSpec meter", () => {
	let gateway: VirtualGateway;

	const connectMeter = (lines: readonly string[] = LINES) => connectLines(gateway, lines);
	const turnOn = async (settings: object = {}) => {
		await gateway.write("live-meter/clients", { clients: [{ address: INVERTER }, { address: OTHER }] });
		await gateway.write("live-meter", { sunspec: true, ...settings });
		await gateway.pass(10_000);
	};
	const begin = async (settings?: object, lines?: readonly string[]) => {
		await connectMeter(lines);
		await turnOn(settings);
	};
	const open = () => openModbus(gateway, INVERTER);
	const connect = (from = INVERTER) => connectModbus(gateway, from);
	const send = (client: VirtualClient, bytes: Uint8Array) => sendModbus(gateway, client, bytes);
	const read = async (client: VirtualClient, first: number, count: number, unit = 1) => {
		const reply = await send(client, request(first, count, unit));
		assert.equal(reply.toString("hex", 0, 9), `12340000${hex(3 + 2 * count, 2)}${hex(unit)}03${hex(2 * count)}`);
		assert.equal(reply.length, 9 + 2 * count);
		return reply.subarray(9);
	};
	const hex = (value: number, size = 1) => value.toString(16).padStart(2 * size, "0");
	/** Sends a request that gets an exception; returns its code. */
	const fails = async (client: VirtualClient, bytes: Buffer) => {
		const reply = await send(client, bytes);
		assert.equal(reply.toString("hex", 0, 7), `123400000003${hex(bytes[6])}`);
		assert.deepEqual([reply.length, reply[7]], [9, bytes[7] | 0x80]);
		return reply[8];
	};
	const values = async (client: VirtualClient) => {
		const bytes = await read(client, VALUES, VALUE_COUNT);
		return Array.from({ length: 61 }, (_, i) => bytes.readFloatBE(4 * i));
	};

	beforeEach(async () => {
		gateway = await VirtualGateway.loggedIn();
		await gateway.write("iec62056/config", { mode_d_enabled: true, mode_d_baudrate: 9600 });
	});
	afterEach(() => gateway.stop());

	it("listens only while it is turned on", async () => {
		await connectMeter();
		await gateway.pass(5000);
		assert.equal(open(), undefined);
		await turnOn();
		const client = connect();
		await read(client, BASE, 2);
		await gateway.write("live-meter", { sunspec: false });
		await gateway.pass(100);
		assert.deepEqual([client.isClosed, open()], [true, undefined]);
	});

	it("describes itself as a common model and a three-phase meter", async () => {
		await begin();
		const { id } = await gateway.read("live-meter/status");
		for (const unit of [1, 200, 240]) {
			const client = connect();
			const bytes = await read(client, BASE, 71, unit);
			client.close();
			const text = (register: number, count: number) =>
				bytes.toString("latin1", 2 * register, 2 * (register + count)).replace(/\0+$/, "");
			assert.deepEqual(
				[text(0, 2), text(4, 16), text(20, 16), text(36, 8), text(44, 8), text(52, 16)],
				["SunS", "Fronius", "Smart Meter 63A", "", "1.0", id],
			);
			assert.deepEqual(
				[2, 3, 68, 69, 70].map((register) => bytes.readUInt16BE(2 * register)),
				[1, 65, unit, 213, 124],
			);
		}
		assert.equal((await read(connect(OTHER), VALUES + VALUE_COUNT, 2)).toString("hex"), "ffff0000");
	});

	it("gives the readout's values, with the rest calculated or NaN", async () => {
		await begin();
		const all = await values(connect());
		const at = (place: number, count: number) =>
			all.slice(place, place + count).map((value) => Number(value.toFixed(3)));
		assert.deepEqual(at(WATTS, 4), [-321, -321, 0, 0]);
		assert.deepEqual(at(AMPERES, 4), [1.396, 1.396, 0, 0]);
		assert.deepEqual(at(VOLTS, 4), [231, 230, 231, 232]);
		assert.deepEqual(at(LINE_VOLTS, 4), [400.104, 400.104, 400.104, 400.104]);
		assert.deepEqual(at(HERTZ, 1), [50.01]);
		assert.deepEqual(at(VAR, 4), [NaN, NaN, NaN, NaN]);
		assert.deepEqual(at(EXPORT, 4), [3500, 3500, 0, 0]);
		assert.deepEqual(at(IMPORT, 4), [12_572, 12_572, 0, 0]);
		assert.ok(all.slice(OTHER_COUNTERS).every(Number.isNaN));
	});

	it("applies sign, offset and the split by phases", async () => {
		await begin({ inverted: true, offset_w: 30, total_on: "all" });
		const all = await values(connect());
		assert.deepEqual(all.slice(WATTS, WATTS + 4), [351, 117, 117, 117]);
		assert.deepEqual([all[EXPORT], all[IMPORT]], [12_572, 3500]);
	});

	it("returns parts of a model, and 125 registers at most", async () => {
		await begin();
		const client = connect();
		assert.equal((await read(client, VALUES + 2 * WATTS, 2)).readFloatBE(), -321);
		const whole = await read(client, BASE + 72, 125);
		assert.equal(whole.readFloatBE(2 * (2 * WATTS - 1)), -321);
		assert.equal(await fails(client, request(BASE, 126)), 3);
		assert.equal(await fails(client, request(BASE, 0)), 3);
	});

	it("answers other functions, units, lengths and registers with the exception for it", async () => {
		await begin();
		const client = connect();
		for (const called of [1, 2, 4, 5, 6, 15, 16, 22, 23, 43, 0x83, 0])
			assert.equal(await fails(client, request(BASE, 1, 1, called)), 1, `function ${called}`);
		for (const unit of [0, 2, 126, 255]) assert.equal(await fails(client, request(BASE, 1, unit)), 11);
		for (const [first, count] of [
			[0, 1],
			[BASE - 1, 1],
			[BASE + 197, 1],
			[BASE + 196, 2],
			[65_535, 1],
		])
			assert.equal(await fails(client, request(first, count)), 2, `${first}`);
		const short = request(BASE, 1).subarray(0, 8);
		short[5] = 2;
		assert.equal(await fails(client, short), 3);
		const write = Buffer.concat([request(BASE, 120, 1, 16), Buffer.alloc(242, 7)]);
		write.writeUInt16BE(write.length - 6, 4);
		assert.equal(await fails(client, write), 1);
		await read(client, BASE, 1);
	});

	it("knows no value before the first readout, so that clients can be configured then", async () => {
		await turnOn();
		const client = connect();
		assert.ok((await values(client)).every(Number.isNaN));
		assert.equal((await gateway.read("live-meter/status")).clients[0].power, null);
		await connectMeter();
		await gateway.pass(5000);
		assert.equal((await values(client))[WATTS], -321);
	});

	it("serves a client that waits for its replies as often as it asks", async () => {
		await begin();
		const client = connect();
		// The client is faster than the gateway: its next request is there as soon as the reply was written.
		let sent = 1;
		client.onReceived = () => {
			if (client.received.length >= 11 * sent && sent < 1000) {
				sent++;
				client.send(request(BASE, 1));
			}
		};
		client.send(request(BASE, 1));
		await gateway.pass(1000);
		assert.deepEqual([client.isClosed, client.received.length], [false, 1000 * 11]);
	});

	it("fails without a fresh value, but still describes itself", async () => {
		await turnOn();
		const client = connect();
		await read(client, BASE, 71);
		await connectMeter();
		await gateway.pass(5000);
		await values(client);
		await gateway.connectMeter(undefined);
		await gateway.pass(12_000);
		assert.equal(await fails(client, request(VALUES, 2)), 4);
	});

	it("is busy during the pause that the owner has set", async () => {
		await begin({ pause_ms: 5000 });
		const client = connect();
		await values(client);
		assert.equal(await fails(client, request(VALUES, 2)), 6);
		await gateway.pass(5000);
		await values(client);
	});

	it("closes connections of unlisted addresses, even after a change of the list, and shows the last refused address", async () => {
		await begin();
		const stranger = connect(STRANGER);
		await gateway.pass(100);
		assert.ok(stranger.isClosed);
		const { refused, clients } = await gateway.read("live-meter/status");
		assert.deepEqual([refused.address, refused.dialect, clients.length], [STRANGER, "sunspec", 0]);
		const client = connect();
		await values(client);
		const status = await gateway.read("live-meter/status");
		assert.deepEqual(
			status.clients.map(({ address, dialect, power }: Record<string, unknown>) => [address, dialect, power]),
			[[INVERTER, "sunspec", -321]],
		);
		await gateway.write("live-meter/clients", { clients: [{ address: OTHER }] });
		assert.equal((await send(client, request(BASE, 1))).length, 0);
		assert.ok(client.isClosed);
	});

	it("answers requests that arrive together or byte by byte", async () => {
		await begin();
		const client = connect();
		const many = (count: number) => {
			const requests = Array.from({ length: count }, (_, i) => request(BASE + i, 1));
			for (const [i, bytes] of requests.entries()) bytes[0] = i;
			return Buffer.concat(requests);
		};
		const replies = await send(client, many(16));
		assert.equal(replies.length, 16 * 11);
		for (let i = 0; i < 16; i++) assert.equal(replies[11 * i], i, "the transaction of its request");
		const bytes = request(BASE, 2);
		for (const byte of bytes.subarray(0, 11)) assert.equal((await send(client, Uint8Array.of(byte))).length, 0);
		assert.equal((await send(client, bytes.subarray(11))).toString("latin1", 9), "SunS");
		await send(client, many(17));
		assert.ok(client.isClosed);
	});

	it("closes a connection whose bytes are not Modbus", async () => {
		await begin();
		const heads = [
			"GET / HTTP/1.1\r\n\r\n",
			"\0\0\0\0\0\x01\x01\x03",
			"\0\0\0\0\0\xff\x01\x03",
			"\0\0\0\x01\0\x06\x01\x03",
		];
		for (const head of heads) {
			const client = connect();
			assert.equal((await send(client, Buffer.from(head, "latin1"))).length, 0);
			assert.ok(client.isClosed, head);
		}
	});

	it("gives another client the place of one with half a request, or of one that reads no replies", async () => {
		await begin();
		const half = connect(OTHER);
		half.send(request(BASE, 1).subarray(0, 7));
		const full = connect(OTHER);
		full.paused = true;
		full.send(Buffer.concat(Array.from({ length: 15 }, () => request(BASE, 70))));
		await gateway.pass(1000);
		full.send(request(BASE, 1));
		const used = connect();
		for (let i = 0; i < 11; i++) {
			await read(used, BASE, 1);
			await gateway.pass(1000);
		}
		for (const client of [connect(), connect()]) await read(client, BASE, 1);
		full.paused = false;
		await gateway.pass(100);
		assert.deepEqual([half.isClosed, full.isClosed, used.isClosed], [true, true, false]);
	});

	it("serves three clients; a fourth replaces an idle one, and is refused while all are in use", async () => {
		await begin();
		const clients = [connect(), connect(OTHER), connect()];
		for (const client of clients) await read(client, BASE, 1);
		const fourth = connect(OTHER);
		assert.equal((await send(fourth, request(BASE, 1))).length, 0);
		assert.ok(fourth.isClosed);
		await gateway.pass(5000);
		for (const client of clients.slice(1)) await read(client, BASE, 1);
		await gateway.pass(5000);
		await read(connect(OTHER), BASE, 1);
		assert.deepEqual(
			clients.map(({ isClosed }) => isClosed),
			[true, false, false],
		);
	});

	it("keeps serving after a client has vanished, a flood of strangers, and a restart", async () => {
		await begin();
		connect().reset();
		for (let i = 0; i < 50; i++) {
			connect(STRANGER);
			await gateway.pass(20);
		}
		await values(connect());
		await gateway.restart();
		await gateway.pass(15_000);
		await values(connect());
		gateway.setAir("nothing");
		await gateway.pass(120_000);
		assert.equal(open(), undefined);
	});

	it("has room for the largest numbers", async () => {
		await begin({}, ["1-0:1.8.0(99999999.999*kWh)", "1-0:16.7.0(-99999999*W)"]);
		const all = await values(connect());
		assert.deepEqual([all[WATTS], all[IMPORT]], [Math.fround(-99_999_999), Math.fround(99_999_999_999)]);
	});
});
