import assert from "node:assert/strict";
import { SeededRandom } from "../../hosts/node/random.js";
import { ACCESS_POINT_ADDRESS } from "../../hosts/node/virtual-udp.js";
import { CaptiveDNS } from "../../modules/dns/captive-dns.js";
import { DNSReader } from "../../modules/dns/dns.js";
import { Datagrams } from "../../modules/io/datagrams.js";
import { DATAGRAM_LIMIT } from "../../modules/io/host.js";
import { Bed } from "./bed.js";
import { A, AAAA, ANY, HTTPS, message, OPT, type Parts, parse } from "./messages.js";

const PHONE = "192.168.4.2";
const DEVICE = Object.freeze({ address: ACCESS_POINT_ADDRESS, port: 53 });

class DNSBed extends Bed {
	readonly dns: { start(): void; stop(): void };

	constructor() {
		super();
		const world = this.world();
		const dns = new CaptiveDNS({ ...world, reader: new DNSReader(world.buffer) });
		const { task: drive } = new Datagrams(world, "captive dns", dns);
		this.dns = { start: () => drive.update(() => dns.start()), stop: () => drive.update(() => dns.stop()) };
	}

	/** Sends these bytes; returns the reply, undefined without one. */
	sendQuery(bytes: Uint8Array, port = 40_000): Uint8Array | undefined {
		const { network } = this;
		const phone = { address: PHONE, port };
		const before = network.sent.length;
		network.send({ from: phone, to: DEVICE, bytes });
		this.pass(10);
		assert.ok(network.sent.length <= before + 1);
		const reply = network.sent[before];
		if (reply === undefined) return undefined;
		assert.deepEqual([reply.to, reply.from], [phone, DEVICE]);
		return reply.bytes;
	}

	query(parts: Parts) {
		const reply = this.sendQuery(message({ id: 0xbeef, flags: 0x0100, ...parts }));
		return reply === undefined ? undefined : parse(reply);
	}
}

function started(): DNSBed {
	const bed = new DNSBed();
	bed.dns.start();
	return bed;
}

const NAME = "connectivitycheck.gstatic.com";

