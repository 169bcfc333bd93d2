/** The gateway as an SMA energy meter: datagrams to the multicast group. */
import assert from "node:assert/strict";
import { VirtualGateway } from "../api/virtual-gateway.js";
import { connectLines } from "./pushed-lines.js";

const GROUP = { address: "239.12.255.254", port: 9522 };
const SIZE = 608;
const LINES = [
	...["1-0:1.8.0(1234567.891*kWh)", "1-0:2.8.0(000003.5*kWh)", "1-0:16.7.0(-00.321*kW)", "1-0:32.7.0(229.8*V)"],
	...["1-0:14.7.0(49.98*Hz)"],
];

/** Reads the channels of a datagram by their OBIS codes, as C.D.0; checks the frame around them. */
function channelsOf(datagram: Uint8Array): Map<string, number> {
	const bytes = Buffer.from(datagram);
	assert.equal(bytes.length, SIZE);
	assert.equal(bytes.toString("latin1", 0, 4), "SMA\0");
	assert.equal(bytes.toString("hex", 4, 12), "000402a000000001");
	// The length counts from the protocol's number to the end, without the last four bytes.
	assert.equal(bytes.readUInt16BE(12), SIZE - 16 - 4);
	assert.equal(bytes.toString("hex", 14, 20), "00106069010e");
	const channels = new Map<string, number>();
	let at = 28;
	while (bytes[at] !== 0x90) {
		const [b, c, d, e] = bytes.subarray(at, at + 4);
		assert.deepEqual([b, e, d === 4 || d === 8], [0, 0, true]);
		const value = d === 4 ? bytes.readUInt32BE(at + 4) : Number(bytes.readBigUInt64BE(at + 4));
		assert.ok(!channels.has(`${c}.${d}`));
		channels.set(`${c}.${d}`, value);
		at += d === 4 ? 8 : 12;
	}
	assert.equal(bytes.toString("hex", at), "900000000203045200000000");
	return channels;
}

