/** Filling the history from the meter's load profile on the page: progress, reasons of the end, and a year of bars. */
import assert from "node:assert/strict";
import type { ProcessGateway } from "../api/process-gateway.js";
import { BackfillBed, DAY_MS } from "../backfill/bed.js";
import { violationsOf } from "./axe.js";
import { PHONE, say, startGateway, usePage, Visit } from "./browser.js";
import { giveHistory } from "./household.js";

const START_MS = Date.parse("2026-11-20T06:00:00Z");
const ROWS = 400;
/** Reply while the gateway reads. */
const READING = {
	state: "reading",
	ended: "",
	last_error: "",
	rows: 4032,
	days_total: 365,
	days_done: 42,
	minutes_left: 28,
};
const OFF = { ...READING, state: "ended", minutes_left: 0 };

/** Reads days of a year from a meter; returns the gateway's history, and the time. */
async function fillYear() {
	const bed = await BackfillBed.start({
		startMs: START_MS,
		protocol: "dlms",
		stored: { rows: ROWS, periodS: DAY_MS / 1000 },
	});
	await bed.begin();
	assert.equal((await bed.end()).ended, "complete");
	const months = await bed.history("months");
	const partition = bed.gateway.world.flash.open("history") ?? assert.fail("there is no history");
	await bed.gateway.stop();
	return { months, partition, nowMs: bed.nowMs };
}

describe("Filling of the history on the page", function () {
	this.timeout(120_000);
	usePage();
	let gateway: ProcessGateway;
	let visit: Visit;
	let months: Awaited<ReturnType<typeof fillYear>>["months"];
	/** Members that replace those of the gateway's status. */
	let status: object = { minutes_left: 68 };

	before(async () => {
		const year = await fillYear();
		months = year.months;
		gateway = await startGateway({ args: ["--time", new Date(year.nowMs).toISOString()] });
		await giveHistory(gateway, year);
		visit = await Visit.begin(gateway, { hurried: true, width: PHONE });
		await visit.page.route("**/meter/backfill/status", async (route) => {
			const response = await route.fetch();
			await route.fulfill({ response, json: { ...(await response.json()), ...status } });
		});
		await visit.logIn();
		await visit.go("use");
	});

	const card = () => visit.card("fill.start");
	const press = async () => {
		const replied = visit.page.waitForResponse((one) => one.request().method() === "POST");
		await card().locator("[name=fill]").click();
		await replied;
		await visit.settled();
		await gateway.login();
		return (await gateway.read("meter/backfill")).enabled;
	};

	it("says beforehand how far the history goes back, starts, shows progress and the time left, and stops", async () => {
		for (const text of ["800", say("fill.takes", { n: 68 })])
			assert.ok((await card().innerText()).includes(text), text);
		assert.equal(await card().locator("progress").count(), 0);
		assert.equal(await press(), true);
		status = { ...READING, state: "waiting", days_done: 0 };
		await visit.hurry(card().getByText(say("fill.soon")));
		status = READING;
		await visit.hurry(card().getByText(`${say("fill.days", { n: 42, all: 365 })}; ${say("fill.left", { n: 28 })}`));
		const bar = card().locator("progress");
		assert.deepEqual([await bar.getAttribute("max"), await bar.getAttribute("value")], ["365", "42"]);
		assert.equal(await card().getByText(say("fill.soon")).count(), 0);
		assert.deepEqual(await violationsOf(visit), []);
		assert.deepEqual(await visit.overflow(), []);
		assert.equal(await press(), false);
	});

	it("says why it has ended, and starts again", async () => {
		for (const [ended, text] of [
			["complete", `${say("profile.rows")}: 4,032`],
			["meter_changed", `(${say("mark.meter_changed")})`],
			["no_counters", say("fill.no_counters")],
			["meter_clock", say("profile.clock")],
			["no_profile", say("fill.no_profile")],
		] as const) {
			status = { ...OFF, ended };
			await visit.hurry(card().getByText(text));
		}
		assert.equal(await press(), true);
		status = {};
	});

	it("is followed by a year of bars, marked as the meter's own", async () => {
		const { page } = visit;
		await visit.turn("year");
		const thisYear = months.filter(({ localtime }) => localtime.startsWith("2026"));
		assert.equal(thisYear.length, 11);
		assert.equal(await page.locator(".bars .up").count(), thisYear.length);
		const slider = page.getByRole("slider");
		await slider.focus();
		await page.keyboard.press("Home");
		for (const { import_wh, from_meter } of thisYear) {
			const text = (await slider.getAttribute("aria-valuetext")) ?? "";
			assert.ok(text.includes(`${(import_wh / 1000).toPrecision(3)}`), `${text}: not ${import_wh}`);
			assert.equal(from_meter, true);
			assert.ok(text.includes(say("mark.from_meter")), text);
			await page.keyboard.press("ArrowRight");
		}
	});
});
