/**
 * Free memory in the states with a floor, and 500 telegrams of a P1 port during an upload and with two browsers. Each
 * state begins with a power-on, which resets the minimums of heap and stacks.
 */
import assert from "node:assert/strict";
import type { ClientRequest } from "node:http";
import { request } from "node:https";
import { setTimeout as sleep } from "node:timers/promises";
import { omissionsOf } from "../../tools/sdk/omissions.js";
import type { EmulatedBoard, MemoryRow } from "./board.js";
import { P1, readMeter } from "./readouts.js";
import { OutsideServers } from "./servers.js";
import { firmwareFile } from "./updates.js";

const KB = 1024;
const REST_FLOOR = 60 * KB;
const DOWNLOADS_FLOOR = 40 * KB;
const WORST_FLOOR = 20 * KB;
const REST_MS = 20_000;
const DOWNLOADS = 5;
const TELEGRAMS = Number(process.env["TELEGRAMS"] ?? 500);
const PAUSE_MS = 500;
/** Silence after which all telegrams have arrived, ms. */
const DRAINED_MS = 10_000;
/** Part of an upload that is sent at once. */
const FIRST_PART = 0.01;
/** Part of an upload that is sent by the last telegram. */
const UPLOADED = 0.9;
/** Part that is sent at each wait for late telegrams, since an upload may pause for at most 30 s. */
const STILL_UPLOADED = 0.002;
const BROWSERS = 2;
/** Requests of the open page. */
const ASKED = ["system/status", "iec62056/last", "network/status", "meter/history?period=hours"];

/** A browser that repeatedly loads the page. */
class Browser {
	pages = 0;
	/** Number of requests without a good reply: the gateway accepts three connections and refuses others. */
	refused = 0;
	readonly #bench: EmulatedBoard;

	constructor(bench: EmulatedBoard) {
		this.#bench = bench;
	}

	/** Loads the page with all its files, then the data. */
	async load(): Promise<void> {
		const visitor = this.#bench.newVisitor();
		const take = async (path: string, token = "") => {
			const reply = await visitor.send("GET", path, undefined, token).catch(() => undefined);
			if (reply?.status === 200) return reply.text;
			this.refused++;
			return undefined;
		};
		const html = await take("/");
		if (html === undefined) return;
		const names = [...html.matchAll(/(?:src|href)="\.?\/?(assets\/[^"]+)"/g)].map(([, name]) => `/${name}`);
		assert.ok(names.length > 0, "the page names no files");
		const parts = await Promise.all(names.map((name) => take(name)));
		for (const path of ASKED) await take(`/api/v1/${path}`, this.#bench.client.token);
		if (parts.every((part) => part !== undefined)) this.pages++;
	}
}

/** An upload that advances on command. */
class SlowUpload {
	readonly #file: Buffer;
	readonly #sending: ClientRequest;
	#sent = 0;
	failure: string | undefined;