describe("dns/captive-dns", () => {
	it("resolves every name to the device, with a lifetime of 0", () => {
		const bed = started();
		for (const name of [
			NAME,
			"a",
			"www.Example.ORG",
			`${"x".repeat(63)}.${"y".repeat(63)}.${"z".repeat(63)}.${"w".repeat(61)}`,
		]) {
			assert.deepEqual(bed.query({ questions: [{ name, type: A }] }), {
				id: 0xbeef,
				flags: 0x8580,
				questions: [`${name} A`],
				answers: [`${name} A 0 192.168.4.1`],
				authorities: [],
				additionals: [],
			});
		}
		assert.deepEqual(bed.query({ questions: [{ name: NAME, type: ANY }] })?.answers, [`${NAME} A 0 192.168.4.1`]);
		assert.equal(bed.query({ flags: 0, questions: [{ name: NAME, type: A }] })?.flags, 0x8480);
	});

	it("replies to other types and classes with no record and no error", () => {
		const bed = started();
		for (const type of [AAAA, HTTPS, 2, 6, 15, 16, 33, 64]) {
			const reply = bed.query({ questions: [{ name: NAME, type }] });
			assert.deepEqual([reply?.flags, reply?.questions.length, reply?.answers], [0x8580, 1, []], `type ${type}`);
		}
		const chaos = bed.sendQuery(message({ id: 1, questions: [{ name: "version.bind", type: A, class: 3 }] }))!;
		assert.deepEqual([...chaos.subarray(2, 12)], [0x84, 0x80, 0, 1, 0, 0, 0, 0, 0, 0]);
	});

	it("answers queries with EDNS", () => {
		const bed = started();
		const additionals = [{ name: "", type: OPT, class: 1232, ttl: 0, data: Uint8Array.of(0, 10, 0, 2, 1, 2) }];
		const reply = bed.query({ questions: [{ name: NAME, type: A }], additionals });
		assert.deepEqual([reply?.answers, reply?.additionals], [[`${NAME} A 0 192.168.4.1`], []]);
	});

	it("replies with an error code to unsupported and malformed queries", () => {
		const bed = started();
		const codeOf = (bytes: Uint8Array) => {
			const reply = bed.sendQuery(bytes);
			if (reply === undefined) return "nothing";
			assert.deepEqual([...reply.subarray(4)], [0, 0, 0, 0, 0, 0, 0, 0]);
			assert.deepEqual([...reply.subarray(0, 2)], [...bytes.subarray(0, 2)]);
			return reply[3] & 15;
		};
		const questions = [{ name: NAME, type: A }];
		for (const opcode of [1, 2, 4, 5, 15]) {
			assert.equal(codeOf(message({ id: 5, flags: opcode << 11, questions })), 4, `opcode ${opcode}`);
		}
		assert.equal(codeOf(message({ id: 5 })), 1, "no question");
		assert.equal(codeOf(message({ id: 5, questions: [...questions, ...questions] })), 1, "two questions");
		const good = message({ id: 5, questions });
		for (let length = 0; length < good.length; length++) {
			assert.equal(codeOf(good.slice(0, length)), length < 4 ? "nothing" : 1, `cut after ${length}`);
		}
		const pointer = good.slice();
		pointer.set([0xc0, 12], 12);
		assert.equal(codeOf(pointer), 1);
	});

	it("answers neither responses nor senders with port 0", () => {
		const bed = started();
		const questions = [{ name: NAME, type: A }];
		assert.equal(bed.sendQuery(message({ flags: 0x8000, questions })), undefined);
		assert.equal(bed.sendQuery(message({ flags: 0x8180, questions }).slice(0, 20)), undefined);
		assert.equal(bed.sendQuery(message({ questions }), 0), undefined);
	});

	it("answers a good query after 10 000 random or damaged ones", () => {
		const bed = started();
		const random = new SeededRandom(2);
		const good = message({ id: 9, flags: 0x0100, questions: [{ name: NAME, type: A }] });
		for (let i = 0; i < 10_000; i++) {
			const bytes = i % 2 === 0 ? random.bytes(random.below(200)) : good.slice();
			if (i % 2 === 1) bytes[random.below(bytes.length)] = random.next();
			const reply = bed.sendQuery(bytes);
			if (reply !== undefined) assert.ok(reply.length <= bytes.length + 16);
		}
		assert.equal(bed.query({ questions: [{ name: NAME, type: A }] })?.answers.length, 1);
	});

	it("answers a query that fills a datagram with its question and one record", () => {
		const bed = started();
		const bytes = new Uint8Array(DATAGRAM_LIMIT);
		bytes.set(message({ id: 9, questions: [{ name: NAME, type: A }] }));
		assert.equal(bed.sendQuery(bytes)?.length, 12 + 31 + 4 + 16);
	});

	it("answers only between start and stop", () => {
		const bed = new DNSBed();
		const questions = [{ name: NAME, type: A }];
		assert.equal(bed.query({ questions }), undefined);
		bed.dns.start();
		bed.dns.start();
		assert.equal(bed.network.ports.length, 1);
		assert.equal(bed.query({ questions })?.answers.length, 1);
		bed.dns.stop();
		bed.dns.stop();
		assert.equal(bed.query({ questions }), undefined);
		assert.deepEqual(bed.network.ports, []);
	});

	it("opens the port again after 30 s if it is in use or lost", () => {
		const bed = new DNSBed();
		bed.network.failure = "udp port 53 is used by another program";
		bed.dns.start();
		assert.deepEqual(bed.traced, ["captive dns: udp port 53 is used by another program"]);
		bed.pass(30_000);
		assert.equal(bed.traced.length, 2);
		bed.network.failure = "";
		bed.pass(29_999);
		assert.deepEqual(bed.network.ports, []);
		bed.pass(1);
		assert.equal(bed.query({ questions: [{ name: NAME, type: A }] })?.answers.length, 1);
		bed.loseNetwork();
		assert.deepEqual(bed.network.ports, []);
		bed.pass(30_000);
		assert.equal(bed.query({ questions: [{ name: NAME, type: A }] })?.answers.length, 1);
		bed.loseNetwork();
		bed.dns.stop();
		bed.pass(60_000);
		assert.deepEqual(bed.network.ports, []);
	});

	it("answers every query of a flood that the host has queued", () => {
		const bed = started();
		const bytes = message({ id: 9, questions: [{ name: NAME, type: A }] });
		for (let port = 4000; port < 4200; port++) bed.network.send({ from: { address: PHONE, port }, to: DEVICE, bytes });
		bed.pass(100);
		assert.equal(bed.network.sent.length, 200);
	});
});
