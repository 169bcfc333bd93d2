/**
 * The gateway as a Carlo Gavazzi EM24. The reads are those of Victron's driver, in its order: carlo_gavazzi.py, probe.py
 * and device.py of https://github.com/victronenergy/dbus-modbus-client, commit fe12d8c9 (no licence stated). The
 * registers it expects are facts of that file and of Carlo Gavazzi's document "EM24 E1, communication protocol".
 */
import assert from "node:assert/strict";
import type { VirtualClient } from "../../hosts/node/virtual-network.js";
import { VirtualGateway } from "../api/virtual-gateway.js";
import { connectModbus, openModbus, sendModbus } from "./modbus-client.js";
import { connectLines } from "./pushed-lines.js";

const GX = "192.0.2.40";
const INVERTER = "192.0.2.42";
const STRANGER = "192.0.2.41";
const LINES = [
	...["1-0:1.8.0(000012.572*kWh)", "1-0:2.8.0(000003.5*kWh)", "1-0:16.7.0(-00.321*kW)", "1-0:36.7.0(00.500*kW)"],
	...["1-0:56.7.0(-00.900*kW)", "1-0:76.7.0(00.079*kW)", "1-0:32.7.0(230*V)", "1-0:52.7.0(231*V)"],
	...["1-0:72.7.0(232*V)", "1-0:31.7.0(2.5*A)", "1-0:14.7.0(49.98*Hz)"],
];
const EXCEPTION = { function: 1, address: 2, failure: 4, busy: 6, unit: 11 };
const VALUES = 0x50;

