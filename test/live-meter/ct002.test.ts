/**
 * The gateway as a Marstek CT002 or CT003. The request is the example of the protocol's description, docs/ct002-ct003-
 * protocol.md of https://github.com/tomquist/AstraMeter, commit 964e0bfe (GPL-3.0-only), with its checksum.
 */
import assert from "node:assert/strict";
import { VirtualGateway } from "../api/virtual-gateway.js";
import { connectLines } from "./pushed-lines.js";

const BATTERY = "192.0.2.40";
const STRANGER = "192.0.2.41";
const OWN = "192.0.2.20";
const PORT = 12_345;
/** Port from which batteries ask. */
const FROM = 22_222;
const LINES = [
	...["1-0:1.8.0(000012.572*kWh)", "1-0:2.8.0(000003.5*kWh)", "1-0:16.7.0(-00.321*kW)", "1-0:36.7.0(00.500*kW)"],
	...["1-0:56.7.0(-00.900*kW)", "1-0:76.7.0(00.079*kW)"],
];
const EXAMPLE = "\x01\x0253|HMG-50|AABBCCDDEEFF|HME-4|112233445566|B|-217\x036e";

const checksum = (text: string) =>
	[...Buffer.from(text, "latin1")]
		.reduce((sum, byte) => sum ^ byte, 0)
		.toString(16)
		.padStart(2, "0");

function frame(...fields: readonly (string | number)[]): string {
	const body = `|${fields.join("|")}`;
	const length = [2, 3].map((digits) => body.length + 5 + digits).find((all, i) => String(all).length === i + 2);
	const text = `\x01\x02${length}${body}\x03`;
	return text + checksum(text);
}

const request = (phase: string, power: number | string = 0, ct: readonly string[] = ["HME-4", "112233445566"]) =>
	frame("HMG-50", "AABBCCDDEEFF", ...ct, phase, power);

