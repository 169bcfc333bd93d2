/** Frames and registers of KMP: the examples of Kamstrup's description, as PyKMP tests them, and damage. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { AnswerFrames, requestFrame } from "../../modules/kmp/frame.js";
import { writeRegisters } from "../../modules/kmp/registers.js";
import { RecordWriter } from "../../modules/readout/record-writer.js";
import { kmpFrame } from "../../tools/meter/kmp-meter.js";
import { readTelegram } from "../../tools/meter/telegram.js";
import { vectorPath } from "../../tools/meter/vectors.js";
import { recordsOf } from "../meter/records.js";

const NAME = "kamstrup-multical-examples";
const WIRE = readTelegram(vectorPath("kmp", NAME));
const { frames, numbers } = JSON.parse(readFileSync(vectorPath("kmp", NAME, "json"), "utf8"));

/** The bodies of all right answers in `bytes`. */
function answersIn(bytes: Iterable<number>): string[] {
	const decoder = new AnswerFrames();
	return [...bytes].flatMap((byte) =>
		decoder.take(byte) ? [Buffer.from(decoder.bytes.slice(1, decoder.end)).toString("hex")] : [],
	);
}

/** Registers as bytes: number, unit, and length, exponent and digits in hex. */
function registers(...all: (readonly [id: number, unit: number, number: string])[]): Uint8Array {
	return Uint8Array.from(
		all.flatMap(([id, unit, number]) => [id >> 8, id & 0xff, unit, ...Buffer.from(number, "hex")]),
	);
}

/** The records of an answer with the registers from `first` on; undefined if they are refused. */
function recordsIn(bytes: Uint8Array, first = 0): string[] | undefined {
	const writer = new RecordWriter();
	writer.begin();
	const isWritten = writeRegisters(bytes, first, writer);
	writer.endBlock(true);
	if (!isWritten) assert.deepEqual(recordsOf(writer.kept), []);
	return isWritten ? recordsOf(writer.kept) : undefined;
}

describe("frames of KMP", () => {
	it("are those of the examples, and echoes of requests are ignored", () => {
		assert.deepEqual(
			answersIn(WIRE),
			frames.map(({ answer }: { answer: string }) => answer),
		);
		let wire = Buffer.from(WIRE);
		for (const { request } of frames) {
			const encoded = Buffer.from(requestFrame([...Buffer.from(request, "hex")]));
			assert.ok(wire.indexOf(encoded) >= 0, request);
			wire = wire.subarray(wire.indexOf(encoded) + encoded.length);
		}
	});
	it("escape each of the special bytes", () => {
		const body = [0x3f, 0x10, 0x06, 0x0d, 0x1b, 0x40, 0x80];
		assert.deepEqual(answersIn(kmpFrame(0x40, body)), ["10060d1b4080"]);
	});
	it("are refused with a wrong CRC, for another address, if they are too short or too long, or end in an escape", () => {
		const good = [...kmpFrame(0x40, [0x3f, 2, 1, 2, 3, 4])];
		assert.equal(answersIn(good).length, 1);
		for (let i = 0; i < good.length - 1; i++)
			for (let bit = 0; bit < 8; bit++)
				assert.deepEqual(answersIn(good.map((byte, at) => (at === i ? byte ^ (1 << bit) : byte))), [], `${i}.${bit}`);
		assert.deepEqual(answersIn(kmpFrame(0x40, [0x7f, 2, 1, 2, 3, 4])), []);
		assert.deepEqual(answersIn(kmpFrame(0x40, [0x3f])), []);
		assert.deepEqual(answersIn(kmpFrame(0x40, [0x3f, ...new Array(200).fill(0x10)])), []);
		assert.deepEqual(answersIn([...good.slice(0, -1), 0x1b, 0x0d]), []);
		assert.equal(answersIn([0x40, 1, 2, 0x80, 3, 0x0d, 0x06, ...good]).length, 1);
	});
});

describe("registers of KMP", () => {
	it("have the numbers of the examples", () => {
		for (const [number, text] of numbers)
			assert.deepEqual(recordsIn(registers([60, 8, number])), [`6-0:1.0.0: ${text}*GJ`]);
	});
	it("may have units of ten, dates and times with leading zeros, and a name if there is no code", () => {
		assert.deepEqual(recordsIn(registers([60, 0x39, "010005"], [68, 0x37, "014207"])), [
			"6-0:1.0.0: 50*GJ",
			"6-0:2.0.0: 0.7*m3",
		]);
		assert.deepEqual(recordsIn(registers([1003, 0x30, "0300013c6b"], [1002, 0x2f, "020001f5"]), 8), [
			"0-0:0.9.2: 081003",
			"0-0:0.9.1: 000501",
		]);
		assert.deepEqual(recordsIn(registers([266, 2, "014364"], [97, 0x2b, "01002a"]), 8), [
			"E1HIGHRES: 0.100*kWh",
			"E8: 42*m3*\u00b0C",
		]);
	});
	it("are left out with a unit that is not known", () => {
		assert.deepEqual(recordsIn(registers([60, 0x35, "010001"], [68, 0xc8, "010001"], [80, 22, "010001"])), [
			"6-0:8.0.0: 1*kW",
		]);
	});
	it("must be requested ones, in the requested order, and complete", () => {
		const two = registers([60, 8, "010001"], [80, 22, "010001"]);
		assert.equal(recordsIn(two)?.length, 2);
		assert.deepEqual(recordsIn(new Uint8Array(0)), []);
		assert.equal(recordsIn(two, 8), undefined);
		for (const wrong of [
			registers([80, 22, "010001"], [60, 8, "010001"]),
			registers([60, 8, "010001"], [60, 8, "010001"]),
			registers([60, 8, "00"]),
			registers([60, 8, "0000"]),
			registers([60, 8, "0900010203040506070809"]),
			registers([60, 8, "010001"], [1004, 8, "010001"]),
		])
			assert.equal(recordsIn(wrong), undefined);
		for (let end = 1; end < two.length; end++)
			if (end !== 6) assert.equal(recordsIn(two.slice(0, end)), undefined, `${end}`);
	});
});
