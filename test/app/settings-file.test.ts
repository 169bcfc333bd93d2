/** Signed settings files over the console, in pieces, with the whole gateway on virtual time. */
import assert from "node:assert/strict";
import { setImmediate as tick } from "node:timers/promises";
import { VirtualStorage } from "../../hosts/node/virtual-storage.js";
import type { Core } from "../../modules/core/core.js";
import { FilePieces } from "../../modules/parts/provision/file-pieces.js";
import { FILE_COST } from "../../modules/provision/file.js";
import { sendSettings } from "../../tools/ota/settings-sender.js";
import { START_UTC_MS, VirtualGateway } from "../api/virtual-gateway.js";
import { OWN_CERTIFICATE } from "../hub/bed.js";
import { eventsOf, keyOf, largestSettings, newSigner, SIGNER, signed, stateOf } from "../provision/signed.js";
import { openClient, WebPort } from "./client.js";
import { VirtualConsole } from "./console.js";
import { packet } from "./packets.js";

const COMMAND = 240;
const ZONE = { "system/timezone": { timezone: "Europe/Warsaw" } };
const LARGEST = largestSettings(Buffer.from(OWN_CERTIFICATE.certificate).toString());
const NONE = ["more", "0"];
/** The empty text avoids a length of 10 (app/improv.ts). */
const APPLIED = ["applied", ""];
/** Answer to an invalid packet. */
const INVALID = "error 1";

/** A command of ours, as a client sends it. */
const command = (data: readonly number[]) => packet(3, [COMMAND, data.length, ...data]);
const pieceOf = (file: Uint8Array, offset: number, length: number, total = file.length) =>
	command([total & 0xff, total >> 8, offset & 0xff, offset >> 8, ...file.subarray(offset, offset + length)]);

/** Answers in the bytes of a line: the texts of our results, "error N", or "type N". */
function answersIn(bytes: Buffer): (string | string[])[] {
	const answers: (string | string[])[] = [];
	for (let at = bytes.indexOf("IMPROV\u0001"); at >= 0; at = bytes.indexOf("IMPROV\u0001", at + 1)) {
		const data = bytes.subarray(at + 9, at + 9 + bytes[at + 8]);
		const type = bytes[at + 7];
		if (type === 2) answers.push(`error ${data[0]}`);
		else if (type !== 4 || data[0] !== COMMAND) answers.push(`type ${type}`);
		else {
			const texts: string[] = [];
			for (let i = 2; i < data.length; i += 1 + data[i]) texts.push(data.toString("utf8", i + 1, i + 1 + data[i]));
			answers.push(texts);
		}
	}
	return answers;
}

