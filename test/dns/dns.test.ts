import assert from "node:assert/strict";
import { SeededRandom } from "../../hosts/node/random.js";
import {
	CLASS_IN,
	DNSReader,
	DNSWriter,
	LABEL_KEYS,
	labelKey,
	putName,
	SECTION_ADDITIONAL,
	SECTION_ANSWER,
	SECTION_AUTHORITY,
	TYPE_A,
	TYPE_PTR,
} from "../../modules/dns/dns.js";
import { A, ANY, address, message, name, PTR, parse } from "./messages.js";

const NAMES = new Uint8Array(512);
const GATEWAY = 0;
const SERVICE = putName(NAMES, GATEWAY, "gateway.local");
const LONG = putName(NAMES, SERVICE, "_https._tcp.local");
putName(NAMES, LONG, ["a".repeat(63), "b".repeat(63), "c".repeat(63), "d".repeat(61)].join("."));

/** Everything that the reader can read of a message, as texts. */
function readAll(bytes: Uint8Array, length = bytes.length): string[] {
	const reader = new DNSReader(bytes);
	const found: string[] = [];
	if (!reader.open(bytes, length)) return found;
	const add = (kind: string) => {
		assert.ok(reader.at <= length);
		const is = reader.isName(reader.nameAt, NAMES, GATEWAY) ? "gateway" : "other";
		const key = reader.keyOf(reader.nameAt);
		assert.ok(key >= 0 && key < LABEL_KEYS);
		if (is === "gateway") assert.equal(key, labelKey(NAMES, GATEWAY));
		reader.compareName(reader.dataAt, NAMES, SERVICE);
		found.push(`${kind} ${is} ${reader.type} ${reader.class}`);
	};
	while (reader.nextQuestion()) add("question");
	while (reader.nextRecord()) add(`record ${reader.section} ${reader.ttl} ${reader.at - reader.dataAt}`);
	return found;
}

/** A header with these counts of questions and records, and what follows it. */
function raw(questions: number, records: number, ...rest: (number[] | Uint8Array)[]): Uint8Array {
	const header = [0, 0, 0, 0, 0, questions, 0, records, 0, 0, 0, 0];
	return new Uint8Array(Buffer.concat([Buffer.from(header), ...rest.map((part) => Buffer.from(part))]));
}

const isGateway = (bytes: Uint8Array, at: number) => {
	const reader = new DNSReader(bytes);
	reader.open(bytes, bytes.length);
	return reader.isName(at, NAMES, GATEWAY);
};

const GOOD = message({
	id: 0x1234,
	flags: 0x0100,
	questions: [{ name: "GateWay.LOCAL", type: ANY, class: 0x8001 }],
	answers: [{ name: "_https._tcp.local", type: PTR, ttl: 4500, data: name("x._https._tcp.local") }],
	authorities: [{ name: "gateway.local", type: A, ttl: 0x12345678, data: address("10.0.0.1") }],
	additionals: [{ name: "", type: 41, class: 4096, ttl: 0, data: new Uint8Array(0) }],
});
const GOOD_READ = [
	"question gateway 255 32769",
	"record 1 4500 21 other 12 1",
	`record 2 ${0x12345678} 4 gateway 1 1`,
	"record 3 0 0 other 41 4096",
];

