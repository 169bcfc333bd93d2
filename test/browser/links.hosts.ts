/** The pages readings, network, Zigbee and hub. Saved values are read back by the API. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { vectorOf } from "../api/gateway.js";
import type { ProcessGateway } from "../api/process-gateway.js";
import { make } from "../hosts/openssl.js";
import { DESKTOP, PHONE, say, startWithMeter, usePage, Visit } from "./browser.js";

const { telegram, readings } = vectorOf("landis-gyr-zmf100-m26-padded-left");
/** Script that lists the choices that are too narrow for their text. */
const CLIPPED = `[...document.querySelectorAll("main select")].flatMap((element) => {
	const clone = element.cloneNode(true);
	clone.value = element.value;
	clone.replaceChildren(...[...clone.options].filter(({ selected }) => selected));
	Object.assign(clone.style, { position: "absolute", width: "auto", minWidth: "0", maxWidth: "none" });
	element.parentElement.append(clone);
	const missing = clone.offsetWidth - element.offsetWidth;
	clone.remove();
	return missing > 0 ? [element.name + " " + element.selectedOptions[0].textContent + ": " + missing] : [];
})`;
const KEY = "secret-of-the-wifi";
const HUB_TOKEN = "a-token-of-the-hub-0123456789";

describe("The pages of the gateway's connections", function () {
	this.timeout(180_000);
	usePage();
	let gateway: ProcessGateway;
	let visit: Visit;

	before(async () => {
		gateway = await startWithMeter({ telegram });
		for (const secret of [KEY, HUB_TOKEN]) gateway.plant(secret);
		await gateway.read("iec62056/read");
		visit = await (await Visit.begin(gateway)).logIn();
	});

	describe("readings", () => {
		before(() => visit.go("readings"));
		const rows = () => visit.page.locator("table.readings tbody tr");

		it("shows every value that the meter sent, and filters them", async () => {
			assert.equal(await rows().count(), readings.length);
			await visit.page.fill("[name=filter]", "1.8.0");
			const shown = await rows().count();
			assert.ok(shown >= 1 && shown < readings.length);
			assert.match((await rows().first().textContent()) ?? "", /1\.8\.0/);
			await visit.page.fill("[name=filter]", "no such value");
			assert.equal(await rows().count(), 0);
			await visit.page.fill("[name=filter]", "");
		});

		it("has no choice for Zigbee without a radio", async () => {
			assert.equal(await visit.page.locator("table.readings select").count(), 0);
			assert.equal(await visit.page.getByText(say("readings.zigbee")).count(), 0);
		});

		for (const [language, mark, sample] of [
			["en", ",", ",61571.780,kWh,"],
			["de", ";", ";61571,780;kWh;"],
			["pl", ";", ";61571,780;kWh;"],
		] as const) {
			it(`exports a table for spreadsheets in the language ${language}`, async () => {
				const there = await (await Visit.begin(gateway, { language, path: `/${language}#/readings` })).logIn();
				await there.page.locator("table.readings").waitFor();
				const [download] = await Promise.all([
					there.page.waitForEvent("download"),
					there.page.locator("[name=csv]").click(),
				]);
				const text = readFileSync(await download.path(), "utf8");
				assert.ok(text.startsWith("\ufeff"));
				const [heading, ...lines] = text.slice(1).trimEnd().split("\r\n");
				assert.equal(heading.split(mark).length, 9);
				assert.equal(lines.length, readings.length);
				const { localtime } = await gateway.read("iec62056/last");
				assert.match(localtime, /[+-]\d\d:\d\d$|Z$/);
				for (const [index, { obis_long, value1, value1_unit }] of readings.entries()) {
					assert.ok(lines[index].startsWith(`${localtime}${mark}`), lines[index]);
					const sent = `${obis_long}(${value1}${value1_unit && `*${value1_unit}`})`;
					assert.ok(lines[index].includes(sent), `${sent} in ${lines[index]}`);
				}
				assert.ok(text.includes(sample), text);
				assert.match(download.suggestedFilename(), /\.csv$/);
				await there.end();
			});
		}

		it("maps a value to Zigbee in a network, and removes the mapping", async () => {
			const there = await Visit.begin(gateway);
			await there.page.route("**/api/v1/system/status", async (route) => {
				const response = await route.fetch();
				await route.fulfill({ response, json: { ...(await response.json()), zigbee_state: "joined" } });
			});
			await there.logIn();
			await there.go("readings");
			const choice = there.page
				.locator("table.readings tbody tr")
				.filter({ hasText: "1.8.0" })
				.first()
				.locator("select");
			for (const width of [PHONE, 600, 768, 900, DESKTOP, 1280]) {
				await there.page.setViewportSize({ width, height: 800 });
				assert.deepEqual(await there.overflow(), [], `at ${width} pixels`);
				if (width >= DESKTOP) assert.deepEqual(await there.page.evaluate(CLIPPED), [], `at ${width} pixels`);
			}
			const saved = () => there.page.waitForResponse((response) => response.request().method() === "POST");
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
			await there.end();
		});
	});

	it("saves the Zigbee mappings, and has no buttons for a missing radio", async () => {
		await visit.go("zigbee");
		await visit.card("network.state").getByText(say("state.absent")).waitFor();
		assert.equal(await visit.page.locator("[name=join], [name=enabled]").count(), 0);
		const card = visit.card("map.title");
		for (const width of [600, 768, 1280, DESKTOP]) {
			await visit.page.setViewportSize({ width, height: 800 });
			assert.deepEqual(await visit.page.evaluate(CLIPPED), [], `at ${width} pixels`);
		}
		await card.locator("[name=add]").click();
		const line = card.locator("li").last();
		await visit.fill(line, { mapping_id: "0B040505", obis: "1-0:52.7.0", mode: "full" });
		await visit.save(card, {});
		const { mapping } = await gateway.read("zigbee/map");
		assert.deepEqual(mapping.at(-1), { obis: "1-0:52.7.0", mapping_id: "0B040505" });
		// The form warns of an attribute that is mapped twice.
		await card.getByText(say("map.twice", { what: say("object.voltage") })).waitFor();
		await line.getByRole("button").click();
		await visit.save(card, {});
		assert.equal((await gateway.read("zigbee/map")).mapping.length, mapping.length - 1);
	});

	it("asks for the hub's token and certificate at each save, keeps them secret, and switches the hub off", async () => {
		await visit.go("hub");
		const card = visit.card("state.hub");
		const { certificate } = make({ subject: "/CN=hub" });
		const url = "https://hub.example:8123";
		await visit.fill(card, { enabled: true, url, token: HUB_TOKEN });
		await visit.submit(card);
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

		it("shows how the gateway is connected", async () => {
			const status = await gateway.read("network/status");
			const card = visit.card("network.state");
			for (const text of [status.ssid, status.ip, `https://${gateway.hostname}.local/`])
				await card.getByText(text, { exact: false }).first().waitFor();
		});

		it("saves the gateway's own network with a hidden password", async () => {
			const card = visit.card("network.ap");
			await visit.fill(card, { ap_password: "short" });
			await visit.submit(card);
			assert.equal(await card.locator("[name=ap_password]").getAttribute("aria-invalid"), "true");
			await visit.save(card, { ap_ssid: "Our gateway", ap_password: KEY, fallback_ap_enabled: false });
			assert.equal((await gateway.read("network/status")).ap_ssid, "Our gateway");
			assert.equal((await gateway.read("network/fallback-ap")).fallback_ap_enabled, false);
			assert.equal(await card.locator("[name=ap_password]").inputValue(), "");
		});

		it("changes the name without the Wi-Fi password, which an empty field keeps", async () => {
			const card = visit.card("network.ssid");
			await card.getByText(say("secret.keep")).waitFor();
			const sent = visit.page.waitForRequest((request) => request.method() === "POST");
			await visit.save(card, { hostname: "cellar", apply: false });
			const body = (await sent).postDataJSON();
			assert.equal("password" in body, false);
			const { ssid, hostname } = await gateway.read("network/status");
			assert.deepEqual([body.ssid, hostname], [ssid, "cellar"]);
		});

		it("requires the password of another network, unless the network is marked as open", async () => {
			const card = visit.card("network.ssid");
			const password = card.locator("[name=password]");
			await visit.fill(card, { ssid: "another" });
			await card.getByText(say("secret.keep")).waitFor({ state: "detached" });
			await visit.submit(card);
			assert.equal(await password.getAttribute("aria-invalid"), "true");
			await visit.fill(card, { unlocked: true });
			assert.equal(await password.count(), 0);
			const sent = visit.page.waitForRequest((request) => request.method() === "POST");
			await visit.save(card, { apply: false });
			const body = (await sent).postDataJSON();
			assert.deepEqual([body.ssid, body.password, "unlocked" in body], ["another", "", false]);
			await visit.save(card, { unlocked: false, ssid: "bench", password: KEY });
		});

		it("lists the networks within range and stores one for later", async () => {
			gateway.setAir("home -48 6 password-of-home\ncafe -70 1\nhome -80 11 password-of-home\n");
			const card = visit.card("network.ssid");
			await card.locator("[name=scan]").click();
			await card.getByRole("radio", { name: /^home/ }).check();
			// The form accepts this broadcast address, but the gateway rejects it. The page then shows its own error text.
			const fixed = { ip: "192.168.178.255", netmask: "255.255.255.0", gateway: "192.168.178.1" };
			await visit.fill(card, { password: KEY, apply: false, dhcp: false });
			await visit.fill(card, { ...fixed, ip: "192.168.178" });
			await visit.submit(card);
			await card.getByText(say("form.ipv4"), { exact: true }).waitFor();
			await visit.fill(card, fixed);
			await visit.submit(card);
			await card.getByText(say("refused.ip"), { exact: true }).waitFor();
			assert.equal(await card.locator("[name=ip]").getAttribute("aria-invalid"), "true");
			await visit.save(card, { dhcp: true });
			// The list has each name once, and a row for a network that is not listed.
			assert.equal(await card.getByRole("radio").count(), 3);
		});
	});
});

