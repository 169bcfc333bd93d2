/**
 * Free memory in the states for which a minimum is required, and 500 telegrams of a P1 port during an upload and with
 * two browsers. Each state begins with a power-on, which resets the minimums of heap and stacks.
 */
import assert from "node:assert/strict";
import { Agent, request } from "node:https";
import { setTimeout as sleep } from "node:timers/promises";
import { until } from "../system/zigbee-network.js";
import type { EmulatedBoard, MemoryRow } from "./board.js";
import { NO_LISTENING, P1, readMeter } from "./readouts.js";
import { OutsideServers } from "./servers.js";
import { firmwareFile } from "./updates.js";

const KB = 1024;
const REST_FLOOR = 60 * KB;
const DOWNLOADS_FLOOR = 40 * KB;
const WORST_FLOOR = 20 * KB;
/** Longer than the gateway keeps an idle connection, so that both rows have only the connection that reads them. */
const REST_MS = 40_000;
/** On a busy computer, a handshake in the emulator takes many seconds. */
const PUBLISHED_LIMIT_MS = 300_000;
const DOWNLOADS = 5;
const TELEGRAMS = Number(process.env["TELEGRAMS"] ?? 500);
const PAUSE_MS = 500;
/** Silence that proves that all telegrams have arrived, ms. */
const DRAINED_MS = 10_000;
/** Share of the file that is sent before an upload is cancelled. */
const UPLOADED = 0.7;
/** Length of a piece (hosts/browser/kit/upload.ts). */
const PIECE = 4000;
const PIECE_PAUSE_MS = 20;
const LOST = "no reply";
/** Number of attempts to continue, and pause before each; the page has the same values. */
const ATTEMPTS = 5;
const LOST_PAUSE_MS = 1000;
const REFUSED_FOR_NOW = '503 {"error":"busy","message":"There is no memory for it now: try again in a moment."}';
const BROWSERS = 2;
/** Requests of the open page. */
const ASKED = ["system/status", "iec62056/last", "network/status", "meter/history?period=hours"];

/** A browser that repeatedly loads the page. */
class Browser {
	pages = 0;
	/** Number of requests without a good reply: the gateway accepts three connections and refuses others. */
	refused = 0;
	readonly #emulated: EmulatedBoard;

	constructor(emulated: EmulatedBoard) {
		this.#emulated = emulated;
	}

	/** Loads the page with all its files, then the data. */
	async load(): Promise<void> {
		const visitor = this.#emulated.newVisitor();
		const take = async (path: string, token = "") => {
			const reply = await visitor.send("GET", path, undefined, token).catch(() => undefined);
			if (reply?.status === 200) return reply.text;
			this.refused++;
			return undefined;
		};
		const html = await take("/");
		if (html === undefined) return;
		// The document's own script names them.
		const names = [...html.matchAll(/["'`](\/assets\/(?:[\w-]+\.js|en-\w+\.txt))["'`]/g)].map(([, name]) => name!);
		assert.ok(names.length > 0, "the page names no files");
		const parts = await Promise.all(names.map((name) => take(name)));
		for (const path of ASKED) await take(`/api/v1/${path}`, this.#emulated.client.token);
		if (parts.every((part) => part !== undefined)) this.pages++;
	}
}

/**
 * An upload in pieces, as the page sends it, which is cancelled before its end and begun again, until `end`.
 */
class RepeatedUpload {
	readonly #emulated: EmulatedBoard;
	readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });
	readonly #file: Buffer;
	readonly #sending: Promise<void>;
	#isOver = false;
	cancelled = 0;
	/** Number of accepted pieces, of first pieces refused for lack of memory, and of pieces without a reply. */
	readonly pieces = { accepted: 0, refused: 0, lost: 0 };
	failure: string | undefined;

	constructor(emulated: EmulatedBoard) {
		this.#emulated = emulated;
		this.#file = firmwareFile(emulated);
		this.#sending = this.send().catch((error) => {
			this.failure = String(error);
		});
	}

