/** The check for newer firmware: its schedule, its request, the replies that it trusts, and the notice that follows. */
import assert from "node:assert/strict";
import { makeCertificate } from "../../hosts/node/self-signed.js";
import type { VirtualClient } from "../../hosts/node/virtual-network.js";
import { SHORT_BODY_COST } from "../../modules/api/api.js";
import { RESERVE } from "../../modules/io/memory.js";
import { NOTICE_DAY_MS, NOTICE_HOUR_MS } from "../../modules/parts/update/notice.js";
import { UPGRADE_COST } from "../../modules/update/file-request.js";
import { FRONT_LENGTH } from "../../modules/update/front.js";
import type { JSONObject } from "../api/gateway.js";
import { type GatewayOptions, START_UTC_MS, VirtualGateway } from "../api/virtual-gateway.js";
import { makeFile, makeImage, makeSlots, newSigner } from "./firmware-files.js";

const ADDRESS = "192.0.2.9";
const HOST = "firmware.example";
const URL = `https://${HOST}/latest/{board}.ota`;
/** Longer than the delay of a check after a start or a change of settings, ms. */
const SOON_MS = 10_000;
const FIRST_LIMIT_MS = 600_000 + NOTICE_HOUR_MS + SOON_MS;

const image = makeImage();
const FILE = makeFile(image);
const NEWER = makeFile(image, { version: "1.2.9-test", buildNumber: 9 });
const { certificate } = makeCertificate({
	names: ["of-another-name"],
	validFromMs: START_UTC_MS - 2 * NOTICE_DAY_MS,
	validToMs: START_UTC_MS - NOTICE_DAY_MS,
});

const partial = (bytes: Uint8Array) =>
	Buffer.concat([
		Buffer.from(`HTTP/1.1 206 Partial Content\r\nContent-Length: ${FRONT_LENGTH}\r\n\r\n`),
		bytes.subarray(0, FRONT_LENGTH),
	]);
const whole = (bytes: Uint8Array) =>
	Buffer.concat([Buffer.from(`HTTP/1.1 200 OK\r\nContent-Length: ${bytes.length}\r\n\r\n`), bytes]);
const moved = (location: string, status = 302) =>
	Buffer.from(`HTTP/1.1 ${status} Found\r\nLocation: ${location}\r\nContent-Length: 0\r\n\r\n`);

