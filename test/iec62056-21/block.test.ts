import assert from "node:assert/strict";
import fc from "fast-check";
import {
	BlockReceiver,
	CHECK_ABSENT,
	CHECK_RIGHT,
	CHECK_WRONG,
	PART_AGAIN,
	PART_NEXT,
} from "../../modules/iec62056-21/block.js";
import { DataSetParser } from "../../modules/iec62056-21/dataset.js";
import { RecordWriter } from "../../modules/readout/record-writer.js";
import { frame } from "../../tools/meter/telegram.js";
import { feeds, REFUSED } from "../feeds.js";
import { bytesOf, textOf } from "../latin1.js";
import { recordsOf } from "../meter/records.js";

const BLOCK = "1.8.0(000123.4*kWh)\r\n2.8.0(000005.6*kWh)\r\n!\r\n";
const RECORDS = ["1.8.0: 000123.4*kWh", "2.8.0: 000005.6*kWh"];
const FRAMED = textOf(frame(bytesOf(BLOCK)));

class Receiver {
	readonly writer = new RecordWriter();
	readonly parser = new DataSetParser(this.writer);
	readonly block: BlockReceiver;

	constructor(takesParts = false) {
		this.block = new BlockReceiver(this.parser, takesParts);
		this.block.begin();
	}

	/** Feeds a text in pieces of `size`; returns the unused rest. */
	take(text: string, size = text.length): string {
		const bytes = bytesOf(text);
		let at = 0;
		while (at < bytes.length && !this.block.done) {
			at = this.block.receive(bytes, at, Math.min(bytes.length, at + size));
		}
		return text.slice(at);
	}

	get records(): string[] {
		this.writer.endBlock(true);
		return recordsOf(this.writer.kept);
	}
}

function received(text: string, size = text.length): Receiver {
	const receiver = new Receiver();
	receiver.take(text, size);
	return receiver;
}

