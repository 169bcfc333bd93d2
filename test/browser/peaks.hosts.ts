/** The month's peak on the page: its settings, and its values on the overview. */
import assert from "node:assert/strict";
import type { ProcessGateway } from "../api/process-gateway.js";
import { violationsOf } from "./axe.js";
import { PHONE, say, startGateway, usePage, Visit } from "./browser.js";
import { giveHistory, NOW } from "./household.js";

const TELEGRAM = "/TST5METER\r\n\r\n1-0:1.8.0(000100.000*kWh)\r\n1-0:1.7.0(01.500*kW)\r\n!\r\n";

describe("The month's peak on the page", function () {
	this.timeout(120_000);
	usePage();
	let gateway: ProcessGateway;

	before(async () => {
		gateway = await startGateway({ args: ["--time", NOW] });
		await giveHistory(gateway);
	});

	it("is turned on by the kind of interval, after which the number of intervals can be chosen", async () => {
		const visit = await (await Visit.begin(gateway, { width: PHONE })).logIn();
		await visit.go("system");
		const card = visit.card("peaks.title");
		await card.locator("select[name=interval_mins]").waitFor();
		assert.equal(await card.locator("select[name=count]").count(), 0);
		await card.locator("select[name=interval_mins]").selectOption("15");
		await card.locator("select[name=count]").waitFor();
		assert.deepEqual(await violationsOf(visit), []);
		assert.deepEqual(await visit.overflow(), []);
		await visit.submit(card);
		await visit.settled();
		assert.deepEqual(await gateway.read("peaks"), { interval_mins: 15, count: 1 });
		await visit.end();
	});

	it("takes the place of the two days' highest quarter hour on the overview", async () => {
		await gateway.write("peaks", { interval_mins: 15, count: 1 });
		await gateway.connectMeter({ telegram: Buffer.from(TELEGRAM), mode: "D", pushBaud: 2400, pushMs: 2000 });
		await gateway.write("iec62056/config", { mode_d_enabled: true });
		await gateway.read("iec62056/read");
		const visit = await (await Visit.begin(gateway, { width: PHONE })).logIn();
		const facts = visit.card("today.bars").locator(".facts");
		await facts.getByText(say("peak.month")).waitFor({ timeout: 20_000 });
		const { periods } = await gateway.read("meter/history?period=quarters");
		const highest = Math.max(...periods.map((one: Record<string, number>) => one["import_wh"]));
		const text = (await facts.innerText()).replace(/\s+/g, " ");
		assert.ok(text.includes(`${((highest * 4) / 1000).toFixed(2)} kW`), text);
		assert.ok(!text.includes(say("peak.days")), text);
		await visit.end();
	});
});
