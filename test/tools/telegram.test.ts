import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
	baudCharacter,
	checkPosition,
	frame,
	modeOf,
	readTelegram,
	splitTelegram,
} from "../../tools/meter/telegram.js";
import { bytesOf, textOf } from "../latin1.js";
import { iecVectors } from "../vectors.js";

describe("Telegram files", () => {
	let folder: string;
	before(() => {
		folder = mkdtempSync(join(tmpdir(), "telegram-"));
	});
	after(() => rmSync(folder, { recursive: true }));
	const file = (name: string, content: string | Uint8Array) => {
		writeFileSync(join(folder, name), content);
		return join(folder, name);
	};

	it("are read as hex text with comments", () => {
		const text = "# source: by hand\n2F 58 # /X\n\n0d0A#\n  ff";
		assert.deepEqual(readTelegram(file("a.hex", text)), Uint8Array.of(0x2f, 0x58, 0x0d, 0x0a, 0xff));
	});

	it("are otherwise read byte by byte", () => {
		assert.deepEqual(readTelegram(file("a.bin", bytesOf("2F 58"))), bytesOf("2F 58"));
	});

	it("report the line of hex text with an error", () => {
		for (const line of ["2", "2G", "0x2F", "2F 5"]) {
			assert.throws(() => readTelegram(file("bad.hex", `2F\n${line}\n`)), /bad\.hex:2: not pairs of hex digits/);
		}
	});

	it("may have up to 65536 bytes; longer ones are rejected", () => {
		assert.equal(readTelegram(file("full.bin", new Uint8Array(65_536))).length, 65_536);
		assert.throws(() => readTelegram(file("over.bin", new Uint8Array(65_537))), /more than 65536 bytes/);
	});
});

describe("Telegrams", () => {
	it("have an identification line that is found after echo and noise", () => {
		const { opening, slash, message } = splitTelegram(bytesOf("\0\x7f/?!\r\n/ABC5x\x02y\r\n\x02!\r\n\x03\x00"));
		assert.equal(textOf(opening), "\0\x7f/?!\r\n/ABC5x\x02y\r\n");
		assert.equal(slash, 7);
		assert.equal(textOf(message), "\x02!\r\n\x03\x00");
	});

	it("are rejected with an explanation if they have no identification line", () => {
		for (const text of ["", "/?!\r\n", "/ABC5", "1.8.0(1)\r\n"]) {
			assert.throws(() => splitTelegram(bytesOf(text)), /begins with an identification line/);
		}
	});

	it("show their mode by the baud-rate character, or by an empty line without STX", () => {
		for (const [text, mode] of [
			["/ABC0x\r\n\x02", "C"],
			["/ABC6x\r\n\x02", "C"],
			["/ABC7x\r\n\x02", "A"],
			["/ABCAx\r\n\x02", "B"],
			["/ABCFx\r\n\x02", "B"],
			["/ABCGx\r\n\x02", "A"],
			["/ABC x\r\n\x02", "A"],
			["/ABC5x\r\n\r\n1.8.0(1)\r\n!", "D"],
			["/ABC5x\r\n\r\n\x021.8.0(1)\r\n!", "C"],
			["/ABC5x\r\n1.8.0(1)\r\n!", "C"],
		]) {
			assert.equal(modeOf(splitTelegram(bytesOf(text))), mode, JSON.stringify(text));
		}
	});

	it("from captures with a correct check character are framed to the same bytes again", () => {
		const proven = iecVectors().filter(({ check, mode }) => check === "right" && mode !== "D");
		assert.ok(proven.length >= 3);
		for (const { name, telegram } of proven) {
			const { message } = splitTelegram(telegram);
			const start = message.indexOf(2);
			const end = checkPosition(message);
			assert.deepEqual(frame(message.slice(start + 1, end - 1)), message.slice(start, end + 1), name);
		}
	});

	it("from captures have an identification line with a baud-rate character", () => {
		for (const { name, telegram, meterId } of iecVectors()) {
			const parts = splitTelegram(telegram);
			assert.equal(textOf(parts.opening.slice(parts.slash)), `/${meterId}\r\n`, name);
			assert.equal(String.fromCharCode(baudCharacter(parts)), meterId[3], name);
		}
	});
});
