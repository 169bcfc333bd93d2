/**
 * Memory that the firmware takes, in XS on Linux with the device's limits: slots and bytes of chunks in use after a
 * collection, and the deepest use of the stack. The title of each test shows the figures.
 */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { type IncomingMessage, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readMetrics } from "../api/metrics-text.js";
import { ProcessGateway } from "../api/process-gateway.js";
import { openWhole, publicKeyFile, sectionsOf } from "../api/report-key.js";
import { Simulation } from "../history/simulation.js";
import { NAMES } from "../history/unit.js";
import { CERTIFICATE, sendFile, settingsKeyFile } from "../provision/engines.js";
import { largestSettings, signed } from "../provision/signed.js";
import { iecVectors } from "../vectors.js";
import { ANY, BOOT, connectDLMS, DLMS, probe } from "./memory-limits.js";

/** Permitted growth after a thousand requests and twenty readouts. */
const GROWTH = { slots: 16, chunks: 768 };
const REQUESTS = 1000;
/** Longer than any time-out of an idle connection, ms. */
const REST_MS = 31_000;
/** Number of additional pauses (REST_MS) until all connections have closed. */
const RESTS = 3;
const READOUTS = 20;
/** Largest body of a settings route. */
const BODY_SIZE = 2048;

const longest = iecVectors().reduce((a, b) => (a.telegram.length < b.telegram.length ? b : a));

