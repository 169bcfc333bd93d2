/** The system page: clock, time zone and power supply; restart and factory reset while the page is open. */
import assert from "node:assert/strict";
import type { TextKey } from "../../hosts/browser/text/all.js";
import { PASSWORD, vectorOf } from "../api/gateway.js";
import type { ProcessGateway } from "../api/process-gateway.js";
import { violationsOf } from "./axe.js";
import { say, startWithMeter, usePage, Visit } from "./browser.js";

describe("The page's system settings", function () {
	this.timeout(180_000);
	usePage();
	let gateway: ProcessGateway;
	let visit: Visit;

	before(async () => {
		const anHourAgo = new Date(Date.now() - 3_600_000).toISOString();
		gateway = await startWithMeter(
			{ telegram: vectorOf("landis-gyr-zmf100-m26-padded-left").telegram },
			{ args: ["--time", anHourAgo] },
		);
		visit = await (await Visit.begin(gateway, { hurried: true })).logIn();
		await visit.go("system");
	});

	it("saves the time zone and shows the time in it", async () => {
		const card = visit.card("clock.title");
		await visit.save(card, { timezone: "Europe/Warsaw" });
		assert.equal((await gateway.read("system/timezone")).timezone, "Europe/Warsaw");
		const { localtime } = await gateway.read("system/clock");
		// The hour in that zone, in the 12-hour form of English, and the next hour, which may have begun meanwhile.
		const hours = [0, 1].map((later) => (Number(localtime.slice(11, 13)) + later) % 12 || 12);
		await card
			.getByText(new RegExp(`\\b(${hours.join("|")}):\\d\\d:\\d\\d`))
			.first()
			.waitFor();
	});

	it("sets the clock to the browser's time", async () => {
		const card = visit.card("clock.title");
		await card.getByText(say("clock.differs")).waitFor();
		await card.locator("[name=set_clock]").click();
		await card.getByText(say("clock.differs")).waitFor({ state: "detached" });
		const { timestamp } = await gateway.read("system/clock");
		assert.ok(Math.abs(timestamp - Date.now() / 1000) < 30, `shows ${timestamp}`);
	});

	it("saves when the gateway sleeps, and shows its model, serial number and version", async () => {
		const card = visit.card("supply.title");
		await card.getByRole("radio", { name: say("mode.never") }).check();
		await visit.save(card, {});
		assert.equal((await gateway.read("system/power_mode")).power_mode, 2);
		const { device, firmware } = await gateway.read("system/version");
		for (const text of [device.model, device.serial, firmware.version])
			await visit.card("about.title").getByText(text, { exact: true }).waitFor();
	});

	it("shows how long a gateway on batteries stays awake, and that its batteries are low", async () => {
		const card = visit.card("supply.title");
		assert.equal(await card.getByText(say("supply.awake")).count(), 0);
		const status = { awake_secs: 541, battery_powered: true, battery_low: true };
		await visit.page.route("**/system/status", async (route) => {
			const response = await route.fetch();
			await route.fulfill({ response, json: { ...(await response.json()), ...status } });
		});
		await card.getByText(say("supply.battery.low")).waitFor();
		const fact = card.locator("dl > div").filter({ hasText: say("supply.awake") });
		assert.match(await fact.innerText(), /\b10 min$/);
		await visit.page.unroute("**/system/status");
		await card.getByText(say("supply.battery.low")).waitFor({ state: "detached" });
	});

	it("shows safe mode, and damaged or failing memory, while they last", async () => {
		let status: object = {};
		await visit.page.route("**/system/status", async (route) => {
			const response = await route.fetch();
			await route.fulfill({ response, json: { ...(await response.json()), ...status } });
		});
		const cause = "the watchdog of tasks";
		const text = say("safe.text", { cause });
		for (const [state, key] of [
			[{ safe_mode: cause }, text],
			[{ low_voltage: true }, say("low.text")],
			[{ storage_state: "damaged" }, say("storage.damaged")],
			[{ storage_state: "refused" }, say("storage.refused")],
		] as const) {
			status = state;
			await visit.page.getByText(key).waitFor();
		}
		status = {};
		await visit.page.getByText(say("storage.refused")).waitFor({ state: "detached" });
		await visit.page.unroute("**/system/status");
	});

	it("opens the wizard again, which shows the time and the zone", async () => {
		await visit.card("again.setup").getByRole("link").click();
		await visit.page.waitForSelector("main.wizard");
		const next = visit.page.locator("main button[name=next]");
		await next.click();
		await visit.page.locator("main button[name=skip]").click();
		const clock = visit.page.locator("dd .number");
		await clock.waitFor();
		const before = (await clock.textContent()) ?? "";
		assert.match(before, /, Europe\/Warsaw$/);
		await visit.hurry(clock.filter({ hasNotText: before }));
		await visit.go("system");
	});

	it("restarts, says so at the login, and returns with the time zone that was set", async () => {
		await visit.card("again.title").locator("[name=restart]").click();
		await visit.page.getByRole("dialog").locator("button[type=submit]").click();
		await checkReturn("ending.restart");
		assert.equal(await visit.card("clock.title").locator("[name=timezone]").inputValue(), "Europe/Warsaw");
	});

	it("resets to factory settings only after the word is typed, and begins again", async () => {
		await gateway.login();
		await visit.card("reset.title").locator("[name=factory_reset]").click();
		const dialog = visit.page.getByRole("dialog");
		const erase = dialog.locator("button[type=submit]");
		assert.equal(await erase.isDisabled(), true);
		assert.deepEqual(await violationsOf(visit), []);
		// The list of losses omits parts that this gateway does not have.
		const lost = dialog.locator("ul").first();
		await lost.getByText(say("reset.lost.wifi", { ssid: (await gateway.read("network/status")).ssid })).waitFor();
		assert.deepEqual(await lost.getByRole("listitem").count(), 2);
		await dialog.locator("input[type=text]").fill("era");
		assert.equal(await erase.isDisabled(), true);
		await dialog.locator("input[type=text]").fill(say("reset.word"));
		await erase.click();
		await visit.page.getByText("http://192.168.4.1/").waitFor();
		// The simulated gateway is reachable at the same address.
		await checkReturn("ending.reset");
		await gateway.login();
		assert.equal((await gateway.read("system/timezone")).timezone, "");
		assert.equal((await gateway.read("system/power_mode")).power_mode, 0);
	});

	/** Checks that the page waits for the gateway, returns to its place, and shows the login with this text. */
	async function checkReturn(why: TextKey): Promise<void> {
		await visit.page.getByRole("dialog", { name: say("restart.title") }).waitFor();
		await gateway.rebooted();
		const login = visit.page.locator("[name=password]");
		await visit.hurry(login);
		await visit.page.getByText(say(why)).waitFor();
		await login.fill(PASSWORD);
		await login.press("Enter");
		await visit.page.getByRole("heading", { level: 1, name: say("nav.system") }).waitFor();
		await visit.settled();
	}
});