describe("a block", () => {
	it("has as its check the exclusive or of all characters after STX up to and including ETX", () => {
		for (const size of [FRAMED.length, 1, 5]) {
			const { block, records } = received(FRAMED, size);
			assert.equal(block.done, true);
			assert.equal(block.framed, true);
			assert.equal(block.check, CHECK_RIGHT);
			assert.deepEqual(records, RECORDS);
		}
	});
	it("leaves the characters after its check unused", () =>
		assert.equal(new Receiver().take(`${FRAMED}\x7f/LGZ`), "\x7f/LGZ"));
	it("may have any of the 128 characters as its check, even ETX, LF and STX", () => {
		const seen = new Set<number>();
		for (let first = 0x20; first < 0x7f; first++) {
			for (const second of ["0", "P", "p"]) {
				const text = String.fromCharCode(first) + second;
				if (/[()*!&]/.test(text)) continue;
				const framed = textOf(frame(bytesOf(`0.0.0(${text})\r\n!\r\n`)));
				seen.add(framed.charCodeAt(framed.length - 1));
				assert.equal(received(framed).block.check, CHECK_RIGHT, JSON.stringify(framed));
			}
		}
		for (let check = 0; check < 128; check++) {
			const sum = bytesOf("0.0.0(ab)\r\n!\r\n\x03").reduce((one, other) => one ^ other, 0);
			const block = `0.0.0(ab)\r\n!\r\n\x03${String.fromCharCode(check)}`;
			assert.equal(received(`\x02${block}`).block.check, check === sum ? CHECK_RIGHT : CHECK_WRONG);
		}
		assert.ok([0x02, 0x03, 0x0a].every((check) => seen.has(check)));
	});
	it("has a wrong check when the check character arrives damaged", () => {
		const last = FRAMED.length - 1;
		const damaged = FRAMED.slice(0, last) + String.fromCharCode(FRAMED.charCodeAt(last) | 0x80);
		assert.equal(received(damaged).block.check, CHECK_WRONG);
	});
	it("skips the echo of the acknowledgement, ACK CR LF and noise before STX", () => {
		for (const before of ["\x06050\r\n", "\x06\r\n", "\x06050\r\n\x06\r\n", "\x7f\x00\xff", "\r\n", "x", "/?!\r\n"]) {
			const { block, records } = received(before + FRAMED);
			assert.equal(block.check, CHECK_RIGHT, JSON.stringify(before));
			assert.deepEqual(records, RECORDS);
		}
	});
	it("may begin without STX; its check then includes its first character", () => {
		const { block, records } = received(FRAMED.slice(1));
		assert.equal(block.framed, false);
		assert.equal(block.check, CHECK_RIGHT);
		assert.deepEqual(records, RECORDS);
	});
	it("does not begin without STX at noise, which its check leaves out: control characters, a blank, DEL, a damaged character", () => {
		for (const noise of ["\r\n", "\x1f", " ", "\x7f", "\xb1"]) {
			const { block, records } = received(noise + FRAMED.slice(1));
			assert.equal(block.check, CHECK_RIGHT, JSON.stringify(noise));
			assert.deepEqual(records, RECORDS);
		}
	});
	it("is complete with its ! if it has no ETX, and ends when its owner calls end()", () => {
		for (const text of [BLOCK, `\x02${BLOCK}`]) {
			const { block, records } = received(text);
			assert.deepEqual([block.done, block.complete, block.check], [false, true, CHECK_ABSENT]);
			block.end();
			assert.equal(block.done, true);
			assert.deepEqual(records, RECORDS);
		}
	});
	it("may consist of ! only", () => {
		assert.equal(received("!\r\n").block.complete, true);
		assert.equal(received(textOf(frame(bytesOf("!\r\n")))).block.check, CHECK_RIGHT);
	});
	it("ends at an ETX in the middle of a value, and is checked", () => {
		const text = textOf(frame(bytesOf("1.8.0(1)\r\n2.8.0(2")));
		const { block, records } = received(text);
		assert.equal(block.check, CHECK_RIGHT);
		assert.deepEqual(records, ["1.8.0: 1"]);
	});
	it("counts a line with an STX as broken if the STX comes after the first value", () => {
		const { block, parser } = received("\x021.8.0(1)\r\n2.8\x02.0(2)\r\n!\r\n");
		assert.equal(block.complete, true);
		assert.equal(parser.broken, 1);
	});
	it("ignores EOT between lines, and counts a line with EOT in a value as broken", () => {
		const { block, records, parser } = received(textOf(frame(bytesOf("1.8.0(1)\r\n2.8.0(2\x043)\r\n\x04!\r\n"))));
		assert.equal(block.check, CHECK_RIGHT);
		assert.equal(parser.broken, 1);
		assert.deepEqual(records, ["1.8.0: 1"]);
	});
	it("reports programming mode if it begins with SOH, until the next block begins", () => {
		const { block } = received(textOf(frame(bytesOf("P0\x02(1234)"), 0x01)));
		assert.equal(block.programming, true);
		assert.equal(block.check, CHECK_RIGHT);
		block.begin();
		assert.equal(block.programming, false);
		assert.equal(block.started, false);
	});
	it("does not report programming mode if an SOH is only noise right before STX", () => {
		const { block, records } = received(`\x01${FRAMED}`);
		assert.deepEqual([block.programming, block.check], [false, CHECK_RIGHT]);
		assert.deepEqual(records, RECORDS);
	});
	it("has not started while only bytes before it have arrived", () => {
		for (const text of ["", "\r\n", "\x06", "\x06050\r", "\x00\x7f\xff"]) {
			assert.equal(received(text).block.started, false, JSON.stringify(text));
		}
	});
	it("does not depend on how its bytes are split", () => {
		const likely = fc.constantFrom(..."()*!/\r\n\x01\x02\x03\x04\x06 18.\x80");
		const text = fc.array(likely, { maxLength: 60 }).map((characters) => characters.join(""));
		fc.assert(
			fc.property(text, fc.integer({ min: 1, max: 5 }), (stream, size) => {
				const [whole, split] = [stream.length, size].map((piece) => {
					const receiver = new Receiver();
					const left = receiver.take(stream, piece);
					const { check, done, complete, started, framed, programming } = receiver.block;
					return { left, check, done, complete, started, framed, programming, records: receiver.records };
				});
				assert.deepEqual(split, whole);
			}),
			{ numRuns: 2000 },
		);
	});
});