	async end(): Promise<void> {
		this.#isOver = true;
		await this.#sending;
		this.#agent.destroy();
	}

	private async send(): Promise<void> {
		let lost = 0;
		for (let offset = 0; !this.#isOver; await sleep(PIECE_PAUSE_MS)) {
			if (offset >= UPLOADED * this.#file.length) {
				const reply = await this.#emulated.client.send("DELETE", "/api/v1/system/ota").catch(() => undefined);
				if (reply !== undefined && reply.status < 300) {
					this.cancelled++;
					offset = 0;
				}
				continue;
			}
			const reply = await this.sendPiece(offset).catch(() => LOST);
			// The gateway may have closed the idle connection for another client. The page continues in the same way.
			if (reply === LOST && ++lost <= ATTEMPTS) {
				this.pieces.lost++;
				offset = await this.received();
				continue;
			}
			lost = 0;
			// While memory is short, the first piece is refused; the page tells the user to try again.
			if (reply === REFUSED_FOR_NOW && offset === 0) {
				this.pieces.refused++;
				await sleep(PAUSE_MS);
			} else if (reply !== "200 ") throw new Error(`the piece at ${offset} was answered with ${reply}`);
			else {
				this.pieces.accepted++;
				offset += PIECE;
			}
		}
	}

	/** Bytes that the gateway has; asks again while it can't be reached. */
	private async received(): Promise<number> {
		for (;;) {
			await sleep(LOST_PAUSE_MS);
			const status = await this.#emulated.client.get("system/status").catch(() => undefined);
			if (status !== undefined) return Number(status["ota_received"]);
			if (this.#isOver) throw new Error("the gateway can't be reached after a piece without a reply");
		}
	}

	private sendPiece(offset: number): Promise<string> {
		const body = this.#file.subarray(offset, offset + PIECE);
		const headers = { Authorization: `Bearer ${this.#emulated.client.token}`, "Content-Length": body.length };
		return new Promise((resolve, reject) => {
			const path = `/api/v1/system/ota?offset=${offset}&total=${this.#file.length}`;
			const target = { host: "127.0.0.1", port: this.#emulated.httpsPort, path, method: "POST" };
			const sending = request({ ...target, rejectUnauthorized: false, agent: this.#agent, headers });
			sending.on("error", reject).on("response", (reply) => {
				let text = "";
				reply.setEncoding("utf8").on("data", (piece: string) => {
					text += piece;
				});
				reply.on("error", reject).on("end", () => resolve(`${reply.statusCode} ${text}`));
			});
			sending.end(body);
		});
	}
}

function isAtLeast({ what, free, least }: MemoryRow, floor: number): void {
	assert.ok(least >= floor, `${what}: ${free} bytes are free, the minimum was ${least}; the floor is ${floor}`);
}

export function load(emulated: EmulatedBoard): void {
	let servers: OutsideServers;
	before(async () => {
		servers = await OutsideServers.start();
	});
	after(() => servers?.end());

	async function powerCycle(): Promise<void> {
		await emulated.cutPower();
		await emulated.powerOn();
	}

	it("has enough free memory at rest, before the meter's port is first opened and after", async function () {
		// Without a listening protocol, only a readout opens the port, which is then kept.
		for (const [path, body] of NO_LISTENING) await emulated.client.post(path, body);
		await powerCycle();
		await sleep(REST_MS);
		const before = await emulated.note("at rest, the meter's port not opened");
		await readMeter(emulated, P1);
		await sleep(REST_MS);
		const after = await emulated.note("at rest, the meter's port open");
		this.test!.title += `: ${before.free} bytes, then ${after.free}`;
		isAtLeast(after, REST_FLOOR);
	});

	it("has enough free memory during two downloads", async () => {
		await powerCycle();
		const browsers = Array.from({ length: BROWSERS }, () => new Browser(emulated));
		await Promise.all(
			browsers.map(async (browser) => {
				while (browser.pages < DOWNLOADS) await browser.load();
			}),
		);
		isAtLeast(await emulated.note("two downloads of the page"), DOWNLOADS_FLOOR);
	});

	it("sends over TLS to a broker and to a hub", async () => {
		await powerCycle();
		await readMeter(emulated, P1);
		const { certificate: cert } = servers;
		await emulated.client.post("hub", { enabled: true, url: servers.hubURL, token: servers.hub.token, cert });
		const sent = await emulated.client.get("hub/send");
		assert.deepEqual([sent["retcode"], sent["http_status_code"]], [0, 201], JSON.stringify(sent));
		assert.ok(servers.hub.entities.size > 1);
		await emulated.client.post("mqtt", { enabled: true, url: servers.brokerURL, cert, pause_secs: 10 });
		// The state changes whenever the hub has its turn, so only the broker tells.
		const reading = () => servers.published.find((line) => /\/state \{.*1_0_1_7_0/.test(line));
		await until(reading, () => "a reading at the broker", PUBLISHED_LIMIT_MS);
		if (emulated.hasRadio) await emulated.reports();
		await emulated.note("P1, hub and MQTT by TLS");
	});

	it(`reads ${TELEGRAMS} telegrams of a P1 port without a gap during an upload, with hub, MQTT and two browsers`, async function () {
		await powerCycle();
		await readMeter(emulated, P1);
		const counts = async () => [
			emulated.meterLog.split(" push\n").length - 1,
			await emulated.metric("smartmeter_readouts_total"),
			await emulated.metric("smartmeter_readout_failures_total"),
		];
		const [sentBefore, readBefore, failedBefore] = await counts();
		const upload = new RepeatedUpload(emulated);
		const browsers = Array.from({ length: BROWSERS }, () => new Browser(emulated));
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
				assert.equal(upload.failure, undefined, emulated.emulator.tail());
				await sleep(PAUSE_MS);
				[sent, read, failed] = await counts();
				if (read < counted + TELEGRAMS / 10) continue;
				counted = read;
				console.log(
					`        ${counted - readBefore} of ${TELEGRAMS} telegrams, ${upload.pieces.accepted} pieces of uploads …`,
				);
			}
			await emulated.silenceMeter();
			// An emulator on a busy computer is slower than the meter, so the socket buffers characters.
			for (let before = -1; read !== before; [sent, read, failed] = await counts()) {
				before = read;
				await sleep(DRAINED_MS);
			}
			// Beside the browsers the gateway could refuse these requests. The minimum of the heap stays.
			isOver = true;
			await browsing;
			worst = await emulated.note("upload, P1, hub, MQTT and two browsers");
			for (const { name, labels, value } of await emulated.metrics())
				if (name === "smartmeter_readout_failures_total") failures += `${labels["code"]}: ${value} failed readouts\n`;
			await upload.end();
			assert.equal(upload.failure, undefined, emulated.emulator.tail());
		} finally {
			isOver = true;
			await upload.end();
			await browsing;
		}
		const pages = browsers.map((browser) => `${browser.pages} pages (${browser.refused} requests refused)`);
		const { accepted, refused, lost } = upload.pieces;
		const uploaded = `${upload.cancelled} uploads and ${accepted} pieces (${refused} refused, ${lost} lost)`;
		this.test!.title += `: ${read - readBefore} read beside ${uploaded}, ${pages.join(", ")}`;
		assert.equal(failed, failedBefore, `${failures}\n${emulated.emulator.tail()}`);
		// One telegram may be in transit at the beginning and at the end.
		assert.ok(
			Math.abs(sent - sentBefore - (read - readBefore)) <= 1,
			`${sent - sentBefore} telegrams were sent, but another number was read`,
		);
		assert.ok(accepted > 0, "no piece of an upload was accepted");
		for (const { pages: count } of browsers) assert.ok(count > 0, "a browser loaded no page");
		isAtLeast(worst, WORST_FLOOR);
	});
}
