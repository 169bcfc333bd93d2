/**
 * Slots of XS that the running gateway takes. The chip has 4096; one of them is reserved. In these tests the loaded
 * code takes slots too, because nothing is preloaded into flash; each count therefore excludes the code as loaded
 * before the gateway starts. The title of each test shows the count.
 */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import type { VirtualClient } from "../../hosts/node/virtual-network.js";
import { encodeRequest } from "../../hosts/node/virtual-request.js";
import { XSWorld } from "../../tools/benchmark/xs-world.js";
import { AMIS_BAUD, AMIS_KEY, AMISMeter, amisTelegram, amisValues } from "../../tools/meter/amis-meter.js";
import { Household, type HouseholdReading } from "../../tools/meter/household.js";
import { IECMeter, type IECMeterOptions, METER_BLOCK } from "../../tools/meter/iec-meter.js";
import { longFrame } from "../../tools/meter/mbus-meter.js";
import { p1Telegram } from "../../tools/meter/p1-telegram.js";
import { PushMeter } from "../../tools/meter/push-meter.js";
import { dlmsTelegram, type PushForm } from "../../tools/meter/push-telegrams.js";
import { smlTelegram } from "../../tools/meter/sml-telegram.js";
import { splitTelegram, type Telegram } from "../../tools/meter/telegram.js";
import { iecVectors } from "../vectors.js";

/** Slots that the gateway may take at any time, of the chip's 4095 usable ones. */
const LIMIT = 2440;
/** How often the slots are counted during an activity. */
const PROBES = 8;
/** Limit of open connections, plain and with TLS together. */
const CONNECTIONS = 6;
/** Limit of open connections with TLS. */
const TLS_CONNECTIONS = 2;
/** Slots that an event stream may take beyond those of an idle keep-alive connection. */
const STREAM_LIMIT = 60;
/** Slots for a meter with unsolicited data: any listener, its line, the keys, and the last readout. */
const LISTEN_LIMIT = 164;
/** Slots that stay in use after a change of protocol, beyond those of keys and readout: the sender's frame counter. */
const REST_LIMIT = 20;
const READOUT_SLOTS = 22;
const KEY_SLOTS = 14;
/** Longer than any time-out of an idle connection. */
const REST_MS = 31_000;
/** Enough readouts to fill the log in modules/meter/line-log.ts. */
const READOUTS_OF_A_FULL_LOG = 3;

const telegrams = iecVectors().map(({ telegram }) => telegram);
const longest = splitTelegram(telegrams.reduce((a, b) => (a.length < b.length ? b : a)));
/** The longest pushed telegram. */
const pushed = splitTelegram(
	iecVectors()
		.filter(({ mode }) => mode === "D")
		.map(({ telegram }) => telegram)
		.reduce((a, b) => (a.length < b.length ? b : a)),
);

