/**
 * Changes while the page is open: a slow readout, ageing values, a gateway that disappears, a session that ends, and
 * unsaved input meanwhile.
 */
import assert from "node:assert/strict";
import { setTimeout } from "node:timers/promises";
import { type JSONObject, PASSWORD, vectorOf } from "../api/gateway.js";
import type { ProcessGateway } from "../api/process-gateway.js";
import { violationsOf } from "./axe.js";
import { holdRequests, LOST, PHONE, say, startWithMeter, usePage, Visit } from "./browser.js";

const { telegram } = vectorOf("kamstrup-162-dsmr2");
/** The gateway's zone; the browser's is UTC, nine hours behind. */
const ZONE = "Asia/Tokyo";
/** Limit for noticing that the gateway does not answer, ms; a poll and a time-out of 20 s would take longer. */
const NOTICED_MS = 14_000;

describe("Changes while the page is open", function () {
	this.timeout(180_000);
	usePage();
	let gateway: ProcessGateway;
	let visit: Visit;

	before(async () => {
		gateway = await startWithMeter({ telegram, mode: "C" });
		await gateway.write("system/timezone", { timezone: ZONE });
		await gateway.read("iec62056/read");
	});
	afterEach(() => visit?.end());

	const begin = async (options = {}) => {
		visit = await (await Visit.begin(gateway, options)).logIn();
		// The logins of all visits together end the test's own session, because at most six may be open.
		await gateway.login();
	};
	/** Replaces members of the gateway's replies at `path`. */
	const pretend = async (path: string, change: (now: Record<string, unknown>) => object) => {
		await visit.page.unroute(`**/${path}`);
		await visit.page.route(`**/${path}`, async (route) => {
			const response = await route.fetch();
			const now = await response.json();
			await route.fulfill({ response, json: { ...now, ...change(now) } });
		});
	};
	const returnsToPage = () => visit.page.evaluate(`document.dispatchEvent(new Event("visibilitychange"))`);
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
		it("delays no other page, and still shows its progress after a change of page", async () => {
			await begin();
			// The readout lasts until `release` is called.
			const release = await holdRequests(visit.page, "**/iec62056/read*");
			await visit.button("read.now").click();
			await visit.page.getByRole("progressbar").waitFor();
			for (const place of ["system", "network", "meter"] as const) await visit.page.goto(`${visit.base}/#/${place}`);
			await visit.card("protocol.title").locator("[name=protocol]").waitFor();
			await setTimeout(2_000);
			await visit.page.goto(`${visit.base}/#/dashboard`);
			const progress = visit.page.getByRole("progressbar");
			await progress.waitFor();
			assert.ok(Number(await progress.getAttribute("value")) >= 2, "the progress started again");
			release();
			await progress.waitFor({ state: "detached" });
			await visit.page.getByText(say("read.done")).waitFor({ state: "attached" });
			assert.equal(visit.mostAtOnce, 2, "not exactly one other request at a time beside the readout");
		});
	});

	describe("values", () => {
		const mark = () => visit.card("now.title").getByText(say("stale.mark"));

		it("are marked when they are old, with the reason, until a new one arrives", async () => {
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

		it("are marked as late only when the schedule's next readout is missing", async () => {
			await gateway.read("iec62056/read");
			await begin();
			const plan = { enabled: true, period_unit: "minutes", period_value: 15 };
			await pretend("iec62056/schedule", () => plan);
			await pretend("system/status", ({ timestamp }) => ({ timestamp: Number(timestamp) + 900 }));
			await visit.page.reload();
			await visit.settled();
			await visit.page.getByText(/Last reading: 15 minutes ago/).waitFor();
			await visit.page.getByRole("heading", { name: /^Power at \d+:\d\d/ }).waitFor();
			await mark().waitFor({ state: "detached" });
			await pretend("system/status", ({ timestamp }) => ({ timestamp: Number(timestamp) + 1100 }));
			await visit.page.getByText(/due every 15 minutes, but none has arrived since/).waitFor();
			await mark().waitFor();
		});

		it("are shown with the time and the reason of the last failure, and how long the meter has been silent", async () => {
			await begin();
			const failing = { meter_state: "iec62056-21/silence" };
			await pretend("iec62056/last*", ({ timestamp }) => ({ last_attempt: Number(timestamp) + 60 }));
			await pretend("system/status", ({ timestamp }) => ({ ...failing, timestamp: Number(timestamp) + 180 }));
			const words = visit.card("now.title").locator(".notice");
			await words.getByText(/The last attempt to read the meter \(.* ago\) failed/).waitFor();
			await words.getByText(say("failure.silence")).waitFor();
			await words.getByText(/no good reading since/).waitFor();
		});

		it("have no power once it is too old, but counters, and the time since when", async () => {
			await gateway.read("iec62056/read");
			await begin();
			const figure = visit.card("now.title").locator(".big");
			await figure.filter({ hasText: /\d W/ }).waitFor();
			await pretend("iec62056/last*", (last) => ({
				momentary_valid: false,
				last_error: "meter/silent",
				readings: (last.readings as JSONObject[]).map((one) =>
					/^\d+\.7\./.test(one.obis) ? { ...one, value1_number: null } : one,
				),
			}));
			await pretend("system/status", ({ timestamp }) => ({
				meter_state: "meter/silent",
				timestamp: Number(timestamp) + 60,
			}));
			await visit.card("now.title").getByText(say("failure.stopped")).waitFor();
			await visit
				.card("now.title")
				.getByText(/no good reading since/)
				.waitFor();
			assert.equal(await figure.textContent(), "–");
			assert.equal(await visit.page.getByText(say("now.none")).count(), 0);
			await visit.card("counter.title").waitFor();
			await visit.page.unroute("**/iec62056/last*");
			await visit.page.unroute("**/system/status");
			await visit.button("read.now").click();
			await figure.filter({ hasText: /\d W/ }).waitFor();
		});

		it("are shown with times in the gateway's zone, and as a line, which survives a reload", async () => {
			await begin();
			for (let count = 0; count < 2; count++) {
				await visit.button("read.now").click();
				await visit.page.getByRole("progressbar").waitFor();
				await visit.button("read.now").waitFor();
			}
			const curve = visit.card("now.title");
			const describe = async () => (await curve.getByRole("img").getAttribute("aria-label")) ?? "";
			const seen = await describe();
			assert.match(seen, /, from .* W to .* W/);
			assert.ok((await visit.card("now.title").locator(".age").textContent())?.includes(ZONE));
			await visit.page.reload();
			await visit.settled();
			await curve.getByRole("img").waitFor();
			assert.equal(await describe(), seen);
			assert.ok(((await visit.stored("curve")) ?? "").length < 500);
		});
	});

	it("shows soon, and with the time, that the gateway does not answer, and sends few requests meanwhile", async () => {
		await begin({ hurried: true });
		const pageMs = (): Promise<number> => visit.page.evaluate("Date.now()");
		let requests = 0;
		await visit.page.route("**/api/**", () => void requests++);
		const startMs = await pageMs();
		await visit.hurry(visit.page.getByText(LOST));
		const ms = (await pageMs()) - startMs;
		assert.ok(ms < NOTICED_MS, `${ms} ms`);
		assert.ok(requests <= 2, `${requests} waiting requests`);
		assert.match((await visit.page.getByText(LOST).textContent()) ?? "", /since \w+ \d+/);
		await visit.card("now.title").getByText(say("stale.mark")).waitFor();
		await visit.page.unroute("**/api/**");
		await visit.page.getByText(LOST).waitFor({ state: "detached" });
		await visit.card("now.title").getByText(say("stale.mark")).waitFor({ state: "detached" });
	});

	it("shows Wi-Fi as connected only by the state of the network, not by the switch", async () => {
		await begin();
		const chip = await visit.state(say("state.wifi"));
		const { ssid: name } = await gateway.read("network/status");
		await chip.getByText(name).waitFor();
		await pretend("network/status", () => ({ connected: false }));
		await visit.page.reload();
		await visit.state(say("state.wifi"));
		await chip.getByText(say("state.disconnected")).waitFor();
		assert.match((await chip.getAttribute("class")) ?? "", /warning/);
		await pretend("network/status", () => ({ connected: false, wifi_enabled: false }));
		await visit.page.reload();
		await visit.state(say("state.wifi"));
		await chip.getByText(say("state.off"), { exact: true }).waitFor();
	});

	describe("unsaved input", () => {
		const question = () => visit.page.getByRole("dialog", { name: say("unsaved.title") });

		it("makes the page ask before it is left or closed", async () => {
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
			const prompt = await closing;
			assert.equal(prompt.type(), "beforeunload");
			await prompt.dismiss();
			assert.equal(await ssid().inputValue(), "another network");

			await visit.button("logout").click();
			await question().locator("[name=stay]").click();
			await visit.page.getByRole("link", { name: say("nav.system"), exact: true }).click();
			await question().locator("[name=leave]").click();
			await visit.card("again.title").waitFor();
			// Input that was changed back to the saved value is not unsaved.
			await visit.go("network");
			const name = await ssid().inputValue();
			await ssid().fill("x");
			await ssid().fill(name);
			await visit.go("system");
		});

		it("survives an early end of the session, of which the page gives the reason", async () => {
			await begin();
			await visit.go("network");
			await ssid().fill("another network");
			const token = (await visit.stored("token")) ?? "";
			assert.equal((await gateway.post("system/logout", undefined, { token })).status, 200);
			await returnsToPage();
			await dialog().getByText(say("ending.early")).waitFor();
			await logInAgain();
			assert.equal(await ssid().inputValue(), "another network");
			await ssid().fill((await gateway.read("network/status")).ssid);
		});
	});

	it("warns before the session ends, and renews the session on the same page", async () => {
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
		// After its full time the session is reported as expired, not as ended early.
		await visit.page.clock.fastForward(31 * 60_000);
		await gateway.post("system/logout", undefined, { token: (await visit.stored("token")) ?? "" });
		await returnsToPage();
		await dialog().getByText(say("login.again")).waitFor();
		await logInAgain();
		assert.equal(await ssid().inputValue(), "another network");
		await ssid().fill((await gateway.read("network/status")).ssid);
	});
});
