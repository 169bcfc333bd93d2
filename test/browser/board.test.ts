/** Settings of the page that some boards need: Wi-Fi's transmit power, and the levels of the meter port's lines. */
import assert from "node:assert/strict";
import type { Browser } from "playwright-core";
import { vectorOf } from "../api/gateway.js";
import { ProcessGateway } from "../api/process-gateway.js";
import { needBrowser, say, Visit } from "./browser.js";

describe("The page's settings for a board", function () {
	this.timeout(180_000);
	let browser: Browser;
	let gateway: ProcessGateway;
	let visit: Visit;

	before(async function () {
		browser = await needBrowser(this);
		gateway = await ProcessGateway.start("node");
		await gateway.connectMeter({ telegram: vectorOf("landis-gyr-zmf100-m26-padded-left").telegram });
		await gateway.login();
		visit = await (await Visit.begin(browser, gateway, { hurried: true })).logIn();
	});
	after(async () => {
		await browser?.close();
		await gateway?.stop();
		if (visit !== undefined) assert.deepEqual(visit.complaints, []);
	});

	it("limit the transmit power, with the board's own limit at first", async () => {
		await visit.go("network");
		const card = visit.card("network.radio");
		const choice = card.locator("select[name=tx_power_dbm]");
		assert.equal(await choice.locator("option:checked").innerText(), say("network.power.board"));
		await visit.save(card, { tx_power_dbm: "8" });
		const wanted = { wifi_enabled: true, tx_power_dbm: 8 };
		assert.deepEqual(await gateway.read("network/wifi-enabled"), wanted);
	});

	it("invert the lines of the meter port", async () => {
		await visit.go("meter");
		const card = visit.card("protocol.title");
		await card.locator("summary").click();
		await visit.save(card, { rx_inverted: true });
		const wanted = { protocol: "iec62056", rx_inverted: true, tx_inverted: false, rx_pin: -1, tx_pin: -1 };
		assert.deepEqual(await gateway.read("meter/protocol"), wanted);
	});
});
