import assert from "node:assert/strict";
import { SeededRandom } from "../../hosts/node/random.js";
import { FaultInjector } from "../../hosts/node/wire-character.js";
import { KIND_NONE, TelegramScanner } from "../../modules/meter/telegram-scanner.js";
import { feeds, REFUSED } from "../feeds.js";
import { answers, hdlcFrame, pushedTelegrams, WRAPPED } from "./telegrams.js";

/** The kinds that the scanner recognises, in order. */
function kindsIn(bytes: Uint8Array): number[] {
	const scanner = new TelegramScanner();
	return [...bytes].map((byte) => scanner.scan(byte)).filter((kind) => kind !== KIND_NONE);
}

describe("the scanner for unsolicited telegrams", () => {
	for (const { name, kind, bytes } of pushedTelegrams()) {
		it(`recognises ${name}`, () => {
			const kinds = kindsIn(bytes);
			assert.ok(kinds.length > 0);
			assert.deepEqual([...new Set(kinds)], [kind]);
		});
		it(`recognises at least two of three of ${name} in a row if it joins in the middle of the first`, () => {
			const half = bytes.subarray(bytes.length >> 1);
			const kinds = kindsIn(Uint8Array.from([...half, ...bytes, ...bytes]));
			assert.ok(kinds.length >= 2);
			assert.deepEqual([...new Set(kinds)], [kind]);
		});
		it(`recognises no telegram in ${name} at another speed`, () => {
			for (const ratio of [1 / 16, 1 / 4, 1 / 2, 2, 4]) {
				const faultInjector = new FaultInjector();
				const seen = [...bytes, ...bytes].flatMap((byte) => faultInjector.garble(byte, ratio));
				assert.deepEqual(kindsIn(Uint8Array.from(seen)), [], `${ratio}`);
			}
		});
	}

	for (const { name, bytes } of answers()) {
		it(`does not recognise ${name} as an unsolicited telegram`, () => assert.deepEqual(kindsIn(bytes), []));
	}

	it("recognises no HDLC reply as a push, but pushes in UI and I frames", () => {
		const llc = [0xe6, 0xe7, 0x00];
		assert.deepEqual(kindsIn(hdlcFrame(0x73, [])), [], "UA");
		assert.deepEqual(kindsIn(hdlcFrame(0x1f, [])), [], "DM");
		assert.deepEqual(kindsIn(hdlcFrame(0x30, [...llc, 0x61, 0x29, 0xa1, 0x09])), [], "AARE");
		assert.deepEqual(kindsIn(hdlcFrame(0x52, [...llc, 0xc4, 0x01, 0xc1, 0x00])), [], "get-response");
		assert.deepEqual(kindsIn(hdlcFrame(0x52, [...llc, 0xdb, 0x08, 0x4b, 0x46])), [], "a ciphered reply");
		assert.equal(kindsIn(hdlcFrame(0x13, [...llc, 0xdb, 0x08, 0x4b, 0x46])).length, 1, "the same as a push");
		assert.equal(kindsIn(hdlcFrame(0x10, [...llc, 0x0f, 0x00, 0x00, 0x01])).length, 1, "the I frame of a Kaifa meter");
	});
	it("recognises no M-Bus reply as a push", () => {
		const body = [0x08, 0x01, 0x72, 0x44, 0x55, 0x66, 0x77];
		const sum = body.reduce((all, byte) => (all + byte) & 0xff, 0);
		const { length } = body;
		assert.deepEqual(kindsIn(Uint8Array.from([0x68, length, length, 0x68, ...body, sum, 0x16])), []);
	});
	it("recognises no telegram in two million bytes of three kinds of noise", () => {
		const random = new SeededRandom(20261122);
		const pools = [
			() => random.below(256),
			// Flickering light: few different characters, in runs.
			() => [0x00, 0xff, 0x80, 0xf0, 0xfe, 0x01][random.below(6)],
			// Start and end marks of all telegrams, in any order.
			() => [0x1b, 0x01, 0x00, 0x7e, 0xa0, 0x68, 0x16, 0x2f, 0x0f, 0x0a, 0x28, 0x29, 0x21, 0x03][random.below(14)],
		];
		for (const [index, next] of pools.entries()) {
			const scanner = new TelegramScanner();
			for (let i = 0; i < 700_000; i++) assert.equal(scanner.scan(next()), KIND_NONE, `noise ${index}, byte ${i}`);
		}
	});
	it("distinguishes 7E1 from 8N1 with up to one damaged character in sixteen", () => {
		for (const { name, bytes } of pushedTelegrams().filter((telegram) => telegram.name.endsWith("E1"))) {
			const scanner = new TelegramScanner();
			const damaged = bytes.map((byte, at) => (at % 17 === 16 && byte !== 0x0a ? byte ^ 0x80 : byte));
			assert.ok(
				[...damaged].some((byte) => scanner.scan(byte) !== KIND_NONE),
				name,
			);
			assert.equal(scanner.hasParity, true, name);
		}
		for (const { name, bytes } of pushedTelegrams().filter((telegram) => telegram.name.endsWith("8N1"))) {
			const scanner = new TelegramScanner();
			for (const byte of bytes) scanner.scan(byte);
			assert.equal(scanner.hasParity, false, name);
		}
	});
});

for (const name of ["emh-ehz-import", "kaifa-ma304h3e-push", "elster-kmswest-general-glo", "ebz-dd3-push, 7E1"]) {
	const { bytes, kind } = pushedTelegrams().find((telegram) => telegram.name === name)!;
	feeds(`a telegram for the scanner, ${name}`, {
		open: () => {
			let scanner = new TelegramScanner();
			let found = KIND_NONE;
			return {
				take: (piece, start, end) => {
					for (let i = start; i < end; i++) found = Math.max(found, scanner.scan(piece[i]));
				},
				settle: () => {
					const meaning = found === KIND_NONE ? REFUSED : `${found}`;
					found = KIND_NONE;
					scanner = new TelegramScanner();
					return [meaning];
				},
			};
		},
		frame: bytes,
		meaning: `${kind}`,
		bits: 8,
		checked: false,
		streams: false,
		// The scanner recognises a telegram by its first bytes, so all later ones may be missing.
		spare: bytes.length,
		garbage: [Uint8Array.from([0x7f, 0xff]), WRAPPED.subarray(0, 8), Uint8Array.from([0x1b, 0x1b, 0x68])],
	});
}
