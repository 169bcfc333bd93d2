/**
 * Tests every pair and triple of the heaviest requests. The requests of a group run in parallel; some are slow or are
 * aborted. Meanwhile the gateway reads a DLMS meter again and again, with authentication and encryption.
 *
 * The firmware runs in XS on Linux with the device's memory. It may refuse requests with 503, but must never restart.
 */
import assert from "node:assert/strict";
import { type ClientRequest, request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { HUB_CERTIFICATE_LIMIT } from "../../modules/homeassistant/fields.js";
import { type Memory, ProcessGateway } from "../api/process-gateway.js";
import { iecVectors } from "../vectors.js";
import { longCertificate } from "./load-peers.js";
import { ANY, DLMS } from "./memory-limits.js";

const LONG_BODY = 16_384;
/** Delays between the starts of two requests, ms. With two values, the requests overlap in different stages. */
const OFFSETS_MS = [0, 20];
/** Delay between the two halves of a body, ms. */
const HALF_MS = 60;

/** Longest wait for a live reading, and time between two checks whether there is one, ms. */
const LIVE_LIMIT_MS = 20_000;
const LIVE_ASK_MS = 500;

const longest = iecVectors().reduce((a, b) => (a.telegram.length < b.telegram.length ? b : a));

describe("The heaviest operations side by side", function () {
	this.timeout(1_200_000);
	let gateway: ProcessGateway;
	let highest: Memory = { slots: 0, chunks: 0, stack: 0, stackLimit: 0 };

	before(async () => {
		gateway = await ProcessGateway.start("linux", { mode: "ap" });
		await gateway.login();
		await gateway.write("iec62056/control", { log_en: true });
		await gateway.connectMeter({ telegram: longest.telegram });
		// The stored readout and the log have their largest size.
		await gateway.read("iec62056/read");
		await gateway.connectProgram(["--protocol", "dlms", "--mode-e", "--quiet"]);
		await gateway.write("meter/protocol", { protocol: "dlms" });
		await gateway.write("dlms/config", DLMS);
	});
	after(() => gateway?.stop());

	const open = (method: string, path: string, body: string | undefined, token = gateway.token): ClientRequest => {
		const [host, port] = gateway.authority(false).split(":");
		const headers: Record<string, string> = { "Content-Type": "application/json" };
		if (token !== "") headers["Authorization"] = `Bearer ${token}`;
		if (body !== undefined) headers["Content-Length"] = String(Buffer.byteLength(body));
		const sent = request({ host, port, method, path: `/api/v1/${path}`, headers, agent: false });
		sent.on("error", () => {});
		return sent;
	};
	/**
	 * Resolves to the status of the reply; 0 if the connection closes without a reply. With `isSlow` the reply is not
	 * read, and the connection is closed after 400 ms.
	 */
	const statusOf = (sent: ClientRequest, isSlow = false): Promise<number> =>
		new Promise((resolve) => {
			sent.on("response", (response) => {
				if (isSlow) setTimeout(() => response.destroy(), 400);
				else response.resume();
				response.on("close", () => resolve(response.statusCode ?? 0));
			});
			sent.on("close", () => resolve(0));
		});
	const whole = (method: string, path: string, body?: string, token?: string) => {
		const sent = open(method, path, body, token);
		const status = statusOf(sent);
		sent.end(body);
		return status;
	};
	/** Sends half of the body. HALF_MS later it sends the other half or, if `isAborted`, closes the connection. */
	const inHalves = async (path: string, body: string, isAborted: boolean, token?: string) => {
		const sent = open("POST", path, body, token);
		const status = statusOf(sent);
		sent.write(body.slice(0, body.length >> 1));
		await sleep(HALF_MS);
		if (isAborted) sent.destroy();
		else sent.end(body.slice(body.length >> 1));
		return status;
	};

	const objects = JSON.stringify({
		entries: Array.from({ length: 32 }, (_, i) => ({ code: [1, 0, 1, 8, i, 255], class_id: 3, attribute: 2 })),
	}).padEnd(LONG_BODY);
	const map = JSON.stringify({
		mapping: Array.from({ length: 16 }, (_, i) => ({ obis: `1-0:1.8.${i}`, mode: 0, mapping_id: "07020000" })),
	}).padEnd(LONG_BODY);
	const hub = JSON.stringify({
		enabled: true,
		url: "https://hub.local",
		cert: longCertificate(HUB_CERTIFICATE_LIMIT),
	}).padEnd(LONG_BODY);
	const login = JSON.stringify({ username: "admin", nonce: "0".repeat(96), proof: "0".repeat(64) }).padEnd(512);

	const operations: Readonly<Record<string, () => Promise<number>>> = {
		"last readout, read slowly": () => {
			const sent = open("GET", "iec62056/last", undefined);
			const status = statusOf(sent, true);
			sent.end();
			return status;
		},
		history: () => whole("GET", "meter/history?period=months"),
		log: () => whole("GET", "iec62056/log"),
		hub: () => whole("POST", "hub", hub),
		"hub, in halves": () => inHalves("hub", hub, false),
		"object list": () => whole("POST", "dlms/obis", objects),
		"object list, aborted": () => inHalves("dlms/obis", objects, true),
		map: () => inHalves("zigbee/map", map, false),
		page: () => {
			const sent = open("GET", "../../", undefined, "");
			const status = statusOf(sent, true);
			sent.end();
			return status;
		},
		login: () => inHalves("system/login", login, false, ""),
		scan: () => whole("GET", "network/scan"),
		events: () => {
			const sent = open("GET", "events", undefined);
			const status = statusOf(sent, true);
			sent.end();
			return status;
		},
	};

	const names = Object.keys(operations);
	const groups: (readonly string[])[] = [];
	for (let a = 0; a < names.length; a++) {
		for (let b = a; b < names.length; b++) {
			groups.push([names[a], names[b]]);
			for (let c = b; c < names.length; c++) groups.push([names[a], names[b], names[c]]);
		}
	}

	const higher = (one: Memory, other: Memory): Memory => ({
		...other,
		slots: Math.max(one.slots, other.slots),
		chunks: Math.max(one.chunks, other.chunks),
	});
	/** Asserts that the memory in use is within the limits, and adds the figures to the test's title. */
	const within = (context: Mocha.Context, { slots, chunks, stack, stackLimit }: Memory) => {
		context.test!.title += ` (${slots} slots, ${chunks} bytes, stack ${stack} of ${stackLimit})`;
		assert.ok(slots <= ANY.slots, `${slots} slots, ${ANY.slots} are allowed`);
		assert.ok(chunks <= ANY.chunks, `${chunks} bytes of chunks, ${ANY.chunks} are allowed`);
	};

	/** Reads the meter again and again until `isOver`. Returns the number of successful readouts. */
	const readOn = async (isOver: () => boolean): Promise<number> => {
		let count = 0;
		while (!isOver()) {
			if ((await whole("GET", "iec62056/read")) === 200) count++;
			else await sleep(200);
		}
		return count;
	};

	it("leave enough memory for live mode, whose association with keys stays open", async function () {
		await gateway.write("dlms/config", { live_secs: 1 });
		const events = open("GET", "events", undefined);
		events.on("response", (response) => response.resume());
		events.end();
		/** Returns the time of the first live reading after `since`, Unix s. */
		const readAfter = async (since: number): Promise<number> => {
			for (let waitedMs = 0; waitedMs < LIVE_LIMIT_MS; waitedMs += LIVE_ASK_MS) {
				const { live_timestamp = 0 } = await gateway.read("iec62056/last");
				if (live_timestamp > since) return live_timestamp;
				await sleep(LIVE_ASK_MS);
			}
			const { meter_live } = await gateway.read("system/status");
			throw new Error(`live mode is ${meter_live}, and has read nothing\n${gateway.diagnosis}`);
		};
		assert.equal(await whole("GET", "iec62056/read"), 200);
		const since = await readAfter(0);
		let most: Memory = { slots: 0, chunks: 0, stack: 0, stackLimit: 0 };
		// The object list is left out: changing it would end the association.
		const beside = names.filter((name) => name !== "object list");
		for (let i = 0; i < beside.length; i += 2) {
			const running = beside.slice(i, i + 2).map((name) => operations[name]());
			await sleep(HALF_MS);
			most = higher(most, await gateway.memory());
			await Promise.all(running);
		}
		await readAfter(since);
		events.destroy();
		assert.doesNotMatch(gateway.diagnosis, /starts anew/);
		within(this, most);
		await gateway.write("dlms/config", { live_secs: 0 });
	});

	it(`do not restart the firmware, in ${groups.length} pairs and triples of ${names.length} operations`, async function () {
		const statuses = new Map<number, number>();
		let isOver = false;
		const reading = readOn(() => isOver);
		for (const [index, group] of groups.entries()) {
			{
				const offsetMs = OFFSETS_MS[index % OFFSETS_MS.length];
				const running: Promise<number>[] = [];
				for (const name of group) {
					running.push(operations[name]());
					await sleep(offsetMs);
				}
				await sleep(HALF_MS >> 1);
				const memory = await gateway.memory();
				highest = higher(highest, memory);
				for (const status of await Promise.all(running)) statuses.set(status, (statuses.get(status) ?? 0) + 1);
				assert.doesNotMatch(gateway.diagnosis, /starts anew/, `restarted by ${group.join(", ")}`);
			}
			if (index % 40 === 39) console.log(`      ${index + 1} of ${groups.length}`);
		}
		isOver = true;
		const readouts = await reading;
		this.test!.title += ` (replies ${JSON.stringify(Object.fromEntries(statuses))}; ${readouts} readouts)`;
		assert.ok(readouts > 0, "the meter could not be read");
		within(this, highest);
		// If memory were lost, these requests would fail.
		await sleep(3000);
		assert.equal(await whole("GET", "iec62056/read"), 200);
		assert.equal(await whole("POST", "dlms/obis", objects), 200);
	});
});