describe("Memory of the firmware on Linux", function () {
	this.timeout(1_200_000);
	let gateway: ProcessGateway;
	let keyFolder = "";

	before(async () => {
		keyFolder = mkdtempSync(join(tmpdir(), "report-"));
		const args = ["--report-key", publicKeyFile(keyFolder), "--settings-key", settingsKeyFile(keyFolder)];
		gateway = await ProcessGateway.start("linux", { mode: "ap", args });
	});
	after(async () => {
		await gateway?.stop();
		rmSync(keyFolder, { recursive: true });
	});

	/** A settings body, padded with spaces to the size limit. */
	const largestBody = () => Buffer.from(JSON.stringify({ log_en: true }).padEnd(BODY_SIZE));
	const postLargest = async () => {
		const headers = { "Content-Type": "application/json" };
		const reply = await gateway.post("iec62056/control", largestBody(), { headers });
		assert.equal(reply.status, 200);
	};
	/** Connects a client that reads only the head of the reply. */
	const slowClient = async (path: string) => {
		const response = await new Promise<IncomingMessage>((resolve, reject) => {
			const [host, port] = gateway.authority(false).split(":");
			const headers = { Authorization: `Bearer ${gateway.token}` };
			request({ host, port, path, headers, agent: false }, resolve).on("error", reject).end();
		});
		response.pause();
		return response;
	};
	const slowClients = (path: string) => Promise.all([slowClient(path), slowClient(path)]);
	const readMeter = async () => {
		const readout = await gateway.read("iec62056/read");
		assert.equal(readout.readings.length, longest.readings.length);
	};
	/** Probes four times, after each `stepMs`, while the gateway reads a load profile of a hundred rows, and after it. */
	const probeProfile = async (test: Mocha.Context, stepMs: number) => {
		const exchange = gateway.begin("GET", "meter/profile?entries=100");
		for (let i = 0; i < 4; i++) {
			await gateway.pass(stepMs);
			const { running } = await gateway.read("iec62056/last");
			// On a busy computer the probes take longer than the profile.
			assert.ok(running || i > 1, "the profile was over too soon");
			if (!running) break;
			await probe(gateway, test, ANY);
		}
		assert.equal(JSON.parse((await exchange.reply()).text).rows?.length, 100);
		await probe(gateway, test, ANY);
	};

	it("is small after boot", async function () {
		await probe(gateway, this, BOOT);
	});

	it("is reported in the metrics", async () => {
		await gateway.login();
		const samples = readMetrics((await gateway.get("metrics")).text);
		const free = (what: string) => Number(samples.find(({ name }) => name === `gateway_free_${what}`)?.value);
		// Without a garbage collection, little may be free.
		assert.ok(free("slots") > 0 && free("slots") < 4096, `${free("slots")} slots`);
		assert.ok(free("chunk_bytes") > 0 && free("chunk_bytes") < 65_536, `${free("chunk_bytes")} bytes`);
		// The computer's heap has no limit.
		assert.ok(Number.isNaN(free("heap_bytes")));
	});

	it("is small while two clients that do not read wait for the whole history", async function () {
		// The history ends yesterday, before this test's readings; at noon UTC, nearly all time zones have the same date.
		const endS = (Math.floor(Date.now() / 86_400_000) - 0.5) * 86_400;
		const simulation = new Simulation({ seed: 1, registers: NAMES }, endS - 100 * 86_400);
		simulation.run(endS);
		const folder = join(gateway.stateFolder, "partitions");
		mkdirSync(folder, { recursive: true });
		writeFileSync(join(folder, "history"), simulation.unit.partition.bytes);
		await gateway.login();
		assert.equal((await gateway.read("meter/history?period=days")).periods.length, simulation.expected("days").length);
		const slow = await slowClients("/api/v1/meter/history?period=days");
		await probe(gateway, this, ANY);
		for (const response of slow) response.destroy();
	});

	it("is small during a readout of the longest capture", async function () {
		await gateway.connectMeter({ telegram: longest.telegram });
		await gateway.login();
		await gateway.write("iec62056/control", { log_en: true });
		const exchange = gateway.begin("GET", "iec62056/read");
		await gateway.pass(500);
		assert.equal((await gateway.read("iec62056/last")).running, true, "the readout was over too soon");
		await probe(gateway, this, ANY);
		await exchange.reply();
	});

	it("is small with the longest capture stored, and its session in the log", async function () {
		await readMeter();
		await probe(gateway, this, ANY);
	});

	it("is small while clients do not read the reply, and the next readout continues", async function () {
		const slow = await slowClients("/api/v1/iec62056/last");
		const exchange = gateway.begin("GET", "iec62056/read");
		await gateway.pass(500);
		await probe(gateway, this, ANY);
		await exchange.reply();
		for (const response of slow) response.destroy();
	});

	it("is small while diagnostic reports are taken during a readout", async function () {
		const exchange = gateway.begin("GET", "iec62056/read");
		while ((await gateway.read("iec62056/last")).running !== true) await gateway.pass(100);
		for (let count = 0; count < 3; count++) {
			// The memory of disconnected clients is released once the gateway notices.
			let response = await slowClient("/api/v1/system/diagnostic");
			for (let tries = 0; response.statusCode === 503 && tries < 20; tries++) {
				response.resume();
				await gateway.pass(250);
				response = await slowClient("/api/v1/system/diagnostic");
			}
			assert.equal(response.statusCode, 200);
			const parts: Buffer[] = [];
			for await (const part of response) parts.push(part);
			const { text } = await openWhole(Buffer.concat(parts));
			assert.ok(sectionsOf(text).get("conversation")!.length > 10);
		}
		assert.equal((await gateway.read("iec62056/last")).running, true, "the readout was over too soon");
		await probe(gateway, this, ANY);
		await exchange.reply();
	});

	it("is small during a readout over DLMS/COSEM with keys, after mode E", async function () {
		await gateway.login();
		await connectDLMS(gateway, "--baud-pace");
		const exchange = gateway.begin("GET", "iec62056/read");
		for (let i = 0; i < 4; i++) {
			await gateway.pass(700);
			assert.equal((await gateway.read("iec62056/last")).running, true, "the readout was over too soon");
			await probe(gateway, this, ANY);
		}
		const readout = JSON.parse((await exchange.reply()).text);
		assert.deepEqual([readout.protocol, readout.mode, readout.readings?.length], ["DLMS/COSEM", "E", 14]);
		await probe(gateway, this, ANY);
		await gateway.write("meter/protocol", { protocol: "iec62056" });
		await gateway.connectMeter({ telegram: longest.telegram });
		// The following checks run with the most memory that can be in use.
		await readMeter();
	});

	it("is small during a load profile of a hundred rows with keys, after mode E", async function () {
		await gateway.login();
		await connectDLMS(gateway, "--baud-pace");
		await probeProfile(this, 1500);
		await gateway.write("meter/protocol", { protocol: "iec62056" });
		await gateway.connectMeter({ telegram: longest.telegram });
	});

	it("is small during a load profile of a hundred rows in programming mode", async function () {
		await gateway.login();
		await gateway.connectProgram(["--profile", "programming", "--baud-pace", "--quiet"]);
		await probeProfile(this, 2000);
		await gateway.connectMeter({ telegram: longest.telegram });
	});

	it("is small while the probe recognises unsolicited data", async function () {
		await gateway.login();
		await gateway.connectProgram(["--protocol", "sml", "--baud-pace", "--push-seconds", "3", "--quiet"]);
		await gateway.write("dlms/config", DLMS);
		for (const protocol of ["iec62056", "dlms"]) {
			await gateway.write("meter/protocol", { protocol });
			const exchange = gateway.begin("GET", "iec62056/read");
			for (let i = 0; i < 4; i++) {
				await gateway.pass(1000);
				await probe(gateway, this, ANY);
			}
			assert.equal(JSON.parse((await exchange.reply()).text).unasked?.kind, "sml");
			const probing = gateway.begin("POST", "meter/probe");
			await gateway.pass(4000);
			await probe(gateway, this, ANY);
			assert.equal(JSON.parse((await probing.reply()).text).unasked?.kind, "sml");
		}
		await gateway.write("meter/protocol", { protocol: "iec62056" });
		await gateway.connectMeter({ telegram: longest.telegram });
		await readMeter();
	});

	it("is small after the largest body", async function () {
		await postLargest();
		await probe(gateway, this, ANY);
	});

	it("is small after the largest signed settings file", async function () {
		assert.equal((await sendFile(gateway, signed(largestSettings(CERTIFICATE), 1))).status, 200);
		await probe(gateway, this, ANY);
		await gateway.write("mqtt", { enabled: false, password: "" });
	});

	it("is small with half a body received", async function () {
		const [host, port] = gateway.authority(false).split(":");
		const headers = {
			Authorization: `Bearer ${gateway.token}`,
			"Content-Type": "application/json",
			"Content-Length": BODY_SIZE,
		};
		const half = request({ host, port, method: "POST", path: "/api/v1/iec62056/control", headers, agent: false });
		half.on("error", () => {});
		half.write(largestBody().subarray(0, BODY_SIZE / 2));
		await gateway.pass(300);
		await probe(gateway, this, ANY);
		half.destroy();
	});

	it("is small after 100 requests", async function () {
		for (let i = 0; i < 100; i++) await gateway.read("meter/protocol");
		await probe(gateway, this, ANY);
	});

	it(`does not grow during ${REQUESTS} requests and ${READOUTS} readouts of the longest capture`, async function () {
		// Memory is measured only while no connection is open, here and at the end.
		await gateway.pass(REST_MS);
		const before = await probe(gateway, this, ANY);
		for (let i = 0; i < REQUESTS; i++) {
			if (i % 10 === 0) await postLargest();
			else if (i % 10 === 5) await gateway.read("iec62056/last");
			else if (i % 10 === 7) {
				// Each body has a new name: an engine that kept all names would fill up.
				await gateway.write("iec62056/control", { [`name${i}`]: i });
			} else await gateway.read("meter/protocol");
		}
		for (let i = 1; i <= READOUTS; i++) {
			await readMeter();
			if (i % 20 === 0) console.log(`      ${i} of ${READOUTS} readouts`);
		}
		await gateway.pass(REST_MS);
		let after = await probe(gateway, this, ANY);
		// On a busy computer the last connection may close late; a real leak stays.
		for (let i = 0; i < RESTS && after.slots - before.slots > GROWTH.slots; i++) {
			await gateway.pass(REST_MS);
			after = await probe(gateway, this, ANY);
		}
		const slots = after.slots - before.slots;
		const chunks = after.chunks - before.chunks;
		assert.ok(slots <= GROWTH.slots, `${slots} slots more`);
		assert.ok(chunks <= GROWTH.chunks, `${chunks} bytes of chunks more`);
	});
});
