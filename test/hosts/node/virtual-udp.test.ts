import assert from "node:assert/strict";
import { VirtualWorld } from "../../../hosts/node/virtual.js";
import { ACCESS_POINT_ADDRESS, STATION_ADDRESS } from "../../../hosts/node/virtual-udp.js";
import { DATAGRAM_LIMIT, type UDPOptions } from "../../../modules/io/host.js";

const GROUP = "224.0.0.251";
const CLIENT = Object.freeze({ address: "192.0.2.10", port: 5000 });

/** A port of the world's gateway that records each datagram as `text from address:port at time`. */
function open(world: VirtualWorld, options: Partial<UDPOptions> = {}) {
	const read: string[] = [];
	const into = new Uint8Array(DATAGRAM_LIMIT);
	let errors = 0;
	const udp = new world.udp.io({
		...world.udp.pins,
		port: 0,
		onReadable() {
			for (let length = udp.read(into); length !== undefined; length = udp.read(into)) {
				const text = Buffer.from(into.subarray(0, length)).toString();
				read.push(`${text} from ${udp.remoteAddress}:${udp.remotePort} at ${world.time.nowMs}`);
			}
		},
		onError: () => errors++,
		...options,
	});
	return { udp, read, errors: () => errors };
}

describe("virtual UDP", () => {
	it("carries a datagram from the test to a port, as a separate event", () => {
		const world = new VirtualWorld();
		const { udp, read } = open(world, { port: 53 });
		const bytes = Buffer.from("first");
		world.udp.send({ from: CLIENT, to: { address: STATION_ADDRESS, port: 53 }, bytes });
		bytes.fill(0);
		world.udp.send({ from: CLIENT, to: { address: STATION_ADDRESS, port: 54 }, bytes });
		assert.deepEqual(read, []);
		world.advance(1);
		assert.deepEqual(read, ["first from 192.0.2.10:5000 at 0"]);
		udp.close();
		world.udp.send({ from: CLIENT, to: { address: STATION_ADDRESS, port: 53 }, bytes });
		world.advance(1);
		assert.equal(read.length, 1);
	});

	it("records what the gateway sends, and lets a server reply after a while", () => {
		const world = new VirtualWorld();
		world.udp.serve("192.0.2.1", 123, (bytes, from) => [bytes, Buffer.from(`to ${from.address}:${from.port}`)], 40);
		const { udp, read } = open(world);
		world.advance(5);
		const bytes = Buffer.from("time?");
		udp.write(bytes, "192.0.2.1", 123);
		bytes.fill(0);
		udp.write(bytes, "192.0.2.2", 123);
		const [first, second, ...more] = world.udp.sent;
		assert.deepEqual(first, {
			from: { address: STATION_ADDRESS, port: udp.port },
			to: { address: "192.0.2.1", port: 123 },
			bytes: Uint8Array.from(Buffer.from("time?")),
			group: undefined,
			timeMs: 5,
		});
		assert.equal(second.to.address, "192.0.2.2");
		assert.deepEqual(more, []);
		world.advance(100);
		assert.deepEqual(read, [
			"time? from 192.0.2.1:123 at 45",
			`to ${STATION_ADDRESS}:${udp.port} from 192.0.2.1:123 at 45`,
		]);
	});

	it("delivers datagrams to a group to its members, including the gateway, and to no other", () => {
		const world = new VirtualWorld();
		const first = open(world, { port: 5353, group: GROUP });
		const second = open(world, { port: 5353, group: GROUP });
		const other = open(world, { port: 5354 });
		world.udp.send({ from: CLIENT, to: { address: GROUP, port: 5353 }, bytes: Buffer.from("who?") });
		world.udp.send({ from: CLIENT, to: { address: GROUP, port: 5354 }, bytes: Buffer.from("who?") });
		first.udp.write(Buffer.from("me"), GROUP, 5353);
		world.advance(1);
		const expected = ["who? from 192.0.2.10:5000 at 0", `me from ${STATION_ADDRESS}:5353 at 0`];
		assert.deepEqual(first.read, expected);
		assert.deepEqual(second.read, expected);
		assert.deepEqual(other.read, []);
		assert.equal(world.udp.sent[0].group, GROUP);
	});

	it("carries datagrams to and from other devices, with the delay that the test sets", () => {
		const world = new VirtualWorld();
		const own = open(world, { port: 53 });
		const other = open(world, { port: 53, ...world.udp.device("192.0.2.21").pins });
		const members = [open(world, { port: 5353, group: GROUP }).read];
		members.push(open(world, { port: 5353, group: GROUP, ...world.udp.device("192.0.2.21").pins }).read);
		const bytes = Buffer.from("late");
		world.udp.send({ from: CLIENT, to: { address: "192.0.2.21", port: 53 }, bytes }, 30);
		bytes.fill(0);
		other.udp.write(Buffer.from("all"), GROUP, 5353);
		world.advance(100);
		assert.deepEqual([own.read, other.read], [[], ["late from 192.0.2.10:5000 at 30"]]);
		assert.deepEqual(members, new Array(2).fill(["all from 192.0.2.21:53 at 0"]));
		assert.equal(world.udp.sent[0].from.address, "192.0.2.21");
		own.udp.write(Buffer.from("to you"), "192.0.2.21", 53);
		world.advance(1);
		assert.equal(other.read[1], `to you from ${STATION_ADDRESS}:53 at 100`);
	});

	it("reserves the access point's ports for its own network", () => {
		const world = new VirtualWorld();
		const { udp, read } = open(world, { port: 53, accessPoint: true });
		const to = { address: ACCESS_POINT_ADDRESS, port: 53 };
		world.udp.send({ from: CLIENT, to, bytes: Buffer.from("no") });
		world.udp.send({ from: { address: "192.168.4.2", port: 9 }, to, bytes: Buffer.from("yes") });
		world.advance(1);
		assert.deepEqual(read, ["yes from 192.168.4.2:9 at 0"]);
		world.udp.serve("192.168.4.2", 9, (_, from) => [Buffer.from(from.address)]);
		udp.write(Buffer.from("x"), "192.168.4.2", 9);
		world.advance(1);
		assert.equal(read[1], `${ACCESS_POINT_ADDRESS} from 192.168.4.2:9 at 1`);
	});

	it("loses excess and oversized datagrams, and rejects what the contract forbids", () => {
		const world = new VirtualWorld();
		const { udp } = open(world, { onReadable: () => {} });
		const to = { address: STATION_ADDRESS, port: udp.port };
		world.udp.send({ from: CLIENT, to, bytes: new Uint8Array(DATAGRAM_LIMIT + 1) });
		for (let i = 0; i < 20; i++) world.udp.send({ from: CLIENT, to, bytes: Uint8Array.of(i) });
		world.advance(1);
		const into = new Uint8Array(DATAGRAM_LIMIT);
		for (let i = 0; i < 8; i++) {
			assert.equal(udp.read(into), 1);
			assert.equal(into[0], i);
		}
		assert.equal(udp.read(into), undefined);
		assert.throws(() => udp.write(new Uint8Array(DATAGRAM_LIMIT + 1), "192.0.2.1", 9), RangeError);
		assert.throws(() => udp.write(into, "gateway.local", 9), RangeError);
		assert.throws(() => open(world, { port: udp.port }), /used by another program/);
		udp.close();
		udp.close();
		assert.throws(() => udp.write(into, "192.0.2.1", 9), /after close/);
		assert.deepEqual(world.udp.sent, []);
		assert.deepEqual(world.udp.ports, []);
	});

	it("breaks down when the test says so", () => {
		const world = new VirtualWorld();
		const { errors, udp } = open(world);
		const closed = open(world);
		world.udp.fail();
		closed.udp.close();
		assert.equal(errors(), 0);
		world.advance(1);
		assert.equal(errors(), 1);
		assert.equal(closed.errors(), 0);
		udp.close();
		world.udp.failure = "no memory";
		assert.throws(() => open(world), /no memory/);
	});

	it("resolves the names that the test defines, four at a time", () => {
		const world = new VirtualWorld();
		world.names.set("pool.ntp.org", "192.0.2.1");
		const answers: string[] = [];
		const resolveName = (name: string) =>
			world.network.resolve!(name, (address) => answers.push(`${name} ${address} ${world.time.nowMs}`));
		for (const name of ["pool.ntp.org", "unknown", "192.0.2.9", "a", "b", "c"]) resolveName(name);
		assert.deepEqual(answers, []);
		world.advance(100);
		assert.deepEqual(answers, [
			"192.0.2.9 192.0.2.9 0",
			"c undefined 0",
			"pool.ntp.org 192.0.2.1 20",
			"unknown undefined 20",
			"a undefined 20",
			"b undefined 20",
		]);
		resolveName("pool.ntp.org");
		world.advance(100);
		assert.equal(answers.at(-1), "pool.ntp.org 192.0.2.1 120");
	});

	it("is missing if the test says so", () => {
		const { network, button } = new VirtualWorld({ udp: false, button: false });
		assert.deepEqual([network.udp, network.resolve, button], [undefined, undefined, undefined]);
	});
});

describe("the virtual button", () => {
	it("is pressed as long as the test says, once at a time", () => {
		const world = new VirtualWorld();
		const changes: string[] = [];
		const { io: Button, pins } = world.button!;
		const button = new Button({ ...pins, onChanged: (pressed) => changes.push(`${pressed} ${world.time.nowMs}`) });
		world.button!.press(3000);
		world.button!.press(10);
		assert.deepEqual(changes, []);
		world.advance(5000);
		assert.deepEqual(changes, ["true 0", "false 3000"]);
		world.button!.press();
		world.advance(10);
		button.close();
		button.close();
		world.advance(1000);
		assert.deepEqual(changes.slice(2), ["true 5000"]);
	});
});