describe("The gateway as a Marstek CT002", () => {
	let gateway: VirtualGateway;

	const connectMeter = (lines: readonly string[] = LINES) => connectLines(gateway, lines);
	const turnOn = async (settings: object = {}) => {
		await gateway.write("live-meter/clients", { clients: [{ address: BATTERY }] });
		await gateway.write("live-meter", { ct002: true, ...settings });
		await gateway.pass(10_000);
	};
	const begin = async (settings?: object, lines?: readonly string[]) => {
		await connectMeter(lines);
		await turnOn(settings);
	};
	/** Sends datagrams; returns the replies. */
	const send = async (bytes: readonly string[], address = BATTERY) => {
		const { udp } = gateway.world;
		const before = udp.sent.length;
		for (const one of bytes)
			udp.send({ from: { address, port: FROM }, to: { address: OWN, port: PORT }, bytes: Buffer.from(one, "latin1") });
		await gateway.pass(100);
		return udp.sent.slice(before).filter(({ from: { port } }) => port === PORT);
	};
	/** Returns the texts and the numbers of the reply, whose frame it checks. */
	const ask = async (bytes: string, address = BATTERY) => {
		const [reply, ...more] = await send([bytes], address);
		assert.ok(reply !== undefined, "no reply");
		assert.deepEqual([more.length, reply.to.address, reply.to.port], [0, address, FROM]);
		const text = Buffer.from(reply.bytes).toString("latin1");
		const [length, ...fields] = text.slice(2, -3).split("|");
		assert.deepEqual([text.slice(0, 2), Number(length), text.at(-3)], ["\x01\x02", text.length, "\x03"]);
		assert.equal(text.slice(-2), checksum(text.slice(0, -2)));
		assert.equal(fields.length, 24);
		return { texts: fields.slice(0, 4), numbers: fields.slice(4).map(Number) };
	};
	const ports = () =>
		gateway.world.udp.ports.map(({ port }) => port).filter((port) => [PORT, 1010, 9522].includes(port));

	beforeEach(async () => {
		gateway = await VirtualGateway.loggedIn();
		await gateway.write("iec62056/config", { mode_d_enabled: true, mode_d_baudrate: 9600 });
	});
	afterEach(() => gateway.stop());

	it("listens only while it is turned on, in place of the Shelly, but not beside SMA", async () => {
		await connectMeter();
		await gateway.pass(5000);
		assert.deepEqual(ports(), []);
		await turnOn({ shelly: true });
		assert.deepEqual(ports(), [PORT]);
		await gateway.write("live-meter", { sma: true });
		await gateway.pass(100);
		assert.deepEqual(ports(), [9522]);
		await gateway.write("live-meter", { sma: false });
		await gateway.pass(100);
		assert.deepEqual(ports(), [PORT]);
		await gateway.write("live-meter", { ct002: false });
		await gateway.pass(100);
		assert.deepEqual(ports(), [1010]);
	});

	it("answers the example of the description with the whole power on the battery's phase", async () => {
		await begin();
		assert.equal(frame("HMG-50", "AABBCCDDEEFF", "HME-4", "112233445566", "B", -217), EXAMPLE);
		const { texts, numbers } = await ask(EXAMPLE);
		assert.deepEqual(texts, ["HME-4", "112233445566", "HMG-50", "AABBCCDDEEFF"]);
		const { rssi } = await gateway.read("system/status").then(({ wifi }) => wifi ?? {});
		assert.deepEqual(numbers.slice(0, 8), [0, -321, 0, -321, 0, 1, 0, 0]);
		assert.ok(numbers[8] < 0 && (rssi === undefined || rssi === numbers[8]), `${numbers[8]} dBm`);
		assert.deepEqual(numbers.slice(9), [0, ...[0, 0, -217, 0, 0], ...[0, 0, 0, 0, 0]]);
		const { clients } = await gateway.read("live-meter/status");
		assert.deepEqual([clients[0].address, clients[0].dialect, clients[0].power], [BATTERY, "ct002", -321]);
	});

	it("gives the power of each phase to a battery on all phases, or on one that it does not know yet", async () => {
		await begin();
		const all = await ask(request("D", 100));
		assert.deepEqual(all.numbers.slice(0, 8), [500, -900, 79, -321, 0, 0, 0, 1]);
		assert.deepEqual(all.numbers.slice(10), [...[0, 0, 0, 0, 0], ...[0, 0, 0, 0, 100]]);
		for (const phase of ["0", "", "?"]) {
			const { numbers } = await ask(request(phase, -5));
			assert.deepEqual(numbers.slice(0, 8), [500, -900, 79, -321, 0, 0, 0, 0]);
			assert.deepEqual(numbers.slice(10), [...[-5, 0, 0, 0, 0], ...[0, 0, 0, 0, 0]]);
		}
	});

	it("answers as the CT that is asked, as itself if none is named, and numbers its replies", async () => {
		await begin();
		const { id } = await gateway.read("live-meter/status");
		for (const [i, [asked, answered]] of [
			...[
				["aabbcc112233", "aabbcc112233"],
				["000000000000", id],
				["", id],
			],
		].entries()) {
			const { texts, numbers } = await ask(request("A", 0, ["HME-3", asked]));
			assert.deepEqual([texts[0], texts[1], numbers[9]], ["HME-3", answered, i]);
		}
	});

	it("accepts requests without a power, with more fields, and with a space in the checksum", async () => {
		await begin();
		for (const bytes of [
			frame("HMG-50", "AABBCCDDEEFF", "HME-4", "112233445566"),
			frame("HMG-50", "AABBCCDDEEFF", "HME-4", "112233445566", "A"),
			frame("HMJ-2", "AABBCCDDEEFF", "HME-4", "112233445566", "A", 80, 0),
			request("A", "x"),
		])
			assert.equal((await ask(bytes)).numbers[3], -321, bytes);
		const spaced = ["", "0", "A", "a", "0A", "0a", "Aa", "0Aa"]
			.map((type) => frame(type, "AABBCCDDEEFF", "HME-4", "112233445566", "A", 0))
			.find((one) => one.at(-2) === "0")!;
		await ask(`${spaced.slice(0, -2)} ${spaced.at(-1)}`);
		await ask(EXAMPLE.replace("6e", "6E"));
	});

	it("does not answer unlisted addresses, damaged requests, or without a fresh value", async () => {
		await turnOn();
		assert.equal((await send([EXAMPLE])).length, 0, "before the first readout");
		await connectMeter();
		await gateway.pass(5000);
		await ask(EXAMPLE);
		assert.equal((await send([EXAMPLE], STRANGER)).length, 0);
		const { refused } = await gateway.read("live-meter/status");
		assert.deepEqual([refused.address, refused.dialect], [STRANGER, "ct002"]);
		const damaged = [
			...["", "x", "\x01\x02", EXAMPLE.slice(1), EXAMPLE.slice(0, -1), `${EXAMPLE}0`, EXAMPLE.replace("53", "54")],
			...[EXAMPLE.replace("-217", "-218"), EXAMPLE.replace("\x03", "\x02"), EXAMPLE.replace("6e", "6f")],
			...[
				frame("HMG-50", "AABBCCDDEEFF", "HME-4"),
				frame("HMG\xff", "A", "HME-4", "1"),
				frame("\n", "A", "HME-4", "1"),
			],
			frame("H".repeat(120), "AABBCCDDEEFF", "HME-4", "112233445566", "A", 0),
		];
		for (const bytes of damaged) assert.equal((await send([bytes])).length, 0, JSON.stringify(bytes));
		await ask(EXAMPLE);
		await gateway.connectMeter(undefined);
		await gateway.pass(12_000);
		assert.equal((await send([EXAMPLE])).length, 0, "too old");
	});

	it("sends at most 20 datagrams in a second to an address, and none in the owner's pause", async () => {
		await begin();
		assert.equal((await send(Array.from({ length: 100 }, () => EXAMPLE))).length, 20);
		await gateway.write("live-meter", { pause_ms: 5000 });
		await gateway.pass(5000);
		await ask(EXAMPLE);
		assert.equal((await send([EXAMPLE])).length, 0);
		await gateway.pass(5000);
		await ask(EXAMPLE);
	});

	it("divides the power among batteries with shares, but shows all of it to one that looks for its phase", async () => {
		await begin({ inverted: true });
		await gateway.write("live-meter/clients", {
			clients: [
				{ address: BATTERY, share_percent: 60 },
				{ address: STRANGER, share_percent: 40 },
			],
		});
		await gateway.pass(3000);
		const searching = await ask(request("0"));
		assert.deepEqual(searching.numbers.slice(0, 4), [-500, 900, -79, 321]);
		for (const address of [BATTERY, STRANGER]) {
			const { numbers } = await ask(request("C"), address);
			assert.ok(numbers[3] > 0 && numbers[3] < 200, `${numbers[3]} W`);
			assert.deepEqual(numbers.slice(0, 8), [0, 0, numbers[3], numbers[3], 0, 0, 1, 0]);
		}
	});

	it("limits powers to the numbers of the protocol", async () => {
		await begin({}, ["1-0:16.7.0(-99999*W)"]);
		const { numbers } = await ask(request("A", 123_456));
		assert.deepEqual([numbers[0], numbers[3], numbers[16]], [-32_767, -32_767, 32_767]);
	});
});
