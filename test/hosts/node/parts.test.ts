/** Small parts of the simulator. */

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { ByteQueue } from "../../../hosts/node/byte-queue.js";
import { describeAccount, loadFactoryData } from "../../../hosts/node/factory.js";
import { MarkDecoder } from "../../../hosts/node/mark-decoder.js";
import { encodeNetstring, NetstringReader } from "../../../hosts/node/netstring.js";
import { NodeClock, NodeText, NodeTimers } from "../../../hosts/node/platform.js";
import { FileStorage } from "../../../hosts/node/storage.js";
import { ENTRIES } from "../../../modules/app/parts.js";
import { put } from "../../../modules/config/schema.js";
import { ConfigStore } from "../../../modules/config/store.js";
import { ACCESS_IS_DEFAULT } from "../../../modules/parts/auth/fields.js";

const bytesOf = (text: string) => Buffer.from(text, "latin1");

describe("ByteQueue", () => {
	it("returns bytes in order, in pieces of any size", () => {
		fc.assert(
			fc.property(fc.array(fc.uint8Array({ maxLength: 20 })), fc.array(fc.nat(30)), (pieces, wants) => {
				const queue = new ByteQueue();
				const all = Buffer.concat(pieces);
				for (const piece of pieces) queue.push(piece);
				let at = 0;
				for (const want of [...wants, 1000]) {
					const into = new Uint8Array(want + 2);
					const count = queue.read(into, 1, 1 + want);
					const expected = all.subarray(at, at + want);
					assert.equal(count, expected.length === 0 ? undefined : expected.length);
					assert.ok(expected.equals(into.subarray(1, 1 + expected.length)));
					assert.equal(into[0] + into[want + 1], 0);
					at += expected.length;
					assert.equal(queue.length, all.length - at);
				}
			}),
		);
	});
});

describe("MarkDecoder", () => {
	const decode = (...pieces: number[][]) => {
		const decoder = new MarkDecoder();
		let damaged = 0;
		const bytes = pieces.flatMap((piece) => {
			const into = Uint8Array.from(piece);
			const result = decoder.decode(into);
			damaged += result.damaged;
			return [...into.subarray(0, result.length)];
		});
		return { bytes, damaged };
	};

	it("passes good characters unchanged", () => {
		assert.deepEqual(decode([0x2f, 0x00, 0x7f]), { bytes: [0x2f, 0x00, 0x7f], damaged: 0 });
	});

	it("sets bit 7 of a marked character, wherever the stream is cut", () => {
		const expected = { bytes: [0x41, 0xc2, 0x43, 0x80], damaged: 2 };
		assert.deepEqual(decode([0x41, 0xff, 0x00, 0x42, 0x43, 0xff, 0x00, 0x00]), expected);
		assert.deepEqual(decode([0x41, 0xff], [0x00], [0x42, 0x43, 0xff, 0x00], [0x00]), expected);
	});

	it("turns a doubled FF into the character FF", () => {
		assert.deepEqual(decode([0xff, 0xff, 0x41]), { bytes: [0xff, 0x41], damaged: 0 });
	});
});

describe("NetstringReader", () => {
	it("finds each netstring, wherever the stream is cut", () => {
		const contents = ["", "a", "12:34,", "x".repeat(1000)];
		const stream = Buffer.concat(contents.map((content) => encodeNetstring(bytesOf(content))));
		fc.assert(
			fc.property(fc.array(fc.nat(stream.length)), (cuts) => {
				const reader = new NetstringReader(1000);
				const found: string[] = [];
				let start = 0;
				for (const end of [...cuts.sort((a, b) => a - b), stream.length]) {
					reader.push(stream.subarray(start, end));
					start = end;
					for (let next = reader.next(); next; next = reader.next()) found.push(next.toString("latin1"));
				}
				assert.deepEqual(found, contents);
			}),
		);
	});

	it("rejects invalid netstrings, and those that are too long", () => {
		for (const stream of [":a,", "x", "1a:", "1:ab", "1001:", "1234567890", "-1:", " 1:a,"]) {
			const reader = new NetstringReader(1000);
			reader.push(bytesOf(stream));
			assert.throws(() => reader.next(), `"${stream}"`);
		}
	});

	it("waits for the rest of a netstring", () => {
		for (const stream of ["", "1", "1:", "1:a", "1000", "100000000"]) {
			const reader = new NetstringReader(stream === "100000000" ? 1e9 : 1000);
			reader.push(bytesOf(stream));
			assert.equal(reader.next(), undefined, `"${stream}"`);
		}
	});
});

