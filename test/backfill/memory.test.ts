/** Memory of filling the history in XS: nothing grows with the number of pieces. */
import assert from "node:assert/strict";
import { XSWorld } from "../../tools/benchmark/xs-world.js";
import { DLMSMeter } from "../../tools/meter/dlms-meter.js";
import { parseDLMSOptions } from "../../tools/meter/dlms-options.js";
import { steadyReading } from "../../tools/meter/steady-household.js";
import { MINUTE_MS, YEAR_ROWS } from "./bed.js";

/** Permitted slots of the part while it waits, with peaks and statistics too, and growth over most of a year. */
const REST_SLOTS = 40;
const ALL_REST_SLOTS = 60;
const GROWTH_SLOTS = 10;

const HUB = { enabled: true, url: "http://192.0.2.7:8123", token: "token", lang: "en" };

describe("Memory of filling the history in XS", function () {
	this.timeout(300_000);
	let xs: XSWorld;

	before(async () => {
		xs = await XSWorld.start({ pieceMs: 200 });
		const { baud, signOn: _, atMs: __, reactionMs = 20, ...rest } = parseDLMSOptions([])!;
		const utcMs = () => xs.world.time.utcMs() ?? 0;
		const household = { reading: () => steadyReading(utcMs()) };
		const server = { ...rest.server, stored: { rows: YEAR_ROWS }, household };
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

	/** Advances to the next pause between two pieces; returns the status then. */
	async function pause() {
		let now = await status();
		while (now.state !== "reading") {
			await xs.advance(500);
			now = await status();
		}
		while (now.state === "reading") {
			await xs.advance(500);
			now = await status();
		}
		return now;
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

	it("takes few slots at rest, and not more after nearly a year of quarter hours", async function () {
		await xs.advance(40 * MINUTE_MS);
		await status();
		const off = await xs.slots();
		await set("meter/backfill", { enabled: true });
		await status();
		const rest = await xs.slots();
		await xs.advance(17 * MINUTE_MS);
		const first = await pause();
		const few = await xs.slots();
		await xs.advance(52 * MINUTE_MS);
		const second = await pause();
		const many = await xs.slots();
		this.test!.title +=
			` (${rest - off} slots at rest; ${few - off}, then ${many - off}; ${first.days_done}, then ${second.days_done} days)`;
		assert.ok(second.state !== "ended" && second.days_done > 320, JSON.stringify(second));
		assert.ok(rest - off <= REST_SLOTS, `${rest - off} slots`);
		assert.ok(many - few <= GROWTH_SLOTS, `${many - few} slots more`);
	});
});