describe("Slots alive in XS beyond the loaded code", function () {
	this.timeout(60_000);
	let xs: XSWorld;

	beforeEach(async () => {
		xs = await XSWorld.start();
		// Slots are counted only after the first minute. Until then crashes count towards safe mode, and a timer runs.
		xs.world.advance(61_000);
		await xs.advance(1);
	});
	afterEach(async () => {
		await xs.stop();
	});

	function connectMeter(telegram: Telegram, options: Partial<IECMeterOptions> = {}): void {
		xs.world.serial.meter.connect(new IECMeter({ source: () => telegram, ...options }));
	}

	/** Reads the meter; the gateway keeps the readout in memory. */
	async function readMeter(): Promise<void> {
		assert.equal((await xs.request("iec62056/read")).status, 200);
	}

	/** Requests a readout and advances time until the meter begins to send the data block. */
	async function beginReadout(): Promise<VirtualClient> {
		const client = xs.world.connect();
		const { meterEvents } = xs.world.serial.meter;
		const from = meterEvents.length;
		xs.send(client, "iec62056/read");
		await xs.until(() => meterEvents.indexOf(METER_BLOCK, from) >= 0);
		return client;
	}

	/** Counts slots repeatedly while the meter sends that many more characters; returns the maximum. */
	async function countDuring(characters: number): Promise<number> {
		const line = xs.world.serial.meter;
		const from = line.sentByMeter;
		let most = 0;
		for (let i = 1; i <= PROBES; i++) {
			await xs.until(() => line.sentByMeter - from >= (i * characters) / (PROBES + 1));
			most = Math.max(most, await xs.slots());
		}
		return most;
	}

	/** Counts slots after all closed connections are released and every timer has expired. */
	async function countAtRest(): Promise<number> {
		await xs.advance(REST_MS);
		return xs.slots();
	}

	/** Connects a client that reads no more of the reply to `GET last` than its window holds. */
	async function connectSlowReader(): Promise<VirtualClient> {
		const client = xs.world.connect();
		client.paused = true;
		xs.send(client, "iec62056/last");
		await xs.advance(500);
		return client;
	}

	function check(slots: number, context: Mocha.Context): void {
		context.test!.title += ` (${slots})`;
		assert.ok(slots <= LIMIT, `${slots} slots, ${LIMIT} are allowed`);
	}

	it("are few when the gateway is idle", async function () {
		check(await xs.slots(), this);
	});

	it("are few during a readout of the longest capture", async function () {
		connectMeter(longest);
		await xs.login();
		const client = await beginReadout();
		const slots = await countDuring(longest.message.length);
		assert.equal((await xs.reply(client)).status, 200);
		check(slots, this);
	});

	it("are few while the longest capture is kept as the last readout", async function () {
		connectMeter(longest);
		await xs.login();
		await readMeter();
		check(await xs.slots(), this);
	});

	it("are few while a client does not read the reply, and as many after a second such client as after the first", async function () {
		connectMeter(longest);
		await xs.login();
		await readMeter();
		const measureSlowReader = async () => {
			const client = await connectSlowReader();
			const waiting = await xs.slots();
			client.close();
			return { waiting, afterwards: await countAtRest() };
		};
		const first = await measureSlowReader();
		const second = await measureSlowReader();
		assert.deepEqual(second, first);
		check(second.waiting, this);
	});

	it("are few during a readout while a client does not read the reply with the last one", async function () {
		connectMeter(longest);
		await xs.login();
		await readMeter();
		await connectSlowReader();
		await beginReadout();
		check(await countDuring(longest.message.length), this);
	});

	it("are few during a login, at the challenge and in the middle of the body", async function () {
		assert.equal((await xs.request("system/challenge")).status, 200);
		const client = xs.world.connect();
		const body = JSON.stringify({ username: "admin", password: "x".repeat(128) });
		const request = encodeRequest("/api/v1/system/login", { body });
		client.send(request.subarray(0, request.length - 40));
		await xs.advance(100);
		check(await xs.slots(), this);
		client.send(request.subarray(request.length - 40));
		assert.equal((await xs.reply(client)).status, 401);
	});

	it("are few with half a request sent on every connection", async function () {
		for (let i = 0; i < CONNECTIONS; i++) {
			const isPlain = i >= TLS_CONNECTIONS;
			xs.world.connect(!isPlain).send("GET /api/v1/");
			await xs.advance(10);
		}
		check(await xs.slots(), this);
	});

	it("are few for an event stream beyond those of a connection, and all are released afterwards", async function () {
		connectMeter(longest);
		await xs.login();
		await readMeter();
		const before = await countAtRest();
		const kept = xs.world.connect();
		await xs.request("system/challenge", {}, kept);
		const connection = (await xs.slots()) - before;
		kept.close();
		for (let round = 0; round < 2; round++) {
			const stream = xs.world.connect();
			xs.send(stream, "events");
			await xs.advance(1000);
			assert.match(stream.text, /event: readout/);
			const slotsBefore = await xs.slots();
			await readMeter();
			await xs.advance(40_000);
			assert.ok(stream.text.includes(":\n\n"));
			const later = await xs.slots();
			if (round === 0)
				this.test!.title += ` (${slotsBefore - before - connection} of a stream, ${later - slotsBefore} with time)`;
			assert.ok(later - before - connection <= STREAM_LIMIT, `${later - before - connection} slots`);
			stream.close();
			assert.ok((await countAtRest()) - before <= 0);
		}
	});

	it("are as many after 200 requests as after 100", async function () {
		connectMeter(longest);
		await xs.login();
		await readMeter();
		const client = xs.world.connect();
		const paths = ["meter/protocol", "iec62056/config", "system/challenge", "no/such/path?lang=de", "iec62056/control"];
		const sendRequests = async () => {
			for (let i = 0; i < 100; i++) await xs.request(paths[i % paths.length], {}, client);
		};
		await sendRequests();
		const before = await xs.slots();
		await sendRequests();
		const after = await xs.slots();
		assert.equal(after, before);
		check(after, this);
	});

	it("are as many after each readout and each session as after the first", async function () {
		connectMeter(pushed, { mode: "C", pushBaud: 9600 });
		for (let i = 0; i < 8; i++) await xs.login();
		await readMeter();
		const before = await xs.slots();
		for (let i = 0; i < 5; i++) {
			await xs.login();
			await readMeter();
		}
		const after = await xs.slots();
		assert.equal(after, before);
		check(after, this);
	});

	it("are few while telegrams are pushed in mode D, and as many after each telegram", async function () {
		connectMeter(pushed, { mode: "D", pushBaud: 2400 });
		await xs.login();
		const body = { mode_d_enabled: true, mode_d_baudrate: 2400 };
		assert.equal((await xs.request("iec62056/config", { body })).status, 200);
		await readMeter();
		const before = await xs.slots();
		const most = await countDuring(3 * pushed.message.length);
		await readMeter();
		assert.equal(await xs.slots(), before);
		check(most, this);
	});

	describe("for a meter that sends unsolicited data", () => {
		const household = new Household({ utcMs: Date.UTC(2026, 5, 21), mode: "C", baud: 9600 });
		const keys = { encryption: Buffer.alloc(16, 1), authentication: Buffer.alloc(16, 2) };
		const protection = { keys, title: Buffer.from("4757530000bc614e", "hex"), control: 0x30, isDedicated: false };
		let counter = 0;
		const dlms = (form: Omit<PushForm, "protection">) => (reading: HouseholdReading) =>
			dlmsTelegram(reading, { ...form, protection }, ++counter);
		const push = { push_baudrate: 9600, block_cipher_key: "01".repeat(16), auth_key: "02".repeat(16) };
		const modeD = { mode_d_enabled: true, mode_d_baudrate: 115_200 };
		type Kind = {
			source: (reading: HouseholdReading) => Uint8Array;
			/** The meter; default: a PushMeter with this source. */
			machine?: (nowMs: number) => AMISMeter;
			baud: number;
			protocol: string;
			path?: string;
			config?: object;
			off?: object;
		};
		const ofPush = { baud: 9600, protocol: "dlms", path: "dlms/config", config: push };
		const kinds: Record<string, Kind> = {
			"DLMS/COSEM in HDLC, ciphered and in blocks": {
				...ofPush,
				source: dlms({ framing: "hdlc", size: 40, isInBlocks: true }),
			},
			"DLMS/COSEM in M-Bus, ciphered": { ...ofPush, source: dlms({ framing: "mbus" }) },
			"P1, ciphered": { ...ofPush, source: dlms({ framing: "p1" }) },
			SML: { source: (reading) => smlTelegram(reading), baud: 9600, protocol: "sml" },
			AMIS: {
				source: (reading) => longFrame(amisTelegram(amisValues(reading), AMIS_KEY, 1, 0)),
				machine: (nowMs) => new AMISMeter({ source: (ms) => amisValues(household.reading(ms)), firstMs: nowMs + 500 }),
				baud: AMIS_BAUD,
				protocol: "amis",
				path: "dlms/config",
				config: { block_cipher_key: AMIS_KEY.toString("hex") },
			},
			P1: {
				source: p1Telegram,
				baud: 115_200,
				protocol: "iec62056",
				path: "iec62056/config",
				config: modeD,
				off: { mode_d_enabled: false },
			},
		};
		for (const [name, { source, machine, baud, protocol, path, config, off }] of Object.entries(kinds)) {
			it(`are few for ${name}, and as many after each telegram`, async function () {
				const set = async (where: string, body: object) =>
					assert.equal((await xs.request(where, { body })).status, 200);
				const meter = { source: (nowMs: number) => source(household.reading(nowMs)), baud, pushMs: 1000 };
				await xs.login();
				const idle = await xs.slots();
				if (path !== undefined && config !== undefined) await set(path, config);
				await set("meter/protocol", { protocol });
				const nowMs = xs.world.clock.monotonicMs();
				xs.world.serial.meter.connect(machine?.(nowMs) ?? new PushMeter(meter, nowMs));
				await readMeter();
				await readMeter();
				const before = await xs.slots();
				const most = await countDuring(2 * source(household.reading(0)).length);
				await readMeter();
				assert.equal(await xs.slots(), before);
				assert.ok(most - idle <= LISTEN_LIMIT, `${most - idle} slots for listening and the last readout`);
				if (path !== undefined && off !== undefined) await set(path, off);
				else await set("meter/protocol", { protocol: "iec62056" });
				await xs.advance(REST_MS);
				const atRest = (await xs.slots()) - idle - READOUT_SLOTS - (path === "dlms/config" ? KEY_SLOTS : 0);
				assert.ok(atRest <= REST_LIMIT, `${atRest} slots at rest`);
				this.test!.title += ` (${most - idle}, ${atRest} at rest)`;
			});
		}
	});

	it("are few with the session log full, in the middle of a readout", async function () {
		connectMeter(longest);
		await xs.login();
		assert.equal((await xs.request("iec62056/control", { body: { log_en: true } })).status, 200);
		for (let i = 0; i < READOUTS_OF_A_FULL_LOG; i++) await readMeter();
		const log = (await xs.request("iec62056/log")).json();
		assert.ok(log.dropped > 0);
		await connectSlowReader();
		await beginReadout();
		check(await countDuring(longest.message.length), this);
	});

	describe("after request bodies made to fill the memory", () => {
		/** Sends each body over a new connection; checks that the number of slots at rest stays the same. */
		async function bombard(bodies: Iterable<string>, context: Mocha.Context): Promise<void> {
			const send = async (body: string) => {
				const { status } = await xs.request("system/login", { body });
				assert.ok(status === 400 || status === 413, `status ${status}`);
			};
			await send("{}");
			const before = await countAtRest();
			for (const body of bodies) await send(body);
			await send("{}");
			const after = await countAtRest();
			check(after, context);
			assert.equal(after, before);
		}

		const fill = (opening: string, piece: string, length: number) =>
			opening + piece.repeat(Math.floor((length - opening.length) / piece.length));

		it("are as many as before when bodies are nested as deeply as fits", async function () {
			await bombard([fill("", "[", 512), fill("", '{"a":', 512), fill('{"username":', "[", 512)], this);
		});

		it("are as many as before when bodies are long lists of lists", async function () {
			const list = `${fill('{"username":[', "[],", 508)}[]]}`;
			await bombard([list, fill("[", "[],", 512), fill("[", "[],", 16_384), fill("", "[", 65_536)], this);
		});

		it("are as many as before after a thousand bodies with names that were never sent before", async function () {
			function* bodies() {
				for (let i = 0; i < 1000; i++) {
					const names = Array.from({ length: 24 }, () => `"${randomBytes(7).toString("base64url")}":{}`);
					yield `{${names.join(",")}}`;
				}
			}
			await bombard(bodies(), this);
		});
	});
});
