/** An installation that a person starts: the gateway downloads the release file itself. */

import assert from "node:assert/strict";
import { makeCertificate } from "../../hosts/node/self-signed.js";
import type { VirtualClient } from "../../hosts/node/virtual-network.js";
import { DOWNLOAD_START_MS } from "../../modules/update/download.js";
import type { JSONObject } from "../api/gateway.js";
import { isError, vectorOf } from "../api/gateway.js";
import { lastingPair } from "../api/server-identity.js";
import { type GatewayOptions, START_UTC_MS, VirtualGateway } from "../api/virtual-gateway.js";
import { BROKER_ADDRESS, ScriptedBroker } from "../mqtt/broker.js";
import { BOARD, damaged, makeFile, makeImage, makeSlots, newSigner, VERSION } from "./firmware-files.js";

const ADDRESS = "192.0.2.9";
const HOST = "firmware.example";
const URL = `https://${HOST}/latest/{board}.ota`;
const BASE = "smgw/virtual0001";
/** Time for a check, ms. */
const CHECK_MS = 10_000;
/** Time for a download with all its attempts, ms. */
const LONG_MS = 120_000;

const IMAGE = makeImage(200_000);
const FILE = makeFile(IMAGE);
const { certificate } = makeCertificate({
	names: ["of-another-name"],
	validFromMs: START_UTC_MS - 86_400_000,
	validToMs: START_UTC_MS - 1000,
});

interface Answer {
	readonly status?: number;
	readonly headers?: readonly string[];
	readonly body?: Uint8Array;
	/** The server closes after this many bytes of the body; default: all. */
	readonly breaksAt?: number;
	/** Sends this many bytes each second. */
	readonly perSecond?: number;
	/** The server falls silent after this many bytes of the body. */
	readonly stallsAt?: number;
	/** Sends in chunks. */
	readonly isChunked?: boolean;
}

