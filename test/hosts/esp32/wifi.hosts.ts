/** The logic of the ESP32's Wi-Fi radio on a fake of the radio (wifi-fake), under the sanitizers. */
import assert from "node:assert/strict";
import { usePeer } from "../native/peer.js";

const SEEDS = 4;

describe("The ESP32's Wi-Fi radio", function () {
	this.timeout(60_000);
	const run = usePeer({
		sources: [
			"test/hosts/esp32/wifi-peer.c",
			"test/hosts/esp32/wifi-fake/wifi-fake.c",
			...["core", "events"].map((name) => `hosts/esp32/wifi-${name}.c`),
		],
		output: "wifi-peer",
	});

	it("joins a network, reports each address, and does not retry by itself", () => void run("join"));

	it("ignores events of the previous network", () => void run("move"));

	it("continues if the radio does not report that it has left a network", () => void run("overdue"));

	it("reports a request that the radio refuses, and turns the radio off again", () => void run("refuse"));

	it("scans, keeps the strongest networks, and waits until the radio has left its network", () => void run("scan"));

	it("opens the access point in addition to the station, and reports its clients", () => void run("access-point"));

	it("reaches the last requested state after any events in any order", function () {
		const first = Number(process.env["SEED"]) || Math.floor(Math.random() * 1e9);
		this.test!.title += ` (SEED=${first})`;
		for (let seed = first; seed < first + SEEDS; seed++) run("random", String(seed));
	});
});

describe("The event queue and the names of the ESP32's Wi-Fi", function () {
	this.timeout(60_000);
	const run = usePeer({
		sources: [
			"test/hosts/esp32/wifi-events-peer.c",
			...["events", "name", "origin-addresses"].map((name) => `hosts/esp32/wifi-${name}.c`),
		],
		output: "wifi-events-peer",
	});

	it("replaces outdated events by later ones, and keeps the end of an attempt when it is full", () =>
		void run("queue"));

	it("has at most one pending delivery, and none without events", () => void run("thread"));

	it("reads and writes hardware addresses, and knows the addresses of the access point", () => void run("addresses"));

	/** The text with U+FFFD for each byte that is not part of a valid character. */
	function replaced(bytes: readonly number[]): string {
		const isCharacter = (part: readonly number[]) => {
			const text = Buffer.from(part).toString();
			return [...text].length === 1 && Buffer.from(text).equals(Buffer.from(part));
		};
		let text = "";
		for (let at = 0, size = 1; at < bytes.length; at += size) {
			const found = [1, 2, 3, 4].find((count) => isCharacter(bytes.slice(at, at + count)));
			text += found === undefined ? "\ufffd" : Buffer.from(bytes.slice(at, at + found)).toString();
			size = found ?? 1;
		}
		return text;
	}

	it("returns SSIDs as UTF-8, with replacements for invalid bytes", () => {
		const name = (...bytes: number[]) => run("name", Buffer.from(bytes).toString("hex"));
		const text = "Zuhause ÄÖ€ 😀";
		assert.equal(name(...Buffer.from(text)), text);
		assert.equal(name(), "");
		assert.equal(name(0x41, 0x00, 0x42), "A\ufffdB");
		// Cut short, overlong, a surrogate, beyond U+10FFFF, a lone continuation byte.
		for (const bytes of [
			[0xe2, 0x82],
			[0xc0, 0x80],
			[0xe0, 0x9f, 0xbf],
			[0xed, 0xa0, 0x80],
			[0xf4, 0x90, 0x80, 0x80],
			[0x80],
		])
			assert.equal(name(0x41, ...bytes), `A${"\ufffd".repeat(bytes.length)}`);
		assert.equal(name(0xf4, 0x8f, 0xbf, 0xbf, 0xed, 0x9f, 0xbf, 0xe0, 0xa0, 0x80), "\u{10ffff}\ud7ff\u0800");
		assert.equal(name(...new Array(32).fill(0xff)), "\ufffd".repeat(32));
		assert.equal(name(...new Array(31).fill(0x41), 0xc3), `${"A".repeat(31)}\ufffd`);
		// Random bytes, compared with a decoder that replaces each invalid byte.
		for (let i = 0; i < 40; i++) {
			const bytes = Array.from({ length: 32 }, () => Math.floor(Math.random() * 255) + 1);
			assert.equal(name(...bytes), replaced(bytes));
		}
	});
});

describe("The interface through which a client has connected to the ESP32", function () {
	this.timeout(60_000);
	const run = usePeer({
		sources: [
			"-Itest/hosts/esp32/origin-fake",
			"test/hosts/esp32/wifi-origin-peer.c",
			...["origin", "origin-addresses"].map((name) => `hosts/esp32/wifi-${name}.c`),
		],
		output: "wifi-origin-peer",
	});

	it("is the access point if replies leave through it, whatever addresses Ethernet has", () => void run());
});