feeds("a block of 7-bit characters with BCC", {
	open: () => {
		const receiver = new Receiver();
		return {
			take: (bytes, start, end) => receiver.block.receive(bytes, start, end),
			settle: () => {
				const { block } = receiver;
				const meanings: string[] = [];
				if (block.check === CHECK_RIGHT) meanings.push(receiver.records.join("; "));
				else if (block.started) meanings.push(REFUSED);
				block.begin();
				return meanings;
			},
		};
	},
	frame: bytesOf(FRAMED),
	meaning: RECORDS.join("; "),
	bits: 7,
	checked: true,
	streams: false,
	garbage: [bytesOf("\x7f\x7f"), bytesOf("\x06050\r\n"), bytesOf("\x06\r\n"), bytesOf("12")],
});

/** A part that ends in EOT, with its check. */
function part(text: string): string {
	const bytes = frame(bytesOf(text));
	bytes[bytes.length - 2] = 0x04;
	bytes[bytes.length - 1] ^= 0x03 ^ 0x04;
	return textOf(bytes);
}

describe("a block in parts", () => {
	const HEAD = "P.01(2606211200)(00)(15)(2)(1.5)(kW)(2.5)(kW)";

	it("gives the records of all parts, each of which has its own check", () => {
		for (const size of [100, 1, 3]) {
			const receiver = new Receiver(true);
			for (const [text, more] of [
				[part(`${HEAD}\r\n(0.1)(0.2)`), true],
				[part("(0.3)(0.4)\r\n"), true],
				[textOf(frame(bytesOf("(0.5)(0.6)\r\n"))), false],
			] as const) {
				receiver.take(text, size);
				const { check, done } = receiver.block;
				assert.deepEqual([receiver.block.more, done, check], [more, true, CHECK_RIGHT]);
				receiver.block.begin(true, PART_NEXT);
			}
			assert.deepEqual(receiver.records.slice(1), [
				"P.01: 0.1*kW, 0.2*kW",
				"P.01: 0.3*kW, 0.4*kW",
				"P.01: 0.5*kW, 0.6*kW",
			]);
		}
	});
	it("keeps the parts before a repeated part, and discards its damaged first copy", () => {
		const receiver = new Receiver(true);
		receiver.take(part(`${HEAD}\r\n(0.1)(0.2)\r\n`));
		receiver.block.begin(true, PART_NEXT);
		receiver.take(`${part("(0.3)(0.9)\r\n(\xb2)(0.9)\r\n1.8.0(9)\r\n").slice(0, -1)}~`);
		assert.equal(receiver.block.check, CHECK_WRONG);
		receiver.block.begin(true, PART_AGAIN);
		receiver.take(part("(0.3)(0.4)\r\n"));
		assert.deepEqual([receiver.block.check, receiver.parser.damaged], [CHECK_RIGHT, 0]);
		assert.deepEqual(receiver.records.slice(1), ["P.01: 0.1*kW, 0.2*kW", "P.01: 0.3*kW, 0.4*kW"]);
	});
	it("may be split within a value, but is damaged if the part that begins there is requested again", () => {
		const receiver = new Receiver(true);
		receiver.take(part(`${HEAD}\r\n(0.1)(0.`));
		receiver.block.begin(true, PART_NEXT);
		receiver.take(part("2)\r\n(0.3)(0.4)\r\n"));
		assert.deepEqual(receiver.records.slice(1), ["P.01: 0.1*kW, 0.2*kW", "P.01: 0.3*kW, 0.4*kW"]);
		const other = new Receiver(true);
		other.take(part(`${HEAD}\r\n(0.1)(0.`));
		other.block.begin(true, PART_NEXT);
		other.block.begin(true, PART_AGAIN);
		assert.equal(other.parser.damaged, 1);
	});
	it("does not end at EOT if no parts are expected", () => {
		const receiver = received(`\x02${HEAD}\r\n(0.1)\x04(0.2)\r\n`);
		assert.deepEqual([receiver.block.done, receiver.block.more], [false, false]);
	});
});
