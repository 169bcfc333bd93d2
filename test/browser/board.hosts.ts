/** Settings of the page that some boards need: Wi-Fi's transmit power, and the levels of the meter port's lines. */
import assert from "node:assert/strict";
import { vectorOf } from "../api/gateway.js";
import type { ProcessGateway } from "../api/process-gateway.js";
import { say, startWithMeter, usePage, Visit } from "./browser.js";

describe("The page's settings for a board", function () {
	this.timeout(180_000);
	usePage();
	let gateway: ProcessGateway;
	let visit: Visit;

	before(async () => {
		gateway = await startWithMeter({ telegram: vectorOf("landis-gyr-zmf100-m26-padded-left").telegram });
		visit = await (await Visit.begin(gateway, { hurried: true })).logIn();
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