describe("The installation of newer firmware", () => {
	let gateway: VirtualGateway;
	/** Range of each request. */
	let ranges: string[];
	/** Broker of this gateway, also after its restart. */
	let broker: ScriptedBroker | undefined;
	let answer: (from: number, count: number) => Answer;

	/** Replies with the requested range of the file. */
	const part = (file: Uint8Array) => (from: number) =>
		from === 0 ? { body: file } : { status: 206, body: file.subarray(from) };

	async function start(options: GatewayOptions = {}): Promise<void> {
		await gateway?.stop();
		gateway = new VirtualGateway("client", { utcMs: START_UTC_MS, slots: makeSlots(), radio: false, ...options });
		broker = undefined;
		gateway.onWorld = (world) => {
			world.names.set(HOST, ADDRESS);
			broker?.serve(world);
		};
		gateway.onWorld(gateway.world);
		ranges = [];
		answer = part(FILE);
		await gateway.login();
	}

	function serve(): void {
		gateway.world.servers.serve(ADDRESS, 443, { certificate, onConnection: (peer) => answerPeer(peer) });
	}

	function answerPeer(peer: VirtualClient): void {
		let left: Uint8Array = new Uint8Array(0);
		let breaksAt = 0;
		let isAnswered = false;
		const pump = () => {
			if (peer.isClosed || left.length === 0) return;
			const count = Math.min(left.length, breaksAt);
			peer.send(left.subarray(0, count));
			left = new Uint8Array(0);
			peer.close();
		};
		peer.onReceived = () => {
			const request = Buffer.from(peer.received).toString("latin1");
			if (peer.isClosed || isAnswered || !request.endsWith("\r\n\r\n")) return;
			isAnswered = true;
			const [, first, last] = /Range: bytes=(\d+)-(\d*)/.exec(request)!;
			ranges.push(`${first}-${last}`);
			const given = answer(Number(first), ranges.length);
			const { status = 200, headers = [], body = new Uint8Array(0), isChunked = false } = given;
			const framing = isChunked ? "Transfer-Encoding: chunked" : `Content-Length: ${body.length}`;
			peer.send([`HTTP/1.1 ${status} X`, framing, ...headers, "", ""].join("\r\n"));
			breaksAt = given.breaksAt ?? Number.POSITIVE_INFINITY;
			left = isChunked ? chunked(body) : body;
			if (given.stallsAt !== undefined) peer.send(left.subarray(0, given.stallsAt));
			else if (given.perSecond !== undefined) trickle(peer, left, given.perSecond);
			else pump();
		};
	}

	function chunked(body: Uint8Array): Uint8Array {
		const pieces: Uint8Array[] = [];
		for (let at = 0; at < body.length; at += 1000) {
			const piece = body.subarray(at, at + 1000);
			pieces.push(Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from("\r\n"));
		}
		return Buffer.concat([...pieces, Buffer.from("0\r\n\r\n")]);
	}

	function trickle(peer: VirtualClient, body: Uint8Array, perSecond: number): void {
		let at = 0;
		const next = () => {
			if (peer.isClosed || at >= body.length) return;
			peer.send(body.subarray(at, at + perSecond));
			at += perSecond;
			gateway.world.time.set(next, 1000);
		};
		next();
	}

	const status = async (): Promise<JSONObject> => {
		await gateway.login();
		return gateway.read("system/status");
	};
	/** Sets the address, and lets the check find the version of FILE. */
	async function find(): Promise<void> {
		serve();
		await gateway.write("system/upgrade", { upgrade_url: URL });
		await gateway.pass(CHECK_MS);
		assert.equal((await status()).upgrade_version, VERSION);
		ranges = [];
	}
	async function startAndFind(): Promise<void> {
		await start();
		await find();
	}
	/** Waits until the new firmware has started. */
	async function installed(ms = LONG_MS): Promise<void> {
		await gateway.pass(ms);
		await gateway.rebooted();
		assert.equal(await runs(), VERSION);
	}
	/** Version of the running firmware. */
	async function runs(): Promise<string> {
		await gateway.login();
		return (await gateway.read("system/version")).firmware.version;
	}
	const install = () => gateway.post("system/upgrade/install");
	const logged = async (name: string) => {
		await gateway.login();
		const { events } = await gateway.read("system/log");
		return events.filter(({ event }: JSONObject) => event === name).map(({ detail }: JSONObject) => detail);
	};
	/** Finds the version, then downloads what `reply` sends; returns `ota_last_error` and the detail in the log. */
	async function failure(reply: typeof answer): Promise<readonly [string, string]> {
		await startAndFind();
		answer = reply;
		assert.equal((await install()).status, 200);
		await gateway.pass(LONG_MS);
		const { ota_state, ota_last_error } = await status();
		assert.equal(ota_state, "idle");
		assert.equal(await runs(), "0.0.0");
		const [detail] = await logged("update_refused");
		// All resources are free again, so another installation is possible.
		answer = part(FILE);
		assert.equal((await install()).status, 200);
		await installed();
		return [ota_last_error, detail];
	}

	afterEach(() => gateway.stopChecked());

	it("downloads the file, verifies it, restarts, and is on trial like after an upload", async () => {
		await startAndFind();
		assert.equal((await install()).status, 200);
		assert.equal((await status()).ota_state, "receiving");
		await installed();
		const { ota_state, ota_last_error, upgrade_version } = await status();
		assert.deepEqual([ota_state, ota_last_error, upgrade_version], ["trial", "", ""]);
		assert.deepEqual(ranges, ["0-"]);
		assert.deepEqual(await logged("update_installed"), [`${VERSION} from ${HOST}`]);
	});

	it("starts only with enough free heap, and needs less once its connection is open", async () => {
		let heapBytes = 100_000;
		const free = () => ({ slots: 4000, chunkBytes: 60_000, heapBytes });
		await start({ memory: { suffices: () => true, free } });
		await find();
		heapBytes = 30_000;
		assert.equal((await install()).status, 200);
		await gateway.pass(LONG_MS);
		assert.equal((await status()).ota_last_error, "busy");
		assert.deepEqual(ranges, []);
		heapBytes = 50_000;
		answer = (from) => {
			// The connection takes its memory.
			heapBytes = 30_000;
			return part(FILE)(from);
		};
		assert.equal((await install()).status, 200);
		await installed();
	});

	it("starts only when a person requests it, never by itself", async () => {
		await startAndFind();
		await gateway.pass(3 * 86_400_000);
		assert.ok(ranges.length >= 2 && ranges.every((range) => range === "0-287"), ranges.join());
		assert.equal((await status()).ota_state, "idle");
	});

	it("accepts a file in chunks, and after three redirects to HTTPS", async () => {
		await startAndFind();
		answer = (from, count) => {
			if (count < 4) return { status: 302, headers: [`Location: /${count}`] };
			return { ...part(FILE)(from), isChunked: true };
		};
		await install();
		await installed();
		assert.equal(ranges.length, 4);
	});

	it("requests the rest after an interruption, also from a server without ranges", async () => {
		for (const server of [part(FILE), () => ({ body: FILE })]) {
			await startAndFind();
			answer = (from, count) => ({ ...server(from), ...(count < 3 ? { breaksAt: 30_000 + count } : {}) });
			await install();
			await installed();
			assert.equal(ranges.length, 3);
			assert.equal(ranges[0], "0-");
			assert.equal(ranges[1], "30001-");
		}
	});

	for (const [what, reply, code, detail] of [
		["for another board", part(makeFile(IMAGE, { deviceId: 2 })), "ota_wrong_device", ` from ${HOST}`],
		["for another chip", part(makeFile(IMAGE, { ...BOARD, chip: "esp32" })), "ota_wrong_device", ` from ${HOST}`],
		["with a foreign signature", part(makeFile(IMAGE, { signer: newSigner() })), "ota_bad_signature", ` from ${HOST}`],
		[
			"with the running version, signed by the maker",
			part(makeFile(IMAGE, { version: "0.0.0", buildNumber: 0 })),
			"ota_downgrade",
			` from ${HOST}`,
		],
		["that is damaged", part(damaged(FILE, 50_000)), "ota_invalid_image", ` from ${HOST}`],
		["that is truncated", part(FILE.subarray(0, 50_000)), "ota_invalid_image", ` from ${HOST}`],
		["that is too long", part(Buffer.concat([FILE, FILE])), "ota_invalid_image", ` from ${HOST}`],
		["that is a web page", part(Buffer.from("<html>".repeat(1000))), "ota_invalid_image", ` from ${HOST}`],
		["that is missing", () => ({ status: 404, body: Buffer.from("not here") }), "ota_not_found", ": 404"],
		["that is empty", () => ({}), "ota_not_found", ": 200"],
		[
			"after a redirect to plain HTTP",
			() => ({ status: 302, headers: [`Location: http://${HOST}/x`] }),
			"ota_not_found",
			": 302",
		],
		["after a fourth redirect", () => ({ status: 302, headers: ["Location: /x"] }), "ota_not_found", ": 302"],
		["from a server that disappears", () => ({ body: FILE, breaksAt: 30_000 }), "ota_interrupted", ` from ${HOST}`],
	] as const) {
		it(`refuses a file ${what}, and reports this`, async () => {
			assert.deepEqual(await failure(reply), [code, `${code}${detail}`]);
		});
	}

	it("reports a server that can't be reached, with the cause", async () => {
		await startAndFind();
		gateway.world.servers.stop(ADDRESS, 443);
		await install();
		await gateway.pass(LONG_MS);
		assert.equal((await status()).ota_last_error, "ota_unreachable");
		assert.deepEqual(await logged("update_refused"), ["ota_unreachable: unreachable"]);
	});

	it("waits for a slow server, but not for a silent one", async () => {
		await startAndFind();
		answer = () => ({ body: FILE, perSecond: 1000 });
		await install();
		await gateway.pass(60_000);
		const { ota_state, ota_received, ota_total } = await status();
		assert.deepEqual([ota_state, ota_total], ["receiving", FILE.length]);
		assert.ok(ota_received > 40_000 && ota_received < 70_000, String(ota_received));
		await installed();

		await startAndFind();
		// It stops in the middle of each reply, without closing the connection.
		answer = (from) => ({ ...part(FILE)(from), stallsAt: 20_000 });
		await install();
		await gateway.pass(3 * LONG_MS);
		assert.deepEqual(
			[(await status()).ota_last_error, ranges],
			["ota_interrupted", ["0-", "20000-", "40000-", "60000-"]],
		);
	});

	it("ends after a quarter of an hour", async () => {
		await startAndFind();
		answer = () => ({ body: FILE, perSecond: 50 });
		await install();
		await gateway.pass(950_000);
		const { ota_state, ota_last_error } = await status();
		assert.deepEqual([ota_state, ota_last_error], ["idle", "ota_interrupted"]);
	});

	it("is refused without a newer version, during another update, and without keys", async () => {
		await start();
		isError(await install(), 409, "no_upgrade");
		await find();
		answer = () => ({ body: FILE, perSecond: 100 });
		assert.equal((await install()).status, 200);
		isError(await install(), 503, "busy");
		await gateway.pass(20_000);
		isError(await install(), 503, "busy");
		isError(await gateway.post("system/ota", "x"), 503, "busy");
		await start({ slots: makeSlots({ keys: [] }) });
		isError(await install(), 501, "unsupported");
	});

	it("needs a token of full scope", async () => {
		await startAndFind();
		const { token } = await gateway.write("system/tokens", { name: "reader", scope: "read" });
		assert.equal((await gateway.post("system/upgrade/install", undefined, { token })).status, 403);
		assert.equal((await gateway.post("system/upgrade/install", undefined, { token: "" })).status, 401);
		await gateway.pass(LONG_MS);
		assert.equal((await status()).ota_state, "idle");
	});

	describe("over MQTT", () => {
		const ON = { enabled: true, commands: true, url: `mqtt://${BROKER_ADDRESS}`, user: "", password: "" };
		const shown = () =>
			broker!.published
				.filter((line) => line.startsWith(`${BASE}/update `))
				.map((line) => JSON.parse(line.slice(BASE.length + 8)));

		async function connect(settings: JSONObject = ON): Promise<void> {
			await start();
			broker = new ScriptedBroker(gateway.world);
			await gateway.write("mqtt", settings);
			await gateway.pass(5000);
			await find();
		}

		it("starts on a command, and reports its progress over a connection without TLS", async () => {
			await connect();
			assert.deepEqual(shown().at(-1), {
				installed_version: "0.0.0",
				latest_version: VERSION,
				title: "Smart-Meter Gateway",
				in_progress: false,
				update_percentage: null,
			});
			answer = () => ({ body: FILE, perSecond: 10_000 });
			broker!.publish(`${BASE}/command`, "install");
			await installed();
			await gateway.pass(30_000);
			const progress = shown().map(({ in_progress, update_percentage }) => (in_progress ? update_percentage : "none"));
			assert.ok(
				progress.includes(null) && progress.filter((one) => typeof one === "number").length >= 3,
				progress.join(),
			);
			const last = shown().at(-1);
			assert.deepEqual([last.installed_version, last.latest_version, last.in_progress], [VERSION, VERSION, false]);
			assert.deepEqual(await logged("mqtt_command"), ["install"]);
			assert.deepEqual(await logged("update_installed"), [`${VERSION} from ${HOST}`]);
		});

		it("does not start without the setting, nor on a retained or unknown command", async () => {
			await connect({ ...ON, commands: false });
			broker!.publish(`${BASE}/command`, "install");
			await gateway.pass(LONG_MS);
			await connect();
			broker!.publish(`${BASE}/command`, "Install");
			await gateway.pass(LONG_MS);
			assert.deepEqual([await logged("mqtt_command"), await logged("mqtt_command_ignored")], [[], ["unknown"]]);
			assert.equal(await runs(), "0.0.0");
			assert.deepEqual(ranges, []);
		});

		it("is ignored, and logged, if there is nothing newer", async () => {
			await connect();
			await gateway.write("system/upgrade", { upgrade_check_enabled: false });
			broker!.publish(`${BASE}/command`, "install");
			await gateway.pass(5000);
			assert.deepEqual([await logged("mqtt_command"), await logged("mqtt_command_ignored")], [[], ["no_upgrade"]]);
		});

		it("shows the cause of a failure as a problem", async () => {
			await connect();
			await gateway.connectMeter({ telegram: vectorOf("landis-gyr-zmf100-m26-padded-left").telegram });
			await gateway.read("iec62056/read");
			answer = part(makeFile(IMAGE, { deviceId: 2 }));
			broker!.publish(`${BASE}/command`, "install");
			await gateway.pass(LONG_MS);
			const message = broker!.published.findLast((line) => line.startsWith(`${BASE}/state `))!;
			const state = JSON.parse(message.slice(message.indexOf("{")));
			assert.equal(state.problem, "on");
			assert.match(state.problem_text, /The file is for another board/);
			assert.equal(shown().at(-1).in_progress, false);
		});
	});

	it("takes the TLS permit from MQTT during the download, after MQTT has published that it is in progress", async () => {
		await start();
		const tls = lastingPair("broker");
		broker = new ScriptedBroker(gateway.world, 8883, { certificate: tls.certificate });
		await gateway.write("mqtt", {
			enabled: true,
			commands: true,
			url: `mqtts://${BROKER_ADDRESS}`,
			cert: Buffer.from(tls.certificate).toString(),
		});
		await gateway.pass(5000);
		await find();
		answer = () => ({ body: FILE, perSecond: 5000 });
		const sessions = broker.sessions.length;
		broker.publish(`${BASE}/command`, "install");
		await gateway.pass(DOWNLOAD_START_MS + 6000);
		assert.equal(broker.current, undefined, "the connection is closed");
		assert.ok(broker.sessions.at(-1)?.isLeft, "in order");
		assert.equal(JSON.parse(broker.retained.get(`${BASE}/update`)!).in_progress, true);
		assert.equal((await status()).ota_state, "receiving");
		assert.equal(broker.sessions.length, sessions);
		await installed();
		await gateway.pass(30_000);
		assert.equal(JSON.parse(broker.retained.get(`${BASE}/update`)!).installed_version, VERSION);
	});
});