	constructor(bench: EmulatedBoard) {
		this.#file = firmwareFile(bench);
		const headers = { Authorization: `Bearer ${bench.client.token}`, "Content-Length": this.#file.length };
		this.#sending = request({
			...{ host: "127.0.0.1", port: bench.httpsPort, path: "/api/v1/system/ota", method: "POST" },
			...{ rejectUnauthorized: false, agent: false, headers },
		});
		this.#sending.on("response", (reply) => {
			this.failure = `it was answered with ${reply.statusCode}`;
		});
		this.#sending.on("error", ({ message }) => {
			this.failure = message;
		});
		// The gateway drops a silent connection for others, but not one with a body in progress.
		this.sendTo(FIRST_PART);
	}

	/** Sends the file up to this part, 0 to 1, but never the last byte. */
	sendTo(part: number): void {
		const end = Math.min(Math.floor(this.#file.length * part), this.#file.length - 1);
		if (end > this.#sent && !this.#sending.writableNeedDrain) {
			this.#sending.write(this.#file.subarray(this.#sent, end));
			this.#sent = end;
		}
	}

	end(): void {
		this.#sending.destroy();
	}
}

function isAtLeast({ what, free, least }: MemoryRow, floor: number): void {
	assert.ok(least >= floor, `${what}: ${free} bytes are free, the minimum was ${least}; the floor is ${floor}`);
}

export function load(bench: EmulatedBoard): void {
	let servers: OutsideServers;
	before(async () => {
		servers = await OutsideServers.start();
	});
	after(() => servers?.end());

	async function powerCycle(): Promise<void> {
		await bench.cutPower();
		await bench.powerOn();
	}

	it("has enough free memory at rest", async () => {
		await powerCycle();
		await sleep(REST_MS);
		isAtLeast(await bench.note("at rest"), REST_FLOOR);
	});

	it("has enough free memory during two downloads", async () => {
		await powerCycle();
		const browsers = Array.from({ length: BROWSERS }, () => new Browser(bench));
		await Promise.all(
			browsers.map(async (browser) => {
				while (browser.pages < DOWNLOADS) await browser.load();
			}),
		);
		isAtLeast(await bench.note("two downloads of the page"), DOWNLOADS_FLOOR);
	});

	it("sends to a hub, if the board's firmware can, and to a broker, by TLS", async () => {
		await powerCycle();
		await readMeter(bench, P1);
		const { certificate: cert } = servers;
		if (!omissionsOf(bench.board).includes("hub")) {
			await bench.client.post("hub", { enabled: true, url: servers.hubURL, token: servers.hub.token, cert });
			const sent = await bench.client.get("hub/send");
			assert.deepEqual([sent["retcode"], sent["http_status_code"]], [0, 201], JSON.stringify(sent));
			assert.ok(servers.hub.entities.size > 1);
		}
		await bench.client.post("mqtt", { enabled: true, url: servers.brokerURL, cert, pause_secs: 10 });
		await bench.until("system/status", ({ mqtt_state }) => mqtt_state === "ok");
		while (!servers.published.some((line) => /\/state \{.*1_0_1_7_0/.test(line))) await sleep(PAUSE_MS);
		await bench.note("P1, hub and MQTT by TLS");
	});

	it(`reads ${TELEGRAMS} telegrams of a P1 port without a gap during an upload, with hub, MQTT and two browsers`, async function () {
		await powerCycle();
		await readMeter(bench, P1);
		const counts = async () => [
			bench.meterLog.split(" push\n").length - 1,
			await bench.metric("smartmeter_readouts_total"),
			await bench.metric("smartmeter_readout_failures_total"),
		];
		const [sentBefore, readBefore, failedBefore] = await counts();
		const upload = new SlowUpload(bench);
		// Until its first record of 12 KB is read, other connections may displace it.
		await bench.until("system/status", ({ ota_state }) => ota_state === "receiving");
		const browsers = Array.from({ length: BROWSERS }, () => new Browser(bench));
		let isOver = false;
		const browsing = Promise.all(
			browsers.map(async (browser) => {
				for (; !isOver; await sleep(PAUSE_MS)) await browser.load();
			}),
		);
		let worst: MemoryRow;
		let [sent, read, failed] = [sentBefore, readBefore, failedBefore];
		let counted = readBefore;
		let failures = "";
		try {
			while (read < readBefore + TELEGRAMS) {
				upload.sendTo((UPLOADED * (read - readBefore)) / TELEGRAMS);
				assert.equal(upload.failure, undefined, bench.emulator.tail());
				await sleep(PAUSE_MS);
				[sent, read, failed] = await counts();
				if (read < counted + TELEGRAMS / 10) continue;
				counted = read;
				console.log(`        ${counted - readBefore} of ${TELEGRAMS} telegrams …`);
			}
			await bench.silenceMeter();
			// An emulator on a busy computer is slower than the meter, so the socket buffers characters.
			let sentPart = UPLOADED;
			for (let before = -1; read !== before; [sent, read, failed] = await counts()) {
				before = read;
				sentPart += STILL_UPLOADED;
				upload.sendTo(sentPart);
				await sleep(DRAINED_MS);
			}
			worst = await bench.note("upload, P1, hub, MQTT and two browsers");
			for (const { name, labels, value } of await bench.metrics())
				if (name === "smartmeter_readout_failures_total") failures += `${labels["code"]}: ${value} failed readouts\n`;
			const { ota_state, ota_last_error } = await bench.client.get("system/status");
			assert.deepEqual(
				[ota_state, ota_last_error, upload.failure],
				["receiving", "", undefined],
				bench.emulator.tail(),
			);
		} finally {
			isOver = true;
			upload.end();
			await browsing;
		}
		const pages = browsers.map((browser) => `${browser.pages} pages (${browser.refused} requests refused)`);
		this.test!.title += `: ${read - readBefore} read, ${pages.join(", ")}`;
		assert.equal(failed, failedBefore, `${failures}\n${bench.emulator.tail()}`);
		// One telegram may be in transit at the beginning and at the end.
		assert.ok(
			Math.abs(sent - sentBefore - (read - readBefore)) <= 1,
			`${sent - sentBefore} telegrams were sent, but another number was read`,
		);
		for (const { pages: count } of browsers) assert.ok(count > 0, "a browser loaded no page");
		isAtLeast(worst, WORST_FLOOR);
	});
}
