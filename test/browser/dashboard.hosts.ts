/** The first page: a readout on request, and the messages for each state of the gateway. */
import assert from "node:assert/strict";
import type { TextKey } from "../../hosts/browser/text/all.js";
import { PASSWORD, vectorOf } from "../api/gateway.js";
import type { ProcessGateway } from "../api/process-gateway.js";
import { violationsOf } from "./axe.js";
import { LOST, PHONE, say, startGateway, startWithMeter, usePage, Visit } from "./browser.js";

const { telegram, readings } = vectorOf("landis-gyr-zmf100-m26-padded-left");

describe("The page's overview", function () {
	this.timeout(180_000);
	usePage();
	let gateway: ProcessGateway;
	let visit: Visit;
	/**
	 * A gateway with a silent meter and a clock that is not set. Its readout takes long to fail, so it runs beside the
	 * other tests.
	 */
	let silent: { gateway: ProcessGateway; visit: Visit };

	before(async () => {
		const other = await startGateway({ args: ["--time", "none"] });
		await other.connectMeter({ telegram, faults: { silence: 1000 } });
		silent = { gateway: other, visit: await (await Visit.begin(other, { width: PHONE })).logIn() };
		await silent.visit.button("read.now").click();

		gateway = await startWithMeter({ telegram }, { isAhead: true });
	});
	afterEach(() => visit.end());

	const begin = async (options = {}) => {
		visit = await Visit.begin(gateway, options);
		await visit.logIn();
	};
	const readNow = () => visit.button("read.now");
	/** Makes the page poll as if the tab had become visible; otherwise it polls every few seconds. */
	const pollNow = () => visit.page.evaluate(`document.dispatchEvent(new Event("visibilitychange"))`);
	const text = async (title: TextKey) => (await visit.card(title).textContent()) ?? "";

	it("advises to read the meter if it was never read, shows the progress, and then the values", async () => {
		await begin({ width: PHONE });
		assert.match(await text("now.title"), new RegExp(`${say("read.none")} ${say("read.none.help")}`));
		assert.equal(await visit.card("counter.title").count(), 0);
		await readNow().click();
		await visit.page.getByRole("progressbar").waitFor();
		await visit.card("counter.title").waitFor();
		await visit.page.getByRole("progressbar").waitFor({ state: "detached" });
		await visit.page.getByText(say("read.done")).waitFor({ state: "attached" });
		assert.match(await text("now.title"), /Last reading/);
		const total = readings.find(({ obis }) => obis === "1.8.0");
		assert.ok(total);
		const shown = Number(total.value1).toLocaleString("en", { minimumFractionDigits: 2, maximumFractionDigits: 9 });
		assert.ok((await text("counter.title")).includes(shown), `${shown} in ${await text("counter.title")}`);
	});

	it("promises no average of a meter that counts no electricity", async () => {
		const heat = { obis: "1.0.0", obis_long: "6-1:1.0.0", value1: "37352", value1_number: 37352, value1_unit: "kWh" };
		await begin();
		await visit.page.route("**/iec62056/last*", async (route) => {
			const response = await route.fetch();
			const last = (await response.json()) as { readings: object[] };
			await route.fulfill({ response, json: { ...last, readings: [{ ...last.readings[0], ...heat }] } });
		});
		await visit.page.reload();
		const card = visit.card("now.title");
		await card.getByText(say("now.absent")).waitFor();
		assert.equal(await card.getByText(say("now.none")).count(), 0);
		await card.getByRole("link", { name: say("counter.all") }).waitFor();
	});

	it("says that the gateway is out of reach, and continues by itself when it is back", async () => {
		await begin();
		await visit.context.setOffline(true);
		await pollNow();
		await visit.page.getByText(LOST).waitFor();
		assert.equal(await visit.card("counter.title").count(), 1);
		await visit.context.setOffline(false);
		await visit.page.getByText(LOST).waitFor({ state: "detached" });
		await readNow().click();
		await visit.page.getByText(say("read.done")).waitFor({ state: "attached" });
	});

	it("asks for the login after the gateway has restarted, and continues", async () => {
		await begin();
		assert.equal((await gateway.post("system/reboot")).status, 200);
		await gateway.loginAfterReboot();
		await pollNow();
		const dialog = visit.page.getByRole("dialog", { name: say("login.title") });
		await dialog.waitFor();
		await dialog.locator("[name=password]").fill(PASSWORD);
		await dialog.getByRole("button", { name: say("login.go") }).click();
		await dialog.waitFor({ state: "detached" });
		await readNow().click();
		await visit.page.getByText(say("read.done")).waitFor({ state: "attached" });
	});

	it("gives the reason and advice for a silent meter, and reads it when it answers, with or without a clock", async () => {
		visit = silent.visit;
		await visit.page.getByRole("alert").getByText(say("failure.silence")).waitFor();
		await visit
			.card("now.title")
			.getByRole("link", { name: say("links.meter.go") })
			.waitFor();
		assert.equal(await visit.card("now.title").locator(".notice").count(), 1, "more or less than one notice");
		await (await visit.state(say("state.clock"))).getByText(say("state.unset")).waitFor();
		await visit.page.keyboard.press("Escape");
		assert.deepEqual(await violationsOf(visit), []);
		assert.deepEqual(await visit.overflow(), []);
		await silent.gateway.connectMeter({ telegram: vectorOf("kamstrup-162-dsmr2").telegram, mode: "C" });
		for (let count = 1; count <= 2; count++) {
			await readNow().click();
			await visit.page.getByRole("progressbar").waitFor();
			await readNow().waitFor();
		}
		assert.equal(await visit.page.getByRole("alert").count(), 0);
		assert.match(await text("now.title"), new RegExp(`\\d W.*${say("read.timeless")}`));
		const curve = visit.card("now.title").getByRole("img");
		await curve.waitFor();
		assert.match((await curve.getAttribute("aria-label")) ?? "", /, from .* W to .* W/);
	});
});
