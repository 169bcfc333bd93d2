/**
 * Memory of the firmware while it fills its history from the meter and sends statistics to a hub, in XS on Linux with
 * the device's memory: at rest; over many pieces compared with the first hundred rows; and beside the heaviest requests
 * and all outputs. The meter uses keys, and keeps a year of quarter hours.
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { SeededRandom } from "../../hosts/node/random.js";
import { publicKeyOf } from "../../tools/ota/keys.js";
import type { JSONObject } from "../api/gateway.js";
import { type Memory, ProcessGateway, RESTARTED } from "../api/process-gateway.js";
import { publicKeyFile } from "../api/report-key.js";
import { SIGNER } from "../update/firmware-files.js";
import { ownerOperations } from "./load-operations.js";
import { LoadPeers } from "./load-peers.js";
import { ANY, DLMS, higher, STACK_RESERVE } from "./memory-limits.js";

const YEAR_ROWS = 35_040;
/** Pause of the meter before each of its frames, ms: a piece then takes some seconds, in which memory is measured. */
const REACTION_MS = 25;
/** Slots that backfill, statistics and peaks take together while they wait. */
const REST_SLOTS = 60;
/** Pieces after the first one, and permitted growth over them: at rest, and in the highest use during a piece. */
const PIECES = 40;
const GROWTH = { slots: 16, chunks: 768 };
const PEAK_GROWTH = { slots: 40, chunks: 4096 };
/** Permitted growth after all the load. */
const END_GROWTH = { slots: 32, chunks: 1024 };
const QUARTER_S = 900;
const LIMIT_MS = 300_000;
/** Interval of measurements, and number of them for a value at rest. */
const LOOK_MS = 100;
const LOOKS = 20;
const NOTHING: Memory = { slots: 0, chunks: 0, stack: 0, stackLimit: 0 };

/** Requests that take the most memory; each runs with each other one during a piece. */
const HEAVY = [
	"last",
	"months",
	"hours as CSV",
	"hub",
	"MQTT",
	"objects",
	"map",
	"certificate, refused",
	"upload",
	"report",
	"events",
	"page",
];