describe("The gateway as a Carlo Gavazzi EM24", () => {
	let gateway: VirtualGateway;

	const connectMeter = (lines: readonly string[] = LINES) => connectLines(gateway, lines);
	const turnOn = async (settings: object = {}) => {
		await gateway.write("live-meter/clients", { clients: [{ address: GX }, { address: INVERTER }] });
		await gateway.write("live-meter", { em24: true, ...settings });
		await gateway.pass(10_000);
	};
	const begin = async (settings?: object, lines?: readonly string[]) => {
		await connectMeter(lines);
		await turnOn(settings);
	};
	const open = () => openModbus(gateway, GX);
	const connect = (from = GX) => connectModbus(gateway, from);
	const ask = (client: VirtualClient, first: number, count: number, unit = 1, called = 3) => {
		const request = Uint8Array.of(0, 1, 0, 0, 0, 6, unit, called, first >> 8, first, count >> 8, count);
		return sendModbus(gateway, client, request);
	};
	/** Returns the bytes of the registers. */
	const read = async (client: VirtualClient, first: number, count: number) => {
		const reply = await ask(client, first, count);
		assert.deepEqual([reply[7], reply[8], reply.length], [3, 2 * count, 9 + 2 * count], `register ${first}`);
		return reply.subarray(9);
	};
	const fails = async (client: VirtualClient, first: number, count: number, unit = 1, called = 3) => {
		const reply = await ask(client, first, count, unit, called);
		assert.deepEqual([reply.length, reply[7]], [9, called | 0x80]);
		return reply[8];
	};
	/** The registers of the driver's data, which it reads at once; numbers of 32 bits have the low word first. */
	const data = async (client: VirtualClient) => {
		const bytes = await read(client, 0, VALUES);
		const word = (register: number) => bytes.readUInt16BE(2 * register);
		const number = (register: number) => (word(register + 1) << 16) | word(register);
		const three = (register: number) => [0, 2, 4].map((step) => number(register + step));
		return { word, number, three };
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
		await read(client, 0x0b, 1);
		await gateway.write("live-meter", { em24: false });
		await gateway.pass(100);
		assert.deepEqual([client.isClosed, open()], [true, undefined]);
	});

	it("is found and read by the driver's sequence, with the values of the readout", async () => {
		await begin();
		const { id } = await gateway.read("live-meter/status");
		const client = connect();
		// The probe for an ABB meter comes first, for its units 1 and 2, then that of a ComAp and this one.
		assert.equal(await fails(client, 0x8960, 2), EXCEPTION.address);
		assert.equal(await fails(client, 0x8960, 2, 2), EXCEPTION.unit);
		assert.equal((await read(client, 0x0b, 1)).readUInt16BE(), 1648);
		assert.equal((await read(client, 0xa000, 1)).readUInt16BE(), 7, "application H: no write is needed");
		for (const version of [0x302, 0x304]) assert.equal((await read(client, version, 1)).readUInt16BE(), 0x1000);
		assert.equal((await read(client, 0x1002, 1)).readUInt16BE(), 0, "3P.n");
		assert.equal((await read(client, 0x5000, 7)).toString("latin1").replace(/\0+$/, ""), id);
		const { word, number, three } = await data(client);
		assert.deepEqual(three(0x00), [2300, 2310, 2320]);
		assert.deepEqual(three(0x0c), [2500, Math.round(900_000 / 231), Math.round(79_000 / 232)]);
		assert.deepEqual(three(0x12), [5000, -9000, 790]);
		assert.deepEqual(three(0x40), [126, 0, 0]);
		assert.deepEqual([number(0x28), number(0x34), number(0x4e)], [-3210, 126, 35]);
		assert.deepEqual([word(0x32), word(0x33)], [0, 500]);
		assert.equal((await read(client, 0xa100, 1)).readUInt16BE(), 3);
		const { clients } = await gateway.read("live-meter/status");
		assert.deepEqual([clients[0].address, clients[0].dialect, clients[0].power], [GX, "em24", -321]);
	});

	it("returns parts of the values, and the number of its model only alone", async () => {
		await begin();
		const client = connect();
		const power = await read(client, 0x28, 2);
		assert.equal((power.readUInt16BE(2) << 16) | power.readUInt16BE(0), -3210);
		assert.equal((await read(client, 0x0a, 2)).readUInt32BE(), 0);
		assert.equal((await read(client, 0x5000, 2)).length, 4);
	});

	it("answers other functions, units and registers with the exception for it", async () => {
		await begin();
		const client = connect();
		for (const called of [1, 2, 4, 6, 16]) assert.equal(await fails(client, 0xa000, 7, 1, called), EXCEPTION.function);
		for (const unit of [0, 2, 61]) assert.equal(await fails(client, 0x0b, 1, unit), EXCEPTION.unit);
		for (const [first, count] of [
			...[
				[0x4f, 2],
				[0x50, 1],
				[0x302, 3],
				[0x1000, 1],
				[1648, 1],
			],
			...[
				[0x5000, 8],
				[0x5001, 1],
				[40_000, 2],
				[65_535, 1],
			],
		])
			assert.equal(await fails(client, first, count), EXCEPTION.address, `${first}`);
		assert.equal((await gateway.read("live-meter/status")).clients[0].power, null);
	});

	it("is found before the first readout, and fails to give values until then", async () => {
		await turnOn();
		const client = connect();
		assert.equal((await read(client, 0x0b, 1)).readUInt16BE(), 1648);
		assert.equal((await read(client, 0xa000, 1)).readUInt16BE(), 7);
		assert.equal(await fails(client, 0, VALUES), EXCEPTION.failure);
		await connectMeter();
		await gateway.pass(5000);
		assert.equal((await data(client)).number(0x28), -3210);
	});

	it("fails without a fresh value, but is still found", async () => {
		await begin();
		const client = connect();
		await data(client);
		await gateway.connectMeter(undefined);
		await gateway.pass(12_000);
		assert.equal(await fails(client, 0, VALUES), EXCEPTION.failure);
		assert.equal(await fails(client, 0x28, 2), EXCEPTION.failure);
		assert.equal((await read(client, 0x0b, 1)).readUInt16BE(), 1648);
	});

	it("is busy during the pause that the owner has set, and applies sign, offset and the split by phases", async () => {
		await begin({ pause_ms: 5000, inverted: true, offset_w: 30, total_on: "all" }, LINES.slice(0, 3));
		const client = connect();
		const { number, three } = await data(client);
		assert.deepEqual([number(0x28), three(0x12)], [3510, [1170, 1170, 1170]]);
		assert.deepEqual([number(0x34), number(0x4e)], [35, 126]);
		assert.equal(await fails(client, 0, VALUES), EXCEPTION.busy);
		await gateway.pass(5000);
		await data(client);
	});

	it("shares port 502 with SunSpec, whose registers are elsewhere, and either can be turned off alone", async () => {
		await begin({ sunspec: true });
		const client = connect();
		const mark = async () => (await read(client, 40_000, 2)).toString("latin1");
		const watts = async () => (await read(client, 40_097, 2)).readFloatBE();
		assert.equal((await read(client, 0x0b, 1)).readUInt16BE(), 1648);
		assert.deepEqual([await mark(), await watts(), (await data(client)).number(0x28)], ["SunS", -321, -3210]);
		const { clients } = await gateway.read("live-meter/status");
		assert.deepEqual(clients.map(({ dialect }: { dialect: string }) => dialect).sort(), ["em24", "sunspec"]);
		await gateway.write("live-meter", { em24: false });
		assert.equal(await mark(), "SunS");
		for (const first of [0, 0x0b, 0xa000]) assert.equal(await fails(client, first, 1), EXCEPTION.address);
		await gateway.write("live-meter", { em24: true, sunspec: false });
		assert.equal((await data(client)).number(0x28), -3210);
		assert.equal(await fails(client, 40_000, 2), EXCEPTION.address);
		assert.equal(client.isClosed, false);
	});

	it("closes connections of unlisted addresses, and shows the last one", async () => {
		await begin();
		const stranger = connect(STRANGER);
		await gateway.pass(100);
		assert.ok(stranger.isClosed);
		const { refused, clients } = await gateway.read("live-meter/status");
		assert.deepEqual([refused.address, refused.dialect, clients.length], [STRANGER, "em24", 0]);
	});

	it("has room for the largest numbers", async () => {
		await begin({}, ["1-0:1.8.0(99999999.999*kWh)", "1-0:16.7.0(-99999999*W)"]);
		const { number } = await data(connect());
		assert.deepEqual([number(0x28), number(0x34)], [-999_999_990, 1_000_000_000]);
		await connectMeter(["1-0:1.8.0(9999999999.999*kWh)", "1-0:16.7.0(-9999999999*W)"]);
		await gateway.pass(5000);
		const most = await data(connect());
		assert.deepEqual([most.number(0x28), most.number(0x34)], [-(2 ** 31), 2 ** 31 - 1]);
	});
});