describe("The gateway as an SMA energy meter", () => {
	let gateway: VirtualGateway;

	const connect = (lines: readonly string[], pushMs: number) => connectLines(gateway, lines, pushMs);
	const turnOn = async (settings: object = {}) => {
		await gateway.write("live-meter", { sma: true, ...settings });
		await gateway.pass(10_000);
	};
	const sent = () => gateway.world.udp.sent.filter(({ to }) => to.address === GROUP.address);
	const last = () => channelsOf(sent().at(-1)!.bytes);
	/** Number of datagrams in this time. */
	const count = async (ms: number) => {
		const before = sent().length;
		await gateway.pass(ms);
		return sent().length - before;
	};
	const ports = () => gateway.world.udp.ports.map(({ port }) => port).filter((port) => [1010, 9522].includes(port));

	beforeEach(async () => {
		gateway = await VirtualGateway.loggedIn();
		await gateway.write("iec62056/config", { mode_d_enabled: true, mode_d_baudrate: 9600 });
	});
	afterEach(() => gateway.stop());

	it("sends nothing and opens no port before it is turned on and after it is turned off", async () => {
		await connect(LINES, 1000);
		await gateway.pass(10_000);
		assert.deepEqual([sent().length, ports()], [0, []]);
		await turnOn();
		assert.deepEqual(ports(), [9522]);
		await gateway.write("live-meter", { sma: false });
		assert.deepEqual([await count(10_000), ports()], [0, []]);
	});

	it("sends the meter's values: export, counters, voltage, frequency, with the rest calculated", async () => {
		await connect(LINES, 1000);
		await turnOn();
		const { from, to, group } = sent().at(-1)!;
		assert.deepEqual([from.port, to, group], [9522, GROUP, GROUP.address]);
		const channels = last();
		const of = (...codes: string[]) => codes.map((code) => channels.get(code));
		assert.deepEqual(of("1.4", "2.4", "21.4", "22.4", "42.4"), [0, 3210, 0, 3210, 0]);
		assert.deepEqual(of("1.8", "2.8", "21.8"), [1_234_567_891 * 3600, 3500 * 3600, 1_234_567_891 * 3600]);
		assert.deepEqual(of("3.4", "4.4", "3.8", "9.4", "10.4"), [0, 0, 0, 0, 3210]);
		assert.deepEqual(of("13.4", "14.4", "31.4", "32.4", "33.4"), [1000, 49_980, 1397, 229_800, 1000]);
		assert.equal(channels.size, 3 * (12 + 3) + 12 + 2);
	});

	it("sends import as import, with sign, offset and phases as the owner has set", async () => {
		await connect(LINES, 1000);
		await turnOn({ inverted: true, offset_w: 30, total_on: "all" });
		const channels = last();
		assert.deepEqual([channels.get("1.4"), channels.get("2.4")], [3510, 0]);
		assert.deepEqual([channels.get("21.4"), channels.get("41.4"), channels.get("61.4")], [1170, 1170, 1170]);
		assert.deepEqual([channels.get("1.8"), channels.get("2.8")], [3500 * 3600, 1_234_567_891 * 3600]);
	});

	it("does not let numbers wrap", async () => {
		const lines = ["1-0:1.8.0(99999999.999*kWh)", "1-0:16.7.0(999999999*W)", "1-0:32.7.0(99999999*V)"];
		await connect([...lines, "1-0:31.7.0(99999999*A)"], 1000);
		await turnOn();
		const channels = last();
		assert.deepEqual(
			[channels.get("1.4"), channels.get("32.4"), channels.get("31.4")],
			[0xffff_ffff, 0xffff_ffff, 0xffff_ffff],
		);
		assert.equal(channels.get("1.8"), 99_999_999_999 * 3600);
	});

	it("has a serial number of its own, and a counter of milliseconds", async () => {
		await connect(LINES, 1000);
		await turnOn();
		const [one, other] = sent().slice(-2);
		const numbers = ({ bytes }: { bytes: Uint8Array }) =>
			[20, 24].map((at) => Buffer.from(bytes).readUInt32BE(at)) as [number, number];
		assert.equal(numbers(one)[0], numbers(other)[0]);
		const { id } = await gateway.read("live-meter/status");
		assert.equal(numbers(one)[0], 1_900_000_000 + (Number.parseInt(id.slice(4), 16) % 100_000_000));
		assert.equal(numbers(other)[1] - numbers(one)[1], Math.round(other.timeMs - one.timeMs));
	});

	it("sends one datagram for each readout of a meter that sends each second", async () => {
		await connect(LINES, 1000);
		await turnOn();
		assert.equal(await count(60_000), 60);
	});

	it("repeats the values of a slower meter as long as they are fresh", async () => {
		await connect(LINES, 4000);
		await turnOn();
		const repeated = await count(60_000);
		assert.ok(repeated >= 48 && repeated <= 62, `${repeated} datagrams`);
		await gateway.connectMeter(undefined);
		await gateway.pass(12_000);
		assert.equal(await count(60_000), 0);
		await connect(LINES, 1000);
		await gateway.pass(20_000);
		assert.equal(await count(10_000), 10);
	});

	it("keeps the pause that the owner has set", async () => {
		await connect(LINES, 1000);
		await turnOn({ pause_ms: 5000 });
		assert.equal(await count(60_000), 12);
		const [one, other] = sent().slice(-2);
		assert.ok(other.timeMs - one.timeMs >= 5000);
	});

	it("needs the only UDP port, so that a Shelly answers by HTTP alone meanwhile", async () => {
		await connect(LINES, 1000);
		await gateway.write("live-meter", { shelly: true });
		await turnOn();
		assert.deepEqual(ports(), [9522]);
		await gateway.write("live-meter", { sma: false });
		assert.deepEqual(ports(), [1010]);
	});

	it("ignores what others send to the group", async () => {
		await connect(LINES, 1000);
		await turnOn();
		for (const bytes of [Buffer.alloc(0), Buffer.alloc(SIZE, 0xff), Buffer.alloc(1472)])
			gateway.world.udp.send({ from: { address: "192.0.2.9", port: 9522 }, to: GROUP, bytes });
		assert.equal(await count(10_000), 10);
	});

	it("goes on after a restart and in another network, and after a loss of the port", async () => {
		await connect(LINES, 1000);
		await turnOn();
		await gateway.restart();
		await gateway.pass(15_000);
		assert.deepEqual(ports(), [9522]);
		gateway.world.udp.fail();
		await gateway.pass(40_000);
		assert.equal(await count(10_000), 10);
		gateway.setAir("nothing");
		await gateway.pass(120_000);
		assert.deepEqual(ports(), []);
	});
});