describe("dns/dns", () => {
	it("reads questions and the records of each section, in upper or lower case", () => {
		assert.deepEqual(readAll(GOOD), GOOD_READ);
		const reader = new DNSReader(GOOD);
		reader.open(GOOD, GOOD.length);
		assert.deepEqual([reader.id, reader.flags, reader.questions, reader.authorities], [0x1234, 0x0100, 1, 1]);
		while (reader.nextRecord());
		reader.rewind();
		assert.equal(reader.nextQuestion(), true);
		assert.equal(reader.isBroken, false);
	});

	it("reads a truncated message up to the cut, and reports it as broken", () => {
		for (let length = 0; length < GOOD.length; length++) {
			const found = readAll(GOOD, length);
			assert.ok(found.length < GOOD_READ.length);
			assert.deepEqual(found, GOOD_READ.slice(0, found.length));
			assert.deepEqual(readAll(GOOD.slice(0, length)), found);
			const reader = new DNSReader(GOOD);
			if (reader.open(GOOD, length)) while (reader.nextRecord());
			assert.equal(reader.isBroken, true, `cut after ${length}`);
		}
	});

	it("reads messages with any bit flipped, and 10 000 random messages, without an exception", () => {
		for (let at = 0; at < GOOD.length; at++) {
			for (const flip of [1, 2, 4, 8, 16, 32, 64, 128, 255]) {
				const damaged = GOOD.slice();
				damaged[at] ^= flip;
				readAll(damaged);
			}
		}
		const seed = 1;
		const random = new SeededRandom(seed);
		for (let i = 0; i < 10_000; i++) {
			const bytes = i % 2 === 0 ? random.bytes(random.below(300)) : GOOD.slice();
			if (i % 2 === 1) for (let k = random.below(8); k >= 0; k--) bytes[random.below(bytes.length)] = random.next();
			if (bytes.length > 12 && i % 4 === 0) bytes.set([0, 2, 0, 3, 0, 3, 0, 3], 4);
			readAll(bytes);
		}
	});

	it("follows pointers backwards only", () => {
		const local = [5, ...Buffer.from("local"), 0];
		const two = raw(2, 0, local, [0, 1, 0, 1], [7, ...Buffer.from("gateway"), 0xc0, 12], [0, 1, 0, 1]);
		assert.deepEqual(readAll(two), ["question other 1 1", "question gateway 1 1"]);
		const toPointer = raw(3, 0, two.slice(12), [0xc0, 23], [0, 1, 0, 1]);
		assert.equal(readAll(toPointer)[2], "question gateway 1 1");
		for (const [what, to] of Object.entries({ itself: 12, forwards: 14, "the header": 4, "the end": 99 })) {
			const bytes = raw(1, 0, [0xc0, to], [0, 1, 0, 1], local);
			assert.deepEqual(readAll(bytes), [], what);
			assert.equal(isGateway(bytes, 12), false);
			assert.equal(new DNSReader(bytes).keyOf(12), 0);
		}
		// A name with a pointer back to one of its own labels.
		const loop = raw(1, 0, [7, ...Buffer.from("gateway"), 0xc0, 12], [0, 1, 0, 1]);
		assert.deepEqual(readAll(loop), []);
		assert.equal(isGateway(loop, 12), false);
	});

	it("follows 16 pointers for a name, not more", () => {
		const chain = (count: number) => {
			const pointers = Array.from({ length: count }, (_, i) => [0xc0, i === 0 ? 12 : 12 + 15 + 2 * (i - 1)]);
			return raw(0, 0, name("gateway.local"), ...pointers);
		};
		assert.equal(isGateway(chain(16), 12 + 15 + 30), true);
		assert.equal(isGateway(chain(17), 12 + 15 + 32), false);
	});

	it("accepts names of up to 255 bytes with labels of up to 63", () => {
		const of = (...lengths: number[]) => lengths.map((length, i) => "abcd"[i].repeat(length)).join(".");
		const longest = raw(1, 0, name(of(63, 63, 63, 61)), [0, 1, 0, 1]);
		assert.deepEqual(readAll(longest), ["question other 1 1"]);
		const reader = new DNSReader(longest);
		reader.open(longest, longest.length);
		assert.equal(reader.isName(12, NAMES, LONG), true);
		assert.deepEqual(readAll(raw(1, 0, name(of(63, 63, 63, 62)), [0, 1, 0, 1])), []);
		for (const first of [64, 0x80, 0xbf]) {
			assert.deepEqual(readAll(raw(1, 0, [first], new Uint8Array(first), [0], [0, 1, 0, 1])), [], `label of ${first}`);
		}
	});

	it("distinguishes names with the same beginning or end", () => {
		const is = (text: string) => isGateway(raw(1, 0, name(text), [0, 1, 0, 1]), 12);
		assert.equal(is("gateway.local"), true);
		assert.equal(is("GATEWAY.Local"), true);
		for (const other of [
			"gateway",
			"gateway.local.x",
			"gateway.locam",
			"gatewa.local",
			"gateway1.local",
			"",
			"local",
		]) {
			assert.equal(is(other), false, other);
		}
		// 0x40 and 0x60, 0x5b and 0x7b differ by the bit of letter case.
		const bytes = raw(1, 0, name("gateway.local"), [0, 1, 0, 1]);
		bytes[13] ^= 0x20;
		assert.equal(isGateway(bytes, 12), true);
		bytes[12] ^= 0x20;
		assert.equal(isGateway(bytes, 12), false);
	});

	it("writes messages that another parser reads, and compresses names unless asked not to", () => {
		const writer = new DNSWriter(new Uint8Array(512), NAMES);
		writer.begin(7, 0x8400);
		writer.question(GATEWAY, TYPE_A, CLASS_IN | 0x8000);
		writer.startRecord(GATEWAY, TYPE_A, CLASS_IN);
		writer.startData(0x12345);
		writer.put(address("192.168.4.1"), 0, 4);
		assert.equal(writer.endRecord(SECTION_ANSWER), true);
		writer.startRecord(SERVICE, TYPE_PTR, CLASS_IN);
		writer.startData(120);
		writer.name(GATEWAY);
		assert.equal(writer.endRecord(SECTION_AUTHORITY), true);
		writer.startRecord(SERVICE, TYPE_PTR, CLASS_IN);
		writer.startData(120);
		writer.name(GATEWAY, false);
		assert.equal(writer.endRecord(SECTION_ADDITIONAL), true);
		const bytes = writer.bytes.slice(0, writer.length);
		assert.deepEqual(parse(bytes), {
			id: 7,
			flags: 0x8400,
			questions: ["gateway.local A!"],
			answers: [`gateway.local A ${0x12345} 192.168.4.1`],
			authorities: ["_https._tcp.local PTR 120 gateway.local"],
			additionals: ["_https._tcp.local PTR 120 gateway.local"],
		});
		assert.equal(bytes.length, 12 + 15 + 4 + (2 + 10 + 4) + (14 + 10 + 2) + (2 + 10 + 15));
	});

	it("omits records that do not fit, whatever the size of the buffer", () => {
		const whole = 12 + 15 + 4 + 2 + 10 + 4 + 14 + 10 + 2;
		for (let room = 12; room <= whole; room++) {
			const writer = new DNSWriter(new Uint8Array(room).fill(0xee), NAMES);
			writer.begin(0, 0);
			writer.question(GATEWAY, TYPE_A, CLASS_IN);
			writer.startRecord(GATEWAY, TYPE_A, CLASS_IN);
			writer.startData(120);
			writer.put(address("192.168.4.1"), 0, 4);
			writer.endRecord(SECTION_ANSWER);
			writer.startRecord(SERVICE, TYPE_PTR, CLASS_IN);
			writer.startData(120);
			writer.name(GATEWAY);
			assert.equal(writer.endRecord(SECTION_ANSWER), room === whole);
			parse(writer.bytes.slice(0, writer.length));
		}
	});
});