describe("Signed settings files over the console", () => {
	let gateway: VirtualGateway;
	let storage: VirtualStorage;
	const memory = { slots: 4000, chunkBytes: 60_000 };
	let written = Buffer.alloc(0);

	const line = () => gateway.world.serial.console as VirtualConsole;
	async function start(
		mode: "client" | "ap" = "client",
		settingsKeys = keyOf(SIGNER),
		settingsFile?: Uint8Array,
	): Promise<void> {
		storage = new VirtualStorage();
		gateway = new VirtualGateway(mode, {
			utcMs: START_UTC_MS,
			info: { settingsKeys },
			storage,
			console: (time) => new VirtualConsole(time),
			...(settingsFile === undefined ? {} : { settingsFile }),
			memory: { suffices: (slots, bytes) => slots <= memory.slots && bytes <= memory.chunkBytes },
		});
		gateway.onWorld = () => {
			line().onWritten = (piece) => {
				written = Buffer.concat([written, piece]);
			};
		};
		gateway.onWorld(gateway.world);
		await gateway.pass(5000);
	}
	beforeEach(() => {
		memory.chunkBytes = 60_000;
		memory.slots = 4000;
		return start();
	});
	afterEach(() => gateway.stop());

	/** Sends bytes; returns the answers of half a second. */
	async function send(bytes: Uint8Array): Promise<(string | string[])[]> {
		const { length } = written;
		line().send(bytes);
		await gateway.pass(500);
		return answersIn(written.subarray(length));
	}
	const ask = async () => (await send(command([])))[0];
	/** Sends all pieces from an offset on; returns the last answer. */
	async function sendAll(file: Uint8Array, from = 0, length = 192): Promise<string | string[]> {
		let last: string | string[] = "";
		for (let at = from; at < file.length; at += length) [last] = await send(pieceOf(file, at, length));
		return last;
	}
	/** Sends a file; returns the result. */
	async function give(file: Uint8Array): Promise<string | string[]> {
		assert.deepEqual(await sendAll(file), ["waits"]);
		return ask();
	}
	const zone = async () => (await gateway.read("system/timezone")).timezone;
	const state = async () => {
		await gateway.login();
		return stateOf(gateway);
	};

	it("are applied, even on a new unit, and reported like files that arrive in another way", async () => {
		for (const mode of ["client", "ap"] as const) {
			await gateway.stop();
			await start(mode);
			assert.deepEqual(await ask(), NONE);
			const file = signed(ZONE, 7);
			assert.deepEqual(await send(pieceOf(file, 0, 100)), [["more", "100"]]);
			assert.deepEqual(await sendAll(file, 100), ["waits"]);
			assert.deepEqual(await ask(), APPLIED);
			assert.deepEqual(await state(), ["applied", 7]);
			assert.equal(await zone(), "Europe/Warsaw");
			assert.deepEqual(await eventsOf(gateway), ["provision_applied 7 by console"]);
		}
	});

	it("are applied at their greatest length, in the longest pieces, and in short ones", async () => {
		assert.deepEqual(await sendAll(signed(LARGEST, 1), 0, 249), ["waits"]);
		assert.deepEqual(await ask(), APPLIED);
		assert.deepEqual(await sendAll(signed(ZONE, 2), 0, 5), ["waits"]);
		assert.deepEqual(await state(), ["applied", 2]);
		const shown = [written, ...gateway.world.traced].join("\n");
		for (const secret of ["p".repeat(64), "d0".repeat(16)]) assert.ok(!shown.includes(secret), secret);
	});

	it("can set a network hours after a start, unlike Improv's own command", async () => {
		await gateway.stop();
		await start("ap");
		const wifi = { ssid: "cafe", password: "", dhcp: true };
		gateway.setAir("cafe");
		await gateway.pass(3_600_000);
		assert.deepEqual(await give(signed({ "network/wifi": wifi }, 1)), APPLIED);
		await gateway.login();
		assert.equal((await gateway.read("network/status")).wifi_ssid, "cafe");
	});

	it("are refused with the messages of the API, and change nothing", async () => {
		const file = signed(ZONE, 3);
		const unsigned = Buffer.from(file).fill(0, file.length - 64);
		const cases: [Buffer, string, string, RegExp][] = [
			[unsigned, "provision_bad_signature", "", /^No key that this gateway trusts has signed the file\.$/],
			[signed(ZONE, 3, "", newSigner()), "provision_bad_signature", "", /trusts/],
			[signed(ZONE, 3, "ANOTHER"), "provision_wrong_device", "", /another gateway or group/],
			[Buffer.from('{"backup":1,"settings":{}}'), "provision_invalid", "", /sign it again\.$/],
			[signed({ mqtt: { url: "ftp://x", enabled: true } }, 3), "invalid_field", "mqtt.url", /./],
		];
		for (const [bytes, code, field, sentence] of cases) {
			// After a wrong signature, the next one is checked two seconds later.
			await gateway.pass(2000);
			const [gotCode, gotField, gotSentence] = await give(bytes);
			assert.deepEqual([gotCode, gotField], [code, field]);
			assert.match(gotSentence, sentence);
			assert.deepEqual(await state(), [code, 0]);
			assert.notEqual(await zone(), "Europe/Warsaw");
		}
		await gateway.pass(2000);
		assert.deepEqual(await give(file), APPLIED);
	});

	it("are not applied twice", async () => {
		const file = signed(ZONE, 7);
		assert.deepEqual(await give(file), APPLIED);
		await gateway.login();
		await gateway.write("system/timezone", { timezone: "Europe/Berlin" });
		assert.equal((await give(file))[0], "provision_replay");
		assert.equal((await give(signed(ZONE, 6)))[0], "provision_replay");
		assert.equal(await zone(), "Europe/Berlin");
		assert.deepEqual(await eventsOf(gateway), [
			"provision_applied 7 by console",
			"provision_refused provision_replay by console",
		]);
	});

	it("are refused by a firmware without a key", async () => {
		await gateway.stop();
		await start("client", "");
		assert.equal((await give(signed(ZONE, 1)))[0], "unsupported");
	});

	it("survive damaged, repeated, misplaced and invalid pieces", async () => {
		const file = signed(ZONE, 7);
		const half = pieceOf(file, 0, 100);
		const damaged = Buffer.from(pieceOf(file, 100, 50));
		damaged[20] ^= 1;
		await send(half);
		assert.deepEqual(await send(damaged), [INVALID]);
		// Pieces beyond the end, of a file of another length, without bytes, and without an offset.
		for (const data of [
			pieceOf(file, 100, 50, 149),
			pieceOf(file, 100, 50, file.length + 1),
			pieceOf(file, 100, 0),
			command([1, 2, 3]),
		])
			assert.deepEqual(await send(data), [INVALID]);
		// Repeated pieces, and one after a gap.
		for (const offset of [50, 99, 150]) assert.deepEqual(await send(pieceOf(file, offset, 10)), [["more", "100"]]);
		assert.deepEqual(await ask(), ["more", "100"]);
		assert.deepEqual(await sendAll(file, 100), ["waits"]);
		assert.deepEqual(await ask(), APPLIED);
		assert.deepEqual(await send(pieceOf(file, 100, 50)), [APPLIED]);
	});

	it("start again with a first piece, and have at most 4500 bytes", async () => {
		const file = signed(ZONE, 7);
		await send(pieceOf(signed(LARGEST, 9), 0, 100));
		assert.deepEqual(await send(pieceOf(file, 0, 100)), [["more", "100"]]);
		const tooLong = Buffer.alloc(4501);
		for (const offset of [0, 100])
			assert.deepEqual(await send(pieceOf(tooLong, offset, 100)), [["provision_invalid", "", ""]]);
		assert.deepEqual(await give(file), APPLIED);
	});

	it("are forgotten when the sender leaves or takes too long, and release their memory", async () => {
		const file = signed(LARGEST, 7);
		// Sum of all claims and of what is asked for.
		let wantedBytes = 0;
		gateway.world.memory!.suffices = (_, bytes) => {
			wantedBytes = bytes;
			return true;
		};
		const begin = async () => {
			assert.deepEqual(await send(pieceOf(file, 0, 100)), [["more", "100"]]);
			return wantedBytes;
		};
		const wanted = await begin();
		await gateway.pass(29_000);
		assert.deepEqual(await ask(), ["more", "100"]);
		await gateway.pass(35_000);
		assert.deepEqual(await ask(), NONE);
		assert.equal(await begin(), wanted);
		// A trickle of bytes keeps the session, but not the transfer.
		for (let i = 0; i < 30; i++) {
			await gateway.pass(2000);
			await send(Buffer.from("\n"));
		}
		assert.deepEqual(await send(pieceOf(file, 100, 100)), [NONE]);
		assert.equal(await begin(), wanted);
		// A new first piece, a refused first piece, and a refused file.
		assert.equal(await begin(), wanted);
		assert.deepEqual(await send(pieceOf(file, 0, 100, 4501)), [["provision_invalid", "", ""]]);
		assert.equal(await begin(), wanted);
		await sendAll(Buffer.alloc(200, 7));
		assert.equal((await ask())[0], "provision_invalid");
		assert.equal(await begin(), wanted);
	});

	it("are refused as busy while memory is short, at the beginning and at the end", async () => {
		const file = signed(ZONE, 7);
		const busy = ["busy", "", "Memory is short, or a file waits; send it again in a moment."];
		memory.chunkBytes = FILE_COST.chunkBytes;
		for (const offset of [0, 100]) assert.deepEqual(await send(pieceOf(file, offset, 100)), [busy]);
		memory.chunkBytes = FILE_COST.chunkBytes + 2048;
		assert.deepEqual(await give(file), busy);
		memory.chunkBytes = 60_000;
		assert.deepEqual(await give(file), APPLIED);
	});

	it("are refused as busy while another one waits for memory", async () => {
		await gateway.stop();
		memory.slots = 700;
		await start("client", keyOf(SIGNER), signed(ZONE, 3));
		assert.equal((await sendAll(signed(ZONE, 7)))[0], "busy");
		memory.slots = 4000;
		await gateway.pass(3000);
		assert.deepEqual(await state(), ["applied", 3]);
		assert.deepEqual(await give(signed(ZONE, 7)), APPLIED);
	});

	it("are not disturbed by another file while they wait", () => {
		const offered: number[] = [];
		const ledger = { claim: () => true, release: () => {} };
		const provision = { offer: (file: Uint8Array) => offered.push(file.length) };
		const pieces = new FilePieces({ ledger, find: () => provision } as unknown as Pick<Core, "ledger" | "find">);
		const whole = Uint8Array.of(2, 0, 0, 0, 7, 7);
		for (let i = 0; i < 2; i++) assert.deepEqual(pieces.take(whole, 0, 6, 0), ["waits"]);
		assert.deepEqual(offered, [2]);
		pieces.object();
		assert.deepEqual(pieces.take(whole, 0, 0, 0), ["applied"]);
	});

	it("survive random commands, each of which has one answer", async () => {
		let seed = 1;
		const random = (limit: number) => {
			seed = (seed * 48_271) % 0x7fff_ffff;
			return seed % limit;
		};
		const totals = [0, 1, 200, 4500, 4501, 65_535];
		const { length } = gateway.world.traced;
		for (let i = 0; i < 3000; i++) {
			const total = totals[random(totals.length)];
			const offset = random(3) === 0 ? 0 : random(300);
			const bytes = Array.from({ length: random(40) }, () => random(256));
			const head = [total & 0xff, total >> 8, offset & 0xff, offset >> 8];
			const data = [...head, ...bytes].slice(random(20) === 0 ? random(5) : 0);
			const before = written.length;
			line().send(command(data));
			await gateway.pass(30);
			assert.equal(answersIn(written.subarray(before)).length, 1, `command ${i}`);
		}
		assert.deepEqual(
			gateway.world.traced.slice(length).filter((text) => /^improv|^provision/.test(text)),
			[],
		);
		assert.deepEqual(await give(signed(ZONE, 7)), APPLIED);
	});

	it("can be sent while the browsers' client is in use", async () => {
		const problems: unknown[] = [];
		const port = new WebPort((bytes) => line().send(bytes));
		const hear = line().onWritten;
		line().onWritten = (piece) => {
			hear(piece);
			port.deliver(piece);
		};
		const client = openClient(port, problems);
		const settle = async <Result>(wanted: Promise<Result>): Promise<Result> => {
			let isOver = false;
			wanted.finally(() => (isOver = true)).catch(() => {});
			for (let i = 0; i < 1000 && !isOver; i++) {
				await gateway.pass(20);
				await tick();
			}
			return wanted;
		};
		const file = signed(ZONE, 7);
		await send(pieceOf(file, 0, 100));
		assert.equal((await settle(client.initialize(60_000)))?.firmware, "Smart-Meter Gateway");
		await send(pieceOf(file, 100, 50));
		await settle(client.scan(60_000));
		assert.equal(await settle(client.getHostname(9000)), "gateway");
		assert.deepEqual(await sendAll(file, 150), ["waits"]);
		assert.deepEqual(await ask(), APPLIED);
		assert.equal(await settle(client.getHostname(9000)), "gateway");
	});

	describe("sent by the tool", () => {
		const logged: string[] = [];
		/** Changes or drops what goes to the gateway, and what comes from it. */
		let out: (bytes: Buffer) => Uint8Array;
		let back: (bytes: Buffer) => Uint8Array;
		/** Reports a lost port to the tool. */
		let fail: (message: string) => void;
		beforeEach(() => {
			logged.length = 0;
			out = (bytes) => bytes;
			back = (bytes) => bytes;
		});

		async function run(file: Uint8Array, during: (ms: number) => Promise<void> = async () => {}): Promise<void> {
			let hear: (bytes: Uint8Array) => void = () => {};
			const listen = () => {
				line().onWritten = (piece) => hear(back(Buffer.from(piece)));
			};
			listen();
			// The client's time must advance while the gateway restarts.
			const time = { nowMs: 0, due: new Map<object, { atMs: number; callback: () => void }>() };
			const timers = {
				set: (callback: () => void, ms: number) => {
					const key = {};
					time.due.set(key, { atMs: time.nowMs + ms, callback });
					return key;
				},
				clear: (key: object) => void time.due.delete(key),
			};
			const end = {
				write: (bytes: Uint8Array) => line().send(out(Buffer.from(bytes))),
				onData: (listener: typeof hear) => {
					hear = listener;
				},
				onError: (listener: typeof fail) => {
					fail = listener;
				},
			};
			let isOver = false;
			const sent = sendSettings(end, file, timers, (text) => logged.push(text));
			sent.catch(() => {}).finally(() => (isOver = true));
			for (let i = 0; !isOver; i++) {
				if (i > 20_000) throw new Error("the tool does not end");
				await gateway.pass(20);
				time.nowMs += 20;
				await during(time.nowMs);
				listen();
				for (const [key, { atMs, callback }] of time.due) if (atMs <= time.nowMs && time.due.delete(key)) callback();
				await tick();
			}
			return sent;
		}

		it("arrive on a quiet line, with progress", async () => {
			await run(signed(LARGEST, 7));
			assert.deepEqual(await state(), ["applied", 7]);
			assert.deepEqual(logged, ["1152 of 4500 bytes", "2304 of 4500 bytes", "3456 of 4500 bytes"]);
			await run(signed(ZONE, 8));
			assert.deepEqual(await state(), ["applied", 8]);
		});

		it("arrive between log lines, although packets are lost in both directions", async () => {
			let count = 0;
			out = (bytes) => (++count % 7 === 3 ? bytes.subarray(0, 90) : bytes);
			back = (bytes) => {
				const middle = ++count % 5 === 4 ? bytes.length >> 1 : bytes.length;
				const log = Buffer.from("mqtt: connection IMPROV\u0001\u0004 refused");
				return Buffer.concat([log, bytes.subarray(0, middle), log, bytes.subarray(middle), Buffer.from("x\r\n")]);
			};
			await run(signed(LARGEST, 7));
			assert.deepEqual(await state(), ["applied", 7]);
			assert.deepEqual(await eventsOf(gateway), ["provision_applied 7 by console"]);
		});

		it("arrive although the gateway restarts meanwhile", async () => {
			let hasRestarted = false;
			await run(signed(LARGEST, 7), async (ms) => {
				if (ms < 400 || hasRestarted) return;
				hasRestarted = true;
				await gateway.restart();
			});
			assert.deepEqual(await state(), ["applied", 7]);
		});

		it("arrive when memory is free again", async () => {
			memory.chunkBytes = 6000;
			await run(signed(ZONE, 7), async (ms) => {
				if (ms > 10_000) memory.chunkBytes = 60_000;
			});
			assert.deepEqual(await state(), ["applied", 7]);
		});

		it("are reported as refused, and never with the result of an earlier file", async () => {
			await run(signed(ZONE, 7));
			// The first piece is lost, so the answer is the earlier result.
			let count = 0;
			out = (bytes) => (++count === 1 ? Buffer.alloc(0) : bytes);
			await assert.rejects(run(signed(ZONE, 7)), { code: "provision_replay", message: /sign it with a higher one\.$/ });
			await run(signed(ZONE, 8));
			await assert.rejects(run(signed(ZONE, 9, "ANOTHER")), { code: "provision_wrong_device" });
			const bad = signed({ mqtt: { url: "ftp://x", enabled: true } }, 9);
			await assert.rejects(run(bad), { code: "invalid_field", message: /^mqtt\.url: ./ });
		});

		it("are given up if the port is lost, or the gateway's limit is lower", async () => {
			const sent = run(signed(LARGEST, 7), async (ms) => {
				if (ms > 300) fail("ttyUSB0 is gone.");
			});
			await assert.rejects(sent, /^Error: ttyUSB0 is gone\.$/);
			await assert.rejects(run(Buffer.alloc(5000)), { code: "provision_invalid" });
		});

		it("are given up if nobody answers, or the firmware does not know the command", async () => {
			back = () => Buffer.from("log\r\n");
			await assert.rejects(run(signed(ZONE, 7)), /^Error: No gateway answers\./);
			back = () => packet(2, [2]);
			await assert.rejects(run(signed(ZONE, 7)), /its firmware was built without/);
			back = () => packet(2, [1]);
			await assert.rejects(run(signed(ZONE, 7)), /transfer was not completed/);
		});
	});
});
