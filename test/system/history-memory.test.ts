/** Slots of XS that the history takes: while idle, while it stores a reading, and while a client does not read it. */
import assert from "node:assert/strict";
import { VirtualFlash } from "../../hosts/node/virtual-flash.js";
import { Journal } from "../../modules/history/journal.js";
import { HISTORY_REPLY_COST } from "../../modules/parts/history/routes.js";
import { XSWorld } from "../../tools/benchmark/xs-world.js";
import { IECMeter } from "../../tools/meter/iec-meter.js";
import { splitTelegram } from "../../tools/meter/telegram.js";
import { Simulation } from "../history/simulation.js";
import { at } from "../history/unit.js";
import { iecVectors } from "../vectors.js";

/** Limit of slots while the history is idle. */
const AT_REST = 40;
const UTC_MS = Date.UTC(2026, 10, 20, 6);

const { telegram } = iecVectors().find(({ name }) => name === "landis-gyr-zmf100-m26-padded-left")!;

describe("The history's slots in XS", function () {
	this.timeout(60_000);
	let flash: VirtualFlash;
	let xs: XSWorld;

	before(async () => {
		// Simulates some months, with compacted sectors, until the next reading will take the second-to-last free
		// sector.
		const simulation = new Simulation({ seed: 1 }, at("2026-07-01"));
		simulation.run(at("2026-10-20"));
		for (;;) {
			const journal = new Journal(simulation.unit.partition);
			if (journal.isFull && journal.sectors.free === 2) break;
			simulation.run(simulation.timeS + 900);
		}
		assert.ok(simulation.timeS < at("2026-11-20"));
		flash = simulation.unit.flash;
	});
	afterEach(() => xs.stop());

	async function start(withFlash: VirtualFlash): Promise<void> {
		const bytes = withFlash.open("history")?.bytes;
		const copy = bytes === undefined ? withFlash : new VirtualFlash();
		if (bytes !== undefined) copy.open("history")!.bytes.set(bytes);
		xs = await XSWorld.start({ flash: copy, utcMs: UTC_MS });
		xs.world.serial.meter.connect(new IECMeter({ source: () => splitTelegram(telegram) }));
		xs.world.advance(61_000);
		await xs.advance(1);
		await xs.login();
	}

	/** Counts slots with a stored readout, after all connections have closed and all timers have expired. */
	async function countAfterReadout(): Promise<number> {
		assert.equal((await xs.request("iec62056/read")).status, 200);
		await xs.advance(31_000);
		return xs.slots();
	}

	it("are few at rest, and as many after each reading and each reply", async function () {
		await start(new VirtualFlash(1, { log: 0x2000 }));
		const without = await countAfterReadout();
		await xs.stop();
		await start(flash);
		const first = await countAfterReadout();
		this.test!.title += ` (${first - without})`;
		assert.ok(first - without <= AT_REST);
		for (let i = 0; i < 3; i++) {
			await xs.advance(900_000);
			await xs.login();
			assert.equal((await xs.request("meter/history?period=days")).status, 200);
			await countAfterReadout();
		}
		assert.ok(Math.abs((await xs.slots()) - first) <= 2, `${await xs.slots()} after ${first}`);
	});

	it("are few while a client does not read its reply", async function () {
		await start(flash);
		await xs.request("meter/history");
		const before = await xs.slots();
		const client = xs.world.connect();
		await xs.advance(100);
		const connected = await xs.slots();
		client.paused = true;
		xs.send(client, "meter/history?period=days");
		await xs.advance(500);
		const slots = (await xs.slots()) - connected;
		this.test!.title += ` (${slots}, and ${connected - before} for the connection)`;
		assert.ok(slots <= HISTORY_REPLY_COST.slots);
	});

	it("suffice for a reading that needs another sector, and for the compaction after it", async function () {
		await start(flash);
		const days = async () => (await xs.request("meter/history?period=days")).json().periods;
		const before = await days();
		const { operations } = xs.world.flash;
		const slots = await countAfterReadout();
		const written = xs.world.flash.operations - operations;
		this.test!.title += ` (${written} writes and erases)`;
		assert.ok(written > 50, `${written}: nothing was compacted`);
		assert.deepEqual(xs.world.flash.mistakes, []);
		assert.deepEqual((await days()).slice(0, before.length - 1), before.slice(0, -1));
		await xs.advance(31_000);
		assert.ok(Math.abs((await xs.slots()) - slots) <= 2);
	});
});