describe("Factory data", () => {
	let folder = "";
	beforeEach(() => {
		folder = mkdtempSync(join(tmpdir(), "factory-"));
	});
	afterEach(() => rmSync(folder, { recursive: true }));

	it("are created once, with a serial number and a password without look-alikes", () => {
		const made = loadFactoryData(join(folder, "state"));
		assert.match(made.serial, /^02[0-9A-F]{10}$/);
		assert.match(made.labelPassword, /^[a-zA-Z2-9]{12}$/);
		assert.doesNotMatch(made.labelPassword, /[loIO01i]/);
		assert.deepEqual(loadFactoryData(join(folder, "state")), made);
		assert.equal(statSync(join(folder, "state", "factory.json")).mode & 0o777, 0o600);
		assert.notEqual(loadFactoryData(join(folder, "other")).labelPassword, made.labelPassword);
	});

	it("use the given password for a new unit, but not for an existing one", () => {
		assert.equal(loadFactoryData(folder, "first").labelPassword, "first");
		assert.equal(loadFactoryData(folder, "second").labelPassword, "first");
	});

	it("show the label password only while it is the gateway's password", () => {
		const factory = loadFactoryData(folder, "first");
		assert.equal(describeAccount(folder, factory), "User admin, label password first");
		const config = new ConfigStore(new FileStorage(join(folder, "flash")), new NodeText(), ENTRIES);
		config.change([put(ACCESS_IS_DEFAULT, false)]);
		assert.match(describeAccount(folder, factory), /^User admin, with the password that was set/);
	});

	it("have a version; data without one are of version 1, and those of a newer version are rejected", () => {
		const path = join(folder, "factory.json");
		const made = loadFactoryData(folder);
		assert.equal(JSON.parse(readFileSync(path, "utf8")).version, 1);
		writeFileSync(path, JSON.stringify(made));
		assert.deepEqual(loadFactoryData(folder), made);
		const newer = JSON.stringify({ version: 2, ...made });
		writeFileSync(path, newer);
		assert.throws(() => loadFactoryData(folder), {
			message: `${path} was written by a newer version of this program (format 2; this program reads 1): use the newer version, or name another folder with --state.`,
		});
		assert.equal(readFileSync(path, "utf8"), newer);
	});

	it("are not replaced if they are damaged", () => {
		const whole = '"serial":"1","labelPassword":"x","accessPointKey":"y"';
		const versions = ["null", "0", "1.5", '"2"'].map((version) => `{"version":${version},${whole}}`);
		for (const text of ["", "{", "[]", "null", '{"serial":1,"labelPassword":"x"}', '{"serial":"1"}', ...versions]) {
			writeFileSync(join(folder, "factory.json"), text);
			assert.throws(() => loadFactoryData(folder), /factory\.json is damaged/);
			assert.equal(readFileSync(join(folder, "factory.json"), "utf8"), text);
		}
	});
});

describe("NodeClock and NodeTimers", () => {
	it("have no time of day before the clock is set", () => {
		const clock = new NodeClock(undefined);
		assert.equal(clock.utcMs(), undefined);
		clock.setUTC(1000);
		assert.ok(clock.utcMs()! >= 1000 && clock.utcMs()! < 1500);
	});

	it("do not shorten a wait that is too long for setTimeout", async () => {
		const timers = new NodeTimers();
		let called = false;
		const ids = [2 ** 31, 1e12, Number.POSITIVE_INFINITY].map((delayMs) => timers.set(() => (called = true), delayMs));
		await new Promise((resolve) => setTimeout(resolve, 20));
		for (const id of ids) timers.clear(id);
		assert.equal(called, false);
	});
});
