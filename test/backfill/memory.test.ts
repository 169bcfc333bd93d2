/**
 * Memory of filling the history in XS: nothing grows with the number of pieces. The meter's profile has hours, so that
 * 92 pieces are a year.
 */
import assert from "node:assert/strict";
import { XSWorld } from "../../tools/benchmark/xs-world.js";
import { DLMSMeter } from "../../tools/meter/dlms-meter.js";
import { parseDLMSOptions } from "../../tools/meter/dlms-options.js";
import { steadyReading } from "../../tools/meter/steady-household.js";
import { MINUTE_MS } from "./bed.js";

const YEAR_HOURS = 8760;
/** Interval of measurements in a pause, ms. */
const LOOK_MS = 500;
/**
 * Permitted slots of the part while it waits, with peaks and statistics too, and growth in any pause of the year over the
 * first one after a piece.
 */
const REST_SLOTS = 30;
const ALL_REST_SLOTS = 60;
const GROWTH_SLOTS = 2;
/**
 * Slots that the history holds between two steps of a compaction: a cursor, a writer, an entry and the records of the
 * sectors. The next piece waits until the compaction has ended.
 */
const COMPACTION_SLOTS = 100;

const HUB = { enabled: true, url: "http://192.0.2.7:8123", token: "token", lang: "en" };

describe("Memory of filling the history in XS", function () {
	this.timeout(300_000);
	let xs: XSWorld;

	before(async () => {
		xs = await XSWorld.start({ pieceMs: 200 });
		const { baud, signOn: _, atMs: __, reactionMs = 20, ...rest } = parseDLMSOptions([])!;
		const utcMs = () => xs.world.time.utcMs() ?? 0;
		const household = { reading: () => steadyReading(utcMs()) };
		const server = { ...rest.server, stored: { rows: YEAR_HOURS, periodS: 3600 }, household };
		xs.world.serial.meter.connect(new DLMSMeter({ ...rest, baud, reactionMs, clocked: true, server }));
		await xs.advance(61_000);
		await set("meter/protocol", { protocol: "dlms" });
		await set("dlms/config", { server_physical: 17, opening: "direct" });
		await set("iec62056/schedule", { enabled: true, period_unit: "minutes", period_value: 15 });
	});
	after(() => xs.stop());

	async function set(path: string, body: object): Promise<void> {
		await xs.login();
		const reply = await xs.request(path, { method: "POST", body });
		assert.equal(reply.status, 200, reply.text);
	}

	async function status() {
		await xs.login();
		return (await xs.request("meter/backfill/status")).json();
	}

	/**
	 * Advances to the end of the next pause between two sessions. Returns the fewest slots in it, and the most beyond
	 * them.
	 */
	async function pause(): Promise<{ fewest: number; more: number }> {
		const { meter } = xs.world.serial;
		while (!meter.isOpen) await xs.advance(LOOK_MS);
		while (meter.isOpen) await xs.advance(LOOK_MS);
		let fewest = Number.POSITIVE_INFINITY;
		let most = 0;
		for (; !meter.isOpen; await xs.advance(LOOK_MS)) {
			const slots = await xs.slots();
			fewest = Math.min(fewest, slots);
			most = Math.max(most, slots);
		}
		return { fewest, more: most - fewest };
	}

	it("takes few slots at rest together with peaks and statistics", async function () {
		const rest = async (isOn: boolean) => {
			await set("hub", { ...HUB, statistics: isOn });
			await set("peaks", { interval_mins: isOn ? 15 : 0 });
			await set("meter/backfill", { enabled: isOn });
			await status();
			return xs.slots();
		};
		await rest(false);
		const off = await rest(false);
		const all = (await rest(true)) - off;
		this.test!.title += ` (${all} slots)`;
		assert.ok(all <= ALL_REST_SLOTS, `${all} slots`);
		await rest(false);
		await set("hub", { enabled: false });
	});

	it("takes few slots at rest, and not more in any pause of nearly a year", async function () {
		await xs.advance(40 * MINUTE_MS);
		await status();
		const off = await xs.slots();
		await set("meter/backfill", { enabled: true });
		let now = await status();
		const rest = (await xs.slots()) - off;
		let first = 0;
		let most = 0;
		let compaction = 0;
		let pauses = 0;
		for (; now.state !== "ended" && now.days_done <= 320; now = await status()) {
			const { fewest, more } = await pause();
			if (now.days_done === 0) continue;
			first ||= fewest - off;
			most = Math.max(most, fewest - off);
			compaction = Math.max(compaction, more);
			pauses++;
		}
		this.test!.title +=
			` (${rest} slots at rest; ${first}, later at most ${most} in ${pauses} pauses; ${compaction} more for compaction)`;
		assert.ok(now.state !== "ended" && pauses > 75, `${pauses} pauses, ${JSON.stringify(now)}`);
		assert.ok(rest <= REST_SLOTS && most <= REST_SLOTS, `${rest} slots, then ${most}`);
		assert.ok(most - first <= GROWTH_SLOTS, `${most - first} slots more`);
		assert.ok(compaction > 0 && compaction <= COMPACTION_SLOTS, `${compaction} slots more`);
	});
});