describe("The check for newer firmware", () => {
	let gateway: VirtualGateway;
	/** Heads of the requests, each preceded by its server. */
	let requests: string[];
	let peers: VirtualClient[];

	async function start(options: GatewayOptions = {}, utcMs = START_UTC_MS): Promise<void> {
		await gateway?.stop();
		const clock = utcMs === 0 ? {} : { utcMs };
		gateway = new VirtualGateway("client", { ...clock, slots: makeSlots(), radio: false, ...options });
		gateway.onWorld = (world) => world.names.set(HOST, ADDRESS);
		gateway.onWorld(gateway.world);
		requests = [];
		peers = [];
		await gateway.login();
	}

	/** Makes the server answer each request with `reply`; undefined: no answer. */
	function serve(reply: (request: string) => Uint8Array | undefined, port = 443, address = ADDRESS): void {
		gateway.world.servers.serve(address, port, {
			certificate,
			onConnection: (peer: VirtualClient) => {
				peers.push(peer);
				peer.onReceived = () => {
					if (peer.isClosed) return;
					const text = Buffer.from(peer.received).toString("latin1");
					if (!text.endsWith("\r\n\r\n") || requests.includes(text)) return;
					requests.push(text);
					const bytes = reply(text);
					if (bytes !== undefined) peer.send(bytes);
				};
			},
		});
	}

	const set = (body: JSONObject) => gateway.write("system/upgrade", body);
	const found = async () => {
		// Sessions expire during the hours of these tests.
		await gateway.login();
		return (await gateway.read("system/status")).upgrade_version;
	};
	const reported = async () => {
		const { events } = await gateway.read("system/log");
		return events.filter(({ event }: JSONObject) => event === "update_found").map(({ detail }: JSONObject) => detail);
	};

	/** Changes the settings; returns the version that the check then finds. */
	async function checkNow(reply: (request: string) => Uint8Array | undefined, url = URL): Promise<string> {
		serve(reply);
		await set({ upgrade_url: url });
		await gateway.pass(SOON_MS);
		return found();
	}

	beforeEach(() => start());
	afterEach(() => gateway.stopChecked());

	it("requests the first bytes of this board's file, reveals nothing about the gateway, and accepts any server", async () => {
		assert.equal(await checkNow(() => partial(FILE)), "1.2.3-test");
		assert.equal(requests.length, 1);
		assert.deepEqual(requests[0].split("\r\n"), [
			"GET /latest/virtual.ota HTTP/1.1",
			`Host: ${HOST}`,
			"User-Agent: smart-meter-gw",
			"Range: bytes=0-287",
			"Connection: close",
			"",
			"",
		]);
		assert.deepEqual(await reported(), ["1.2.3-test"]);
		assert.equal((await gateway.read("system/version")).upgrade_url, `https://${HOST}/latest/virtual.ota`);
	});
	it("hides the query of the address, which can be a secret, from a read-only token", async () => {
		await set({ upgrade_url: `https://${HOST}/{board}.ota?signature=canary#x` });
		const { token } = await gateway.write("system/tokens", { name: "reader", scope: "read" });
		const shown = async (options?: { token: string }) =>
			JSON.parse((await gateway.get("system/version", options)).text).upgrade_url;
		assert.equal(await shown(), `https://${HOST}/virtual.ota?signature=canary#x`);
		assert.equal(await shown({ token }), `https://${HOST}/virtual.ota`);
		await set({ upgrade_url: `https://${HOST}/{board}.ota#canary` });
		assert.equal(await shown({ token }), `https://${HOST}/virtual.ota`);
	});
	it("reads no more than these bytes from a server that sends the whole file, and closes the connection", async () => {
		assert.equal(await checkNow(() => whole(FILE)), "1.2.3-test");
		assert.deepEqual(
			peers.map(({ isClosed }) => isClosed),
			[true],
		);
		assert.equal((await gateway.read("system/status")).ota_state, "idle");
	});
	it("runs 10 to 70 minutes after the start, and about a day after each check, at varying minutes", async () => {
		serve(() => partial(FILE));
		await set({ upgrade_url: URL });
		await gateway.pass(SOON_MS);
		requests = [];
		const times: number[] = [];
		const startMs = gateway.world.time.nowMs;
		for (let i = 0; i < 4 * 24 * 12; i++) {
			await gateway.pass(300_000);
			if (requests.length > 0) times.push((gateway.world.time.nowMs - startMs) / NOTICE_DAY_MS);
			requests = [];
		}
		assert.ok(times.length >= 3 && times.length <= 4, String(times));
		const minutes = new Set(times.map((time, i) => Math.round((time - (times[i - 1] ?? 0)) * 1440)));
		assert.ok(minutes.size > 1, String(times));
		for (const [i, time] of times.entries()) assert.ok(Math.abs(time - (times[i - 1] ?? 0) - 1) < 0.03, String(times));
		await gateway.restart();
		serve(() => partial(FILE));
		await gateway.pass(550_000);
		assert.equal(requests.length, 0);
		await gateway.pass(FIRST_LIMIT_MS - 550_000);
		assert.equal(requests.length, 1);
	});
	it("reports each version once, also across restarts, and keeps the highest until the address changes", async () => {
		let offered = FILE;
		await checkNow(() => partial(offered));
		await gateway.restartAndLogin();
		assert.equal(await found(), "1.2.3-test");
		// The address is unchanged; the other setting triggers the check.
		const again = async () => {
			await set({ upgrade_check_enabled: false });
			await set({ upgrade_check_enabled: true });
			requests = [];
			const version = await checkNow(() => partial(offered));
			assert.equal(requests.length, 1);
			return version;
		};
		assert.equal(await again(), "1.2.3-test");
		assert.deepEqual(await reported(), ["1.2.3-test"]);
		offered = NEWER;
		assert.equal(await again(), "1.2.9-test");
		assert.deepEqual(await reported(), ["1.2.3-test", "1.2.9-test"]);
		// Old files with valid signatures, as an attacker would replay them: one newer than the running version, one
		// older.
		for (const old of [FILE, makeFile(image, { buildNumber: 0, version: "0.0.0" })]) {
			offered = old;
			assert.equal(await again(), "1.2.9-test");
			await gateway.restart();
			assert.equal(await found(), "1.2.9-test");
		}
		assert.equal((await reported()).length, 2);
		const follower = gateway.follow();
		await gateway.pass(10);
		assert.equal(follower.last("state").upgrade_version, "1.2.9-test");
		await set({ upgrade_url: `${URL}?other` });
		assert.equal(await found(), "");
		await gateway.pass(1000);
		assert.equal(follower.last("state").upgrade_version, "");
		follower.leave();
		offered = FILE;
		assert.equal(await checkNow(() => partial(offered), `${URL}?other`), "1.2.3-test");
	});
	it("reports nothing if a newer version runs, or if the check is switched off", async () => {
		const info = { firmwareVersion: "1.2.9-test" };
		await start({ slots: makeSlots(), info });
		assert.equal(await checkNow(() => partial(FILE)), "");
		await start();
		assert.equal(await checkNow(() => partial(FILE)), "1.2.3-test");
		await set({ upgrade_check_enabled: false });
		assert.equal(await found(), "");
		requests = [];
		await gateway.pass(2 * NOTICE_DAY_MS);
		assert.equal(requests.length, 0);
	});
	for (const [what, file] of [
		["signed by a stranger", makeFile(image, { signer: newSigner() })],
		["for another board", makeFile(image, { deviceId: 2 })],
		["for another chip", makeFile(image, { chip: "esp32" })],
		["damaged in its version", Uint8Array.from(FILE, (byte, at) => (at === 105 ? byte ^ 1 : byte))],
		["too large for the slot", makeFile(makeImage(0x1f0000))],
		["not a firmware file", new Uint8Array(400).fill(0x3c)],
	] as const) {
		it(`reports nothing for a file that is ${what}`, async () => {
			assert.equal(await checkNow(() => partial(file)), "");
			assert.equal(requests.length, 1);
			assert.deepEqual(await reported(), []);
		});
	}
	it("reports nothing for a file below the running security level", async () => {
		await start({ slots: makeSlots({ securityLevel: 2 }) });
		assert.equal(await checkNow(() => partial(makeFile(image, { securityLevel: 1 }))), "");
		assert.equal(await checkNow(() => partial(makeFile(image, { securityLevel: 2 })), `${URL}?2`), "1.2.3-test");
	});
	for (const [what, reply] of [
		["status 404", () => Buffer.from("HTTP/1.1 404 Not Found\r\nContent-Length: 300\r\n\r\n".padEnd(400, "x"))],
		["a reply that breaks off", () => partial(FILE).subarray(0, 300)],
		["a complete reply that is too short", () => Buffer.from("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc")],
		["a reply that is not HTTP", () => Buffer.from("220 mail.example ESMTP\r\n")],
		["no reply", () => undefined],
		["an endless reply head", () => Buffer.from(`HTTP/1.1 200 OK\r\nX: ${"x".repeat(9000)}`)],
		["a redirect without an address", () => Buffer.from("HTTP/1.1 302 Found\r\nContent-Length: 0\r\n\r\n")],
		["a redirect to plain HTTP", () => moved(`http://${HOST}/x`)],
		["a redirect with another scheme", () => moved("file:///etc/passwd")],
		["a redirect to an address that is too long", () => moved(`https://${HOST}/${"x".repeat(2100)}`)],
		["a redirect with a blank", () => moved(`https://${HOST}/a b`)],
		["a redirect with bytes beyond ASCII", () => moved(`https://${HOST}/\u00fc`)],
	] as const) {
		it(`checks again the next day after ${what}`, async () => {
			assert.equal(await checkNow(reply), "");
			await gateway.pass(70_000);
			assert.equal(requests.length, 1);
			requests = [];
			serve(() => partial(FILE));
			await gateway.pass(25 * NOTICE_HOUR_MS);
			assert.deepEqual([requests.length, await found()], [1, "1.2.3-test"]);
		});
	}
	it("follows three redirects, to another server or file, but not a fourth", async () => {
		const DOWNLOAD = "192.0.2.10";
		gateway.world.names.set("download.example", DOWNLOAD);
		const signed = `/release/${"0123456789".repeat(40)}?sp=r&sig=${"abc%2B".repeat(150)}`;
		serve((request) => (request.startsWith("GET /file/") ? partial(FILE) : moved(`/file/1`, 307)), 8443, DOWNLOAD);
		const first = (request: string) =>
			request.includes(".ota") ? moved(signed, 301) : moved("https://download.example:8443/x#part", 308);
		assert.equal(await checkNow(first), "1.2.3-test");
		assert.deepEqual(
			requests.map((request) => request.split("\r\n").slice(0, 2)),
			[
				["GET /latest/virtual.ota HTTP/1.1", `Host: ${HOST}`],
				[`GET ${signed} HTTP/1.1`, `Host: ${HOST}`],
				["GET /x HTTP/1.1", "Host: download.example:8443"],
				["GET /file/1 HTTP/1.1", "Host: download.example:8443"],
			],
		);
		await start();
		let count = 0;
		assert.equal(await checkNow(() => moved(`/${++count}`)), "");
		assert.equal(count, 4);
	});
	it("waits an hour at a time for a clock, for USB power and for memory", async () => {
		const memory = { slots: 10_000, suffices: (slots: number) => slots <= memory.slots };
		await start({ memory }, 0);
		serve(() => partial(FILE));
		await set({ upgrade_url: URL });
		await gateway.pass(NOTICE_HOUR_MS + SOON_MS);
		assert.equal(requests.length, 0, "no clock");
		await gateway.login();
		await gateway.write("system/clock", { timestamp: START_UTC_MS / 1000 });
		memory.slots = RESERVE.slots + UPGRADE_COST.slots - 1;
		await gateway.pass(NOTICE_HOUR_MS);
		assert.equal(requests.length, 0, "no memory");
		memory.slots = 10_000;
		await gateway.pass(NOTICE_HOUR_MS);
		assert.equal(requests.length, 1);
		const supply = { cells: 3, batteryVoltage: () => 4.2, usbVoltage: () => 0, temperatureC: () => 20 };
		await start({ power: supply });
		assert.equal(await checkNow(() => partial(FILE)), "");
		assert.equal(requests.length, 0, "on cells");
		supply.usbVoltage = () => 5;
		await gateway.pass(NOTICE_HOUR_MS);
		assert.equal(requests.length, 1);
	});
	it("waits for the network", async () => {
		await start({ radio: true });
		gateway.setAir("nothing");
		assert.equal(await checkNow(() => partial(FILE)), "");
		assert.equal(requests.length, 0);
		gateway.setAir("");
		await gateway.pass(2 * NOTICE_HOUR_MS);
		assert.equal(requests.length, 1);
	});
	it("does not run in a device that accepts no updates, or without an address", async () => {
		serve(() => partial(FILE));
		await gateway.pass(2 * NOTICE_DAY_MS);
		assert.deepEqual([requests.length, await found()], [0, ""]);
		assert.equal((await gateway.read("system/version")).upgrade_url, "");
		await start({ slots: makeSlots({ keys: [] }) });
		assert.equal(await checkNow(() => partial(FILE)), "");
		assert.equal(requests.length, 0);
	});
	it("uses the build's address if the owner has set none", async () => {
		await start({ info: { upgradeUrl: URL } });
		serve(() => partial(FILE));
		await gateway.pass(FIRST_LIMIT_MS);
		assert.equal(await found(), "1.2.3-test");
		assert.deepEqual(await gateway.read("system/upgrade"), {
			upgrade_url: "",
			upgrade_check_enabled: true,
			security_updates: false,
		});
		assert.equal((await gateway.read("system/version")).upgrade_url, `https://${HOST}/latest/virtual.ota`);
	});
	it("returns its memory in every case, and can check again", async () => {
		const memory = {
			requested: 0,
			suffices(slots: number) {
				memory.requested = slots;
				return true;
			},
		};
		await start({ memory });
		for (const reply of [() => partial(FILE), () => undefined, () => moved("/x")]) {
			await checkNow(reply, `${URL}?${requests.length}`);
			await set({ upgrade_url: `${URL}?y${requests.length}` });
			await gateway.pass(70_000);
		}
		assert.equal(await checkNow(() => partial(FILE), `${URL}?last`), "1.2.3-test");
		assert.equal((await gateway.post("system/logout", "{}")).status, 200);
		assert.ok(memory.requested <= RESERVE.slots + SHORT_BODY_COST.slots, `${memory.requested} slots are claimed`);
	});
});
