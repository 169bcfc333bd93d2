/**
 * The event stream of the firmware on Linux, over the firmware's own TLS, during a connectDLMS, DLMS readout with keys, a large
 * download to a slow client, and new connections. One test reads it with curl, as docs/integrations.md does.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import type { IncomingMessage } from "node:http";
import { request } from "node:https";
import type { Follower } from "../api/follower.js";
import { ProcessGateway } from "../api/process-gateway.js";
import { iecVectors } from "../vectors.js";
import { ANY, connectDLMS, probe } from "./memory-limits.js";

const BEAT_MS = 15_000;
const STEP_MS = 50;
/** Number of bytes that the slow download reads before each pause. */
const SIP = 1024;
const SIP_MS = 40;

const longest = iecVectors().reduce((a, b) => (a.telegram.length < b.telegram.length ? b : a));

describe("The event stream of the firmware on Linux", function () {
	this.timeout(300_000);
	let gateway: ProcessGateway;
	let follower: Follower | undefined;

	before(async () => {
		gateway = await ProcessGateway.start("linux");
		await gateway.connectMeter({ telegram: longest.telegram });
		await gateway.login();
		await gateway.read("iec62056/read");
	});
	afterEach(async () => {
		follower?.leave();
		await gateway.pass(300);
	});
	after(() => gateway?.stop());

	async function until(condition: () => boolean, limitMs: number, what: string): Promise<number> {
		const startMs = Date.now();
		while (!condition()) {
			assert.ok(Date.now() - startMs < limitMs, `not within ${limitMs} ms: ${what}\n${gateway.diagnosis}`);
			await gateway.pass(STEP_MS);
		}
		return Date.now() - startMs;
	}
	async function follow(): Promise<Follower> {
		const made = gateway.follow();
		follower = made;
		await until(() => made.last("readout") !== undefined, 10_000, "the stream");
		return made;
	}
	/** Reads `GET last` slowly over a new connection; returns its length. */
	const download = () =>
		new Promise<number>((resolve, reject) => {
			const [host, port] = gateway.authority(true).split(":");
			const headers = { Authorization: `Bearer ${gateway.token}` };
			const path = "/api/v1/iec62056/last";
			const take = async (response: IncomingMessage) => {
				let length = 0;
				response.on("error", reject);
				response.on("end", () => (response.complete ? resolve(length) : reject(new Error("cut short"))));
				while (!response.readableEnded) {
					const piece: Buffer | null = response.read(SIP) ?? response.read();
					length += piece?.length ?? 0;
					await gateway.pass(SIP_MS);
				}
			};
			const sent = request({ host, port, path, headers, agent: false, rejectUnauthorized: false }, (response) => {
				take(response).catch(reject);
			});
			sent.on("error", reject).end();
		});

	it("continues during a readout with keys and a slow download, and both complete", async function () {
		await connectDLMS(gateway, "--baud-pace");
		const stream = await follow();
		const { meter_readouts: before } = stream.last("state");
		const loading = download();
		const reading = gateway.begin("GET", "iec62056/read");
		await until(() => stream.last("state").meter_state === "reading", 5000, "the beginning");
		await gateway.pass(1000);
		await probe(gateway, this, ANY);
		assert.ok((await loading) > 50_000, "the download was short");
		assert.equal((await reading.reply()).status, 200);
		const ms = await until(() => stream.last("readout").meter_readouts === before + 1, 2000, "the readout");
		await until(() => stream.last("state").meter_state === "ok", 2000, "its end");
		assert.equal(stream.isClosed, false);
		this.test!.title += ` (reported after ${ms} ms)`;
		await gateway.write("meter/protocol", { protocol: "iec62056" });
		await gateway.connectMeter({ telegram: longest.telegram });
	});

	it("sends a comment every 15 s while idle, and delays no new connection by 2 s", async () => {
		const stream = await follow();
		const startMs = Date.now();
		let slowestMs = 0;
		while (Date.now() - startMs < 2.3 * BEAT_MS) {
			const requestedMs = Date.now();
			await gateway.get("system/version", { from: "127.0.0.1" });
			slowestMs = Math.max(slowestMs, Date.now() - requestedMs);
			await gateway.pass(500);
		}
		assert.equal(stream.comments, 2);
		assert.equal(stream.isClosed, false);
		assert.ok(slowestMs < 2000, `${slowestMs} ms`);
	});

	it("leaves room to serve six new connections at once, and releases its memory", async function () {
		const before = await gateway.memory();
		for (let round = 0; round < 5; round++) {
			const stream = await follow();
			await gateway.pass(1200);
			const requests = Array.from({ length: 6 }, () => gateway.get("iec62056/last", { from: "127.0.0.1" }));
			for (const reply of await Promise.all(requests)) assert.equal(reply.status, 200);
			stream.leave();
			await gateway.pass(300);
		}
		await gateway.pass(31_000);
		const after = await probe(gateway, this, ANY);
		assert.ok(after.slots - before.slots <= 32, `${after.slots - before.slots} slots more`);
	});

	it("is printed by curl -N line by line as it arrives", async () => {
		const [host, port] = gateway.authority(true).split(":");
		const url = `https://${host}:${port}/api/v1/events`;
		const curl = spawn("curl", ["-skN", "-H", `Authorization: Bearer ${gateway.token}`, url]);
		let text = "";
		curl.stdout.on("data", (bytes: Buffer) => {
			text += bytes.toString();
		});
		await until(() => text.includes("event: readout\ndata: {"), 5000, "the beginning");
		const from = text.length;
		await gateway.read("iec62056/read");
		await until(() => text.slice(from).includes("event: readout\ndata: {"), 2000, "the readout");
		curl.kill();
	});
});