describe("The page's longest readout", function () {
	this.timeout(180_000);
	usePage();
	const { telegram, readings } = vectorOf("iskraemeco-mt174-15-billing-periods");
	let gateway: ProcessGateway;
	let visit: Visit;

	before(async () => {
		gateway = await startWithMeter({ telegram });
		await gateway.read("iec62056/read");
		visit = await (await Visit.begin(gateway, { width: PHONE, language: "pl" })).logIn();
		await visit.go("readings");
		await visit.page
			.locator("table.readings tbody tr")
			.nth(readings.length - 1)
			.waitFor({ state: "attached" });
	});

	it("shows present values, and folds past billing periods until they are opened or match the filter", async () => {
		const rows = visit.page.locator("table.readings tbody tr:visible");
		const present = readings.filter(({ billing_period }) => billing_period === null);
		assert.equal(await rows.count(), present.length);
		await visit.page.fill("[name=filter]", "1.6.0*01");
		await rows.filter({ hasText: "1-0:1.6.0*01" }).waitFor();
		assert.equal(await rows.count(), 1);
		await visit.page.fill("[name=filter]", "");
		await visit.page.locator("main .card.wide summary").click();
		assert.equal(await rows.count(), readings.length);
	});

	it("is a list on a phone, a table from 600 pixels on, and never overflows the screen", async () => {
		for (const width of [PHONE, 600, 768, 1280]) {
			await visit.page.setViewportSize({ width, height: 800 });
			assert.deepEqual(await visit.overflow(), [], `at ${width} pixels`);
			const display = "getComputedStyle(document.querySelector('table.readings td')).display";
			assert.equal(await visit.page.evaluate(display), width < 600 ? "block" : "table-cell");
		}
	});

	it("formats the times of maxima in the language, and adds the units that the meter omits", async () => {
		const row = visit.page.locator("table.readings tbody tr").filter({ hasText: "1-0:1.6.0*01" });
		// As sent: 1-0:1.6.0*01(03.258)(1702102000).
		assert.match((await row.textContent()) ?? "", /3,258\s?kW.*10 lut 2017, 20:00/);
	});
});