describe("Memory of filling the history on Linux", function () {
	this.timeout(1_200_000);
	const random = new SeededRandom(34);
	let gateway: ProcessGateway;
	let peers: LoadPeers;
	let folder = "";
	/** Memory at rest with everything off. */
	let off = NOTHING;

	before(async () => {
		peers = await LoadPeers.start(random);
		// If the hub caused errors, statistics would rarely be sent.
		peers.isCalm = true;
		folder = mkdtempSync(join(tmpdir(), "backfill-"));
		const updateKey = join(folder, "update.pem");
		writeFileSync(updateKey, publicKeyOf(SIGNER.point).export({ type: "spki", format: "pem" }));
		const args = ["--update-key", updateKey, "--report-key", publicKeyFile(folder)];
		gateway = await ProcessGateway.loggedIn("linux", { args });
		const meter = `--protocol dlms --mode-e --quiet --counter-rows ${YEAR_ROWS} --reaction ${REACTION_MS}`;
		await gateway.connectProgram(meter.split(" "));
		await gateway.write("meter/protocol", { protocol: "dlms" });
		await gateway.write("dlms/config", DLMS);
		await gateway.write("iec62056/schedule", { enabled: false, period_unit: "minutes", period_value: 15 });
		await gateway.write("hub", { ...peers.hubSettings, statistics: false });
	});
	after(async () => {
		await gateway?.stop();
		peers?.stop();
		rmSync(folder, { recursive: true, force: true });
	});

	const status = () => gateway.read("meter/backfill/status");
	/** Waits until `isTrue`, and returns the highest use of memory meanwhile. */
	async function until(isTrue: (status: JSONObject) => boolean): Promise<Memory> {
		const endMs = Date.now() + LIMIT_MS;
		for (let highest = NOTHING; ; highest = higher(highest, await gateway.memory())) {
			const now = await status();
			if (isTrue(now)) return highest;
			assert.ok(Date.now() < endMs, `${JSON.stringify(now)}\n${gateway.diagnosis}`);
			await sleep(LOOK_MS);
		}
	}
	/** Lowest use of memory over two seconds, for connections come and go. */
	async function rest(): Promise<Memory> {
		let lowest = await gateway.memory();
		for (let i = 0; i < LOOKS; i++) {
			await sleep(LOOK_MS);
			const { slots, chunks, stack, stackLimit } = await gateway.memory();
			lowest = { slots: Math.min(slots, lowest.slots), chunks: Math.min(chunks, lowest.chunks), stack, stackLimit };
		}
		return lowest;
	}
	/** Reads the meter `quarters` before now, because the history keeps one reading for each quarter of an hour. */
	async function readAt(quarters: number): Promise<void> {
		await gateway.write("system/clock", { timestamp: Math.floor(Date.now() / 1000) - quarters * QUARTER_S });
		await gateway.read("iec62056/read");
	}
	async function turn(isOn: boolean): Promise<void> {
		await gateway.write("hub", { ...peers.hubSettings, statistics: isOn });
		await gateway.write("peaks", { interval_mins: isOn ? 15 : 0 });
		await gateway.write("meter/backfill", { enabled: isOn });
	}
	/** Waits until the hub has got the states, and with `statistics` "ok" hours of the history too. */
	async function served(statistics?: "ok"): Promise<void> {
		const endMs = Date.now() + LIMIT_MS;
		for (;;) {
			const { hub_state, hub_statistics } = await gateway.read("system/status");
			if (hub_state === "ok" && (statistics === undefined || hub_statistics === statistics)) return;
			assert.ok(Date.now() < endMs, `hub ${hub_state}, statistics ${hub_statistics}`);
			await sleep(500);
		}
	}
	const within = (context: Mocha.Context, { slots, chunks, stack, stackLimit }: Memory) => {
		context.test!.title += ` (${slots} slots, ${chunks} bytes, stack ${stack} of ${stackLimit})`;
		assert.ok(slots <= ANY.slots && chunks <= ANY.chunks, `${slots} slots, ${chunks} bytes`);
		assert.ok(stack <= stackLimit - STACK_RESERVE, `${stack} slots of stack, of ${stackLimit}`);
	};
	const isWithin = (before: Memory, after: Memory, growth: typeof GROWTH) => {
		const slots = after.slots - before.slots;
		const chunks = after.chunks - before.chunks;
		assert.ok(slots <= growth.slots && chunks <= growth.chunks, `${slots} slots and ${chunks} bytes more`);
	};

	it("is small at rest with statistics and peaks on, while the backfill waits for the history", async function () {
		await turn(false);
		await readAt(2);
		await served();
		off = await rest();
		await turn(true);
		// The end of the gap is in the newest sector of flash until the next quarter of an hour.
		await sleep(6000);
		await served();
		assert.equal((await status()).state, "waiting");
		const { slots } = await rest();
		this.test!.title += ` (${off.slots} slots without, ${slots - off.slots} more with them)`;
		assert.ok(slots - off.slots <= REST_SLOTS, `${slots - off.slots} slots`);
	});

	it(`is as small after ${PIECES} more pieces as after the first hundred rows`, async function () {
		await readAt(1);
		await readAt(0);
		await turn(false);
		await gateway.write("hub", { enabled: false });
		await gateway.write("meter/backfill", { enabled: true });
		const peakOfFirst = await until(({ rows }) => rows > 0);
		const { rows, days_done } = await status();
		assert.ok(rows <= 100, `${rows} rows`);
		const first = await rest();
		const peak = await until((now) => now.days_done >= days_done + PIECES);
		await until(({ state }) => state === "waiting");
		const last = await rest();
		const told = [first, last, peakOfFirst, peak].map(({ slots, chunks }) => `${slots} slots, ${chunks} bytes`);
		this.test!.title += ` (${told[0]}, then ${told[1]}; at most ${told[2]}, then ${told[3]})`;
		isWithin(first, last, GROWTH);
		isWithin(peakOfFirst, peak, PEAK_GROWTH);
		within(this, peak);
	});

	it("is small beside the heaviest requests and all outputs, which do not restart the firmware", async function () {
		const { days_done } = await status();
		const backup = (await gateway.get("system/backup")).text;
		const operations = ownerOperations({ gateway, random, peers, backup, isAccessPoint: false });
		await gateway.write("mqtt", peers.mqttSettings);
		await gateway.write("peaks", { interval_mins: 15 });
		await gateway.write("hub", peers.hubSettings);
		const statuses = new Map<number, number>();
		let highest = NOTHING;
		for (const [index, one] of HEAVY.entries()) {
			for (const other of HEAVY.slice(index)) {
				highest = higher(highest, await until(({ state }) => state === "reading"));
				const running = [operations[one](), operations[other]()];
				await sleep(random.below(LOOK_MS));
				highest = higher(highest, await gateway.memory());
				for (const code of await Promise.all(running)) statuses.set(code, (statuses.get(code) ?? 0) + 1);
				assert.doesNotMatch(gateway.diagnosis, RESTARTED, `restarted by ${one} and ${other}`);
			}
			console.log(`      ${index + 1} of ${HEAVY.length}`);
		}
		// A run that failed for lack of memory is repeated after ten minutes, or for new settings.
		await gateway.write("hub", peers.hubSettings);
		await served("ok");
		const now = await status();
		const { imports } = peers.statistics;
		this.test!.title +=
			` (${now.days_done - days_done} days, ${imports.length} imports, ${peers.messages} messages,` +
			` replies ${JSON.stringify(Object.fromEntries(statuses))})`;
		within(this, highest);
		assert.ok(now.days_done > days_done && now.rows > 0 && imports.length > 0 && peers.messages > 0);
	});

	it("is back at rest once all is off", async function () {
		await gateway.write("mqtt", { enabled: false });
		await turn(false);
		await served();
		const endMs = Date.now() + LIMIT_MS;
		let last = await rest();
		// Abandoned connections close after their time-out.
		while (last.slots > off.slots + END_GROWTH.slots && Date.now() < endMs) last = await rest();
		this.test!.title += ` (${off.slots} slots, ${off.chunks} bytes, then ${last.slots}, ${last.chunks})`;
		isWithin(off, last, END_GROWTH);
	});
});
