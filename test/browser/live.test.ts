/**
 * Changes while the page is open: a slow readout, ageing values, a gateway that disappears, a session that ends, and
 * unsaved input meanwhile.
 */
import assert from "node:assert/strict";
import { setTimeout } from "node:timers/promises";
import type { Browser } from "playwright-core";
import { PASSWORD, vectorOf } from "../api/gateway.js";
import { ProcessGateway } from "../api/process-gateway.js";
import { violationsOf } from "./axe.js";
import { LOST, needBrowser, PHONE, say, Visit } from "./browser.js";

const { telegram } = vectorOf("kamstrup-162-dsmr2");
/** Noon in Tokyo is three in the morning in UTC, where the browser is. */
const ZONE = "Asia/Tokyo";
/** Well before a request of 20 s that follows a poll of 5 s is given up. */
const NOTICED_MS = 14_000;

describe("What changes under the page", function () {
	this.timeout(180_000);
	let browser: Browser;
	let gateway: ProcessGateway;
	let visit: Visit;

	before(async function () {
		browser = await needBrowser(this);
		gateway = await ProcessGateway.start("node");
		await gateway.connectMeter({ telegram, mode: "C" });
		await gateway.login();
		await gateway.write("system/timezone", { timezone: ZONE });
		await gateway.read("iec62056/read");
	});
	after(async () => {
		await browser?.close();
		await gateway?.stop();
	});
	afterEach(async function () {
		if (this.currentTest?.state === "failed") console.error(gateway.diagnosis);
		await visit.end();
	});

	const begin = async (options = {}) => {
		visit = await (await Visit.begin(browser, gateway, options)).logIn();
		// So many sessions as these are not kept.
		await gateway.login();
	};
	/** Changes what the gateway tells of its state. */
	const pretend = async (path: string, told: (now: Record<string, unknown>) => object) => {
		await visit.page.unroute(`**/${path}`);
		await visit.page.route(`**/${path}`, async (route) => {
			const response = await route.fetch();
			const now = await response.json();
			await route.fulfill({ response, json: { ...now, ...told(now) } });
		});
	};
	const looksAgain = () => visit.page.evaluate(`document.dispatchEvent(new Event("visibilitychange"))`);
	const dialog = () => visit.page.getByRole("dialog", { name: say("login.title") });
	const logInAgain = async () => {
		await dialog().locator("[name=password]").fill(PASSWORD);
		await dialog()
			.getByRole("button", { name: say("login.go") })
			.click();
		await dialog().waitFor({ state: "detached" });
	};
	const ssid = () => visit.card("network.ssid").locator("[name=ssid]");

	describe("a running readout", () => {
		it("holds up no page, and its progress goes on over a change of the page", async () => {
			await begin();
			// Longer than all that follows.
			let release = () => {};
			const held = new Promise<void>((resolve) => {
				release = resolve;
			});
			await visit.page.route("**/iec62056/read*", async (route) => {
				await held;
				await route.continue();
			});
			await visit.button("read.now").click();
			await visit.page.getByRole("progressbar").waitFor();
			for (const place of ["system", "network", "meter"] as const) await visit.page.goto(`${visit.base}/#/${place}`);
			await visit.card("protocol.title").locator("[name=protocol]").waitFor();
			await setTimeout(2_000);
			await visit.page.goto(`${visit.base}/#/dashboard`);
			const progress = visit.page.getByRole("progressbar");
			await progress.waitFor();
			assert.ok(Number(await progress.getAttribute("value")) >= 2, "it began anew");
			release();
			await progress.waitFor({ state: "detached" });
			await visit.page.getByText(say("read.done")).waitFor({ state: "attached" });
			assert.equal(visit.mostAtOnce, 2, "beside the readout, one request at a time");
		});
	});

	describe("values", () => {
		const mark = () => visit.card("now.title").getByText(say("stale.mark"));

		it("are marked when they are old, with words for why, and no longer when a new one came", async () => {
			await begin({ width: PHONE });
			assert.equal(await mark().count(), 0);
			await gateway.write("iec62056/schedule", { ...(await gateway.read("iec62056/schedule")), enabled: false });
			await visit.page.reload();
			await visit.settled();
			await pretend("system/status", ({ timestamp }) => ({ timestamp: Number(timestamp) + 400 }));
			await mark().waitFor();
			await visit.page.getByText(/has not been read since .*Read now/).waitFor();
			assert.deepEqual([await violationsOf(visit), await visit.overflow()], [[], []]);
			assert.equal(await visit.page.locator("main.stale").count(), 1);
			await visit.page.unroute("**/system/status");
			await mark().waitFor({ state: "detached" });
		});

		it("may be as old as the schedule says, and are missed after that", async () => {
			await gateway.read("iec62056/read");
			await begin();
			const plan = { enabled: true, period_unit: "minutes", period_value: 15 };
			await pretend("iec62056/schedule", () => plan);
			await pretend("system/status", ({ timestamp }) => ({ timestamp: Number(timestamp) + 900 }));
			await visit.page.reload();
			await visit.settled();
			await visit.page.getByText(/Last reading: 15 minutes ago/).waitFor();
			await mark().waitFor({ state: "detached" });
			await pretend("system/status", ({ timestamp }) => ({ timestamp: Number(timestamp) + 1100 }));
			await visit.page.getByText(/due every 15 minutes, but none has arrived since/).waitFor();
			await mark().waitFor();
		});

		it("say when the meter was tried last, why that failed, and since when it is silent", async () => {
			await begin();
			const failing = { meter_state: "iec62056-21/silence" };
			await pretend("iec62056/last*", ({ timestamp }) => ({ last_attempt: Number(timestamp) + 60 }));
			await pretend("system/status", ({ timestamp }) => ({ ...failing, timestamp: Number(timestamp) + 180 }));
			const words = visit.card("now.title").locator(".notice");
			await words.getByText(/The last attempt to read the meter \(.* ago\) failed/).waitFor();
			await words.getByText(say("failure.silence")).waitFor();
			await words.getByText(/no good reading since/).waitFor();
		});

		it("have the times of the gateway's zone, which is named, on the curve too, and a reload keeps the curve", async () => {
			await begin();
			for (let count = 0; count < 2; count++) {
				await visit.button("read.now").click();
				await visit.page.getByRole("progressbar").waitFor();
				await visit.button("read.now").waitFor();
			}
			const curve = visit.card("curve.title");
			const describe = async () => (await curve.getByRole("img").getAttribute("aria-label")) ?? "";
			const seen = await describe();
			assert.match(seen, /^[23] readings/);
			const { localtime } = await gateway.read("iec62056/last");
			// The hour of the wall clock there, as English has it.
			const hour = `${Number(localtime.slice(11, 13)) % 12 || 12}:`;
			assert.ok((await curve.locator("svg text").last().textContent())?.startsWith(hour), `not ${localtime}`);
			await curve.getByText(ZONE).waitFor();
			assert.ok((await visit.card("now.title").locator(".age").textContent())?.includes(ZONE));
			await visit.page.reload();
			await visit.settled();
			await curve.getByRole("img").waitFor();
			assert.equal(await describe(), seen);
			assert.ok(((await visit.stored("curve")) ?? "").length < 500);
		});
	});

	it("a gateway that answers nothing is missed soon, since when is told, and nothing piles up meanwhile", async () => {
		await begin({ hurried: true });
		const pageMs = (): Promise<number> => visit.page.evaluate("Date.now()");
		let asked = 0;
		await visit.page.route("**/api/**", () => void asked++);
		const begun = await pageMs();
		await visit.hurry(visit.page.getByText(LOST));
		const ms = (await pageMs()) - begun;
		assert.ok(ms < NOTICED_MS, `${ms} ms`);
		assert.ok(asked <= 2, `${asked} requests that wait`);
		assert.match((await visit.page.getByText(LOST).textContent()) ?? "", /since \w+ \d+/);
		await visit.card("now.title").getByText(say("stale.mark")).waitFor();
		await visit.page.unroute("**/api/**");
		await visit.page.getByText(LOST).waitFor({ state: "detached" });
		await visit.card("now.title").getByText(say("stale.mark")).waitFor({ state: "detached" });
	});

	it("Wi-Fi is said to be on only where it is: by the state of the network, not by the switch", async () => {
		await begin();
		const chip = visit
			.card("links.title")
			.locator(".chip")
			.filter({ hasText: say("state.wifi") });
		const { ssid: name } = await gateway.read("network/status");
		await chip.getByText(name).waitFor();
		await pretend("network/status", () => ({ connected: false }));
		await visit.page.reload();
		await chip.getByText(say("state.disconnected")).waitFor();
		assert.match((await chip.getAttribute("class")) ?? "", /warning/);
		await pretend("network/status", () => ({ connected: false, wifi_enabled: false }));
		await visit.page.reload();
		await chip.getByText(say("off"), { exact: true }).waitFor();
	});

	describe("what was typed", () => {
		const question = () => visit.page.getByRole("dialog", { name: say("unsaved.title") });

		it("is asked about before another page is shown, and the tab closed", async () => {
			await begin();
			await visit.go("network");
			await ssid().fill("another network");
			await visit.page.getByRole("link", { name: say("nav.system"), exact: true }).click();
			await question().waitFor();
			assert.deepEqual(await violationsOf(visit), []);
			assert.equal(await visit.page.evaluate("location.hash"), "#/network");
			await question().locator("[name=stay]").click();
			assert.equal(await ssid().inputValue(), "another network");

			const closing = visit.page.waitForEvent("dialog");
			await visit.page.evaluate("setTimeout(() => location.reload())");
			const asked = await closing;
			assert.equal(asked.type(), "beforeunload");
			await asked.dismiss();
			assert.equal(await ssid().inputValue(), "another network");

			await visit.button("logout").click();
			await question().locator("[name=stay]").click();
			await visit.page.getByRole("link", { name: say("nav.system"), exact: true }).click();
			await question().locator("[name=leave]").click();
			await visit.card("again.title").waitFor();
			// Typed back to what it was, it is nothing to ask about.
			await visit.go("network");
			const name = await ssid().inputValue();
			await ssid().fill("x");
			await ssid().fill(name);
			await visit.go("system");
		});

		it("outlives the end of the session, which says why it came early", async () => {
			await begin();
			await visit.go("network");
			await ssid().fill("another network");
			const token = (await visit.stored("token")) ?? "";
			assert.equal((await gateway.post("system/logout", undefined, { token })).status, 200);
			await looksAgain();
			await dialog().getByText(say("ending.early")).waitFor();
			await logInAgain();
			assert.equal(await ssid().inputValue(), "another network");
			await ssid().fill((await gateway.read("network/status")).ssid);
		});
	});

	it("a session tells before its end that the password will be wanted, and is renewed in place", async () => {
		await begin({ hurried: true });
		await visit.go("network");
		await ssid().fill("another network");
		const renew = visit.page.locator("[name=renew]");
		await visit.page.clock.fastForward(27 * 60_000);
		assert.equal(await renew.count(), 0);
		await visit.page.clock.fastForward(90_000);
		await renew.waitFor();
		await visit.page
			.getByText(/Your session expires at/)
			.first()
			.waitFor();
		const before = await visit.stored("token");
		await renew.click();
		await logInAgain();
		await renew.waitFor({ state: "detached" });
		assert.notEqual(await visit.stored("token"), before);
		assert.equal(await ssid().inputValue(), "another network");
		// Its time being over, the session is said to have ended, not to have been cut short.
		await visit.page.clock.fastForward(31 * 60_000);
		await gateway.post("system/logout", undefined, { token: (await visit.stored("token")) ?? "" });
		await looksAgain();
		await dialog().getByText(say("login.again")).waitFor();
		await logInAgain();
		assert.equal(await ssid().inputValue(), "another network");
		await ssid().fill((await gateway.read("network/status")).ssid);
	});
});
