/** The pages of what the gateway is connected to: readings, network, Zigbee, hub. What is saved is read back by the API. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import type { Browser } from "playwright-core";
import { vectorOf } from "../api/gateway.js";
import { ProcessGateway } from "../api/process-gateway.js";
import { make } from "../hosts/openssl.js";
import { needBrowser, PHONE, say, Visit } from "./browser.js";

const { telegram, readings } = vectorOf("landis-gyr-zmf100-m26-padded-left");
const KEY = "secret-of-the-wifi";
const HUB_TOKEN = "a-token-of-the-hub-0123456789";

describe("The page's connections", function () {
	this.timeout(60_000);
	let browser: Browser;
	let gateway: ProcessGateway;
	let visit: Visit;

	before(async function () {
		browser = await needBrowser(this);
		gateway = await ProcessGateway.start("node");
		await gateway.connectMeter({ telegram });
		await gateway.login();
		for (const secret of [KEY, HUB_TOKEN]) gateway.plant(secret);
		await gateway.read("iec62056/read");
		visit = await (await Visit.begin(browser, gateway)).logIn();
	});
	after(async () => {
		await browser?.close();
		await gateway?.stop();
		if (visit !== undefined) assert.deepEqual(visit.complaints, []);
	});

	describe("readings", () => {
		before(() => visit.go("readings"));
		const rows = () => visit.page.locator("table.readings tbody tr");

		it("shows every value that the meter sent, and those that are looked for", async () => {
			assert.equal(await rows().count(), readings.length);
			await visit.page.fill("[name=filter]", "1.8.0");
			const shown = await rows().count();
			assert.ok(shown >= 1 && shown < readings.length);
			assert.match((await rows().first().textContent()) ?? "", /1\.8\.0/);
			await visit.page.fill("[name=filter]", "no such value");
			assert.equal(await rows().count(), 0);
			await visit.page.fill("[name=filter]", "");
		});

		it("gives them away as a table for spreadsheets", async () => {
			const [download] = await Promise.all([
				visit.page.waitForEvent("download"),
				visit.page.locator("[name=csv]").click(),
			]);
			const text = readFileSync(await download.path(), "utf8");
			assert.ok(text.startsWith("\ufeff"));
			const lines = text.trimEnd().split("\r\n");
			assert.equal(lines.length, 1 + readings.length);
			for (const { value1 } of readings) assert.ok(text.includes(value1), value1);
			assert.match(download.suggestedFilename(), /\.csv$/);
		});

		it("sends a value over Zigbee by choice, and no longer", async () => {
			const row = rows().filter({ hasText: "1.8.0" }).first();
			const choice = row.locator("select");
			const saved = () => visit.page.waitForResponse((response) => response.request().method() === "POST");
			await Promise.all([saved(), choice.selectOption({ label: say("target.import") })]);
			const { mapping } = await gateway.read("zigbee/map");
			assert.deepEqual(
				mapping.filter(({ mapping_id }: { mapping_id: string }) => mapping_id === "07020000"),
				[{ obis: "1.8.0", mapping_id: "07020000" }],
			);
			const { readings: mapped } = await gateway.read("iec62056/last");
			const [energy] = mapped.filter(({ obis }: { obis: string }) => obis === "1.8.0");
			assert.equal(energy.mapping_id, "07020000");
			await Promise.all([saved(), choice.selectOption({ label: say("target.none") })]);
			const after = await gateway.read("zigbee/map");
			assert.ok(after.mapping.every(({ obis }: { obis: string }) => obis !== "1.8.0"));
		});
	});

	it("Zigbee: saves the table of what is sent, and has no buttons for a radio that is not there", async () => {
		await visit.go("zigbee");
		await visit.card("zigbee.state").getByText(say("state.absent")).waitFor();
		assert.equal(await visit.page.locator("[name=rejoin], [name=enabled]").count(), 0);
		const card = visit.card("map.title");
		await card.locator("[name=add]").click();
		const line = card.locator("li").last();
		await visit.fill(line, { mapping_id: "0B040505", obis: "1-0:52.7.0", mode: "full" });
		await visit.save(card, {});
		const { mapping } = await gateway.read("zigbee/map");
		assert.deepEqual(mapping.at(-1), { obis: "1-0:52.7.0", mapping_id: "0B040505" });
		// Twice the same attribute is said to be so.
		await card.getByText(say("map.twice", { what: say("target.voltage") })).waitFor();
		await line.getByRole("button").click();
		await visit.save(card, {});
		assert.equal((await gateway.read("zigbee/map")).mapping.length, mapping.length - 1);
	});

	it("hub: asks for token and certificate at each save, keeps them secret, and is switched off", async () => {
		await visit.go("hub");
		const card = visit.card("hub.settings");
		const { certificate } = make({ subject: "/CN=hub" });
		const url = "https://hub.example:8123";
		await visit.fill(card, { enabled: true, url, token: HUB_TOKEN });
		await card.locator("button[type=submit]").click();
		assert.equal(await card.locator("[name=cert]").getAttribute("aria-invalid"), "true");
		await visit.save(card, { cert: certificate, lang: "pl" });
		const stored = await gateway.read("hub");
		assert.deepEqual([stored.enabled, stored.url, stored.lang], [true, url, "pl"]);
		assert.deepEqual([stored.token_set, stored.cert_set], [true, true]);
		assert.equal(await card.locator("[name=token]").inputValue(), "");
		await visit.save(card, { enabled: false });
		assert.equal((await gateway.read("hub")).enabled, false);
	});

	describe("network", () => {
		before(() => visit.go("network"));

		it("tells how it is connected", async () => {
			const status = await gateway.read("network/status");
			const card = visit.card("network.state");
			for (const text of [status.ssid, status.ip, `https://${gateway.hostname}.local/`])
				await card.getByText(text, { exact: false }).first().waitFor();
		});

		it("saves its own network, with a password that is not shown", async () => {
			const card = visit.card("network.ap");
			await visit.fill(card, { ap_password: "short" });
			await card.locator("button[type=submit]").click();
			assert.equal(await card.locator("[name=ap_password]").getAttribute("aria-invalid"), "true");
			await visit.save(card, { ap_ssid: "Our gateway", ap_password: KEY, fallback_ap_enabled: false });
			assert.equal((await gateway.read("network/status")).ap_ssid, "Our gateway");
			assert.equal((await gateway.read("network/fallback-ap")).fallback_ap_enabled, false);
			assert.equal(await card.locator("[name=ap_password]").inputValue(), "");
		});

		it("takes a new name without the Wi-Fi password, which an empty field keeps", async () => {
			const card = visit.card("network.change");
			await card.getByText(say("wifi.password.keep")).waitFor();
			const sent = visit.page.waitForRequest((request) => request.method() === "POST");
			await visit.save(card, { hostname: "cellar", apply: false });
			const body = (await sent).postDataJSON();
			assert.equal("password" in body, false);
			const { ssid, hostname } = await gateway.read("network/status");
			assert.deepEqual([body.ssid, hostname], [ssid, "cellar"]);
		});

		it("wants the password of another network, unless that is said to have none", async () => {
			const card = visit.card("network.change");
			const password = card.locator("[name=password]");
			await visit.fill(card, { ssid: "another" });
			await card.getByText(say("wifi.password.new")).waitFor();
			await card.locator("button[type=submit]").click();
			assert.equal(await password.getAttribute("aria-invalid"), "true");
			await visit.fill(card, { unlocked: true });
			assert.equal(await password.count(), 0);
			const sent = visit.page.waitForRequest((request) => request.method() === "POST");
			await visit.save(card, { apply: false });
			const body = (await sent).postDataJSON();
			assert.deepEqual([body.ssid, body.password, "unlocked" in body], ["another", "", false]);
			await visit.save(card, { unlocked: false, ssid: "bench", password: KEY });
		});

		it("lists the networks in reach and stores one for later", async () => {
			gateway.setAir("home -48 6 password-of-home\ncafe -70 1\nhome -80 11 password-of-home\n");
			const card = visit.card("network.change");
			await card.locator("[name=scan]").click();
			await card.getByRole("radio", { name: /^home/ }).check();
			await visit.save(card, { password: KEY, apply: false, dhcp: true });
			// Each name once, and one that is not heard.
			assert.equal(await card.getByRole("radio").count(), 3);
		});
	});
});

describe("The page's readings on a phone", function () {
	this.timeout(60_000);

	it("stay quick and inside the screen with the longest readout that a meter sends", async function () {
		const browser = await needBrowser(this);
		const gateway = await ProcessGateway.start("node");
		try {
			const long = vectorOf("iskraemeco-mt174-15-billing-periods");
			await gateway.connectMeter({ telegram: long.telegram });
			await gateway.login();
			await gateway.read("iec62056/read");
			const visit = await (await Visit.begin(browser, gateway, { width: PHONE, language: "pl" })).logIn();
			await visit.go("readings");
			await visit.page
				.locator("table.readings tbody tr")
				.nth(long.readings.length - 1)
				.waitFor();
			assert.deepEqual(await visit.overflow(), []);
			await visit.end();
		} finally {
			await browser.close();
			await gateway.stop();
		}
	});
});
