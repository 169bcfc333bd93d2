/** The page and the gateway's event stream: how soon changes appear, and what happens without the stream. */
import assert from "node:assert/strict";
import { setTimeout } from "node:timers/promises";
import type { Request } from "playwright-core";
import type { ProcessGateway } from "../api/process-gateway.js";
import { EVENTS, LOST, say, startWithMeter, usePage, Visit } from "./browser.js";

/** Limit that polling could not meet, ms. */
const SOON_MS = 8000;
/** Limit without the stream: a poll, and the reply to it, ms. */
const POLLED_MS = 8000;
/** Limit for noticing a frozen gateway: the stream's silence, and a request that times out, ms. */
const MISSED_MS = 26_000;

const telegramOf = (kWh: string) => Buffer.from(`/XXX5T\r\n\r\n1-0:1.8.0(${kWh}*kWh)\r\n!\r\n`);

/** Returns true if a client has the stream. */
const isTaken = async (gateway: ProcessGateway) => (await gateway.get("events")).status === 503;

/**
 * Waits until a client has the stream. A stream gives way when all connections are in use (http/server.ts), and a
 * browser opens as many connections as it likes.
 */
async function untilTaken(gateway: ProcessGateway): Promise<void> {
	for (let tries = 0; !(await isTaken(gateway)); tries++) {
		assert.ok(tries < 30, "no client has opened the stream");
		await setTimeout(1000);
	}
}

async function untilFree(gateway: ProcessGateway): Promise<void> {
	for (let tries = 0; await isTaken(gateway); tries++) {
		assert.ok(tries < 50, "the stream stays open");
		await setTimeout(100);
	}
}

describe("The page with the event stream", function () {
	this.timeout(180_000);
	usePage();
	let gateway: ProcessGateway;
	let visit: Visit;

	before(async () => {
		gateway = await startWithMeter({ telegram: telegramOf("000111.11"), mode: "C" });
		await gateway.read("iec62056/read");
	});
	afterEach(() => visit.end());

	const begin = async (options = {}) => {
		visit = await Visit.begin(gateway, { live: true, ...options });
		const streams = visit.page.waitForResponse(`**${EVENTS}`);
		await visit.logIn();
		await gateway.login();
		return streams;
	};
	const requestsFor = (path: string, from = 0): Request[] =>
		visit.requests.slice(from).filter((request) => new URL(request.url()).pathname === `/api/v1/${path}`);
	/**
	 * Reads the meter by another client; returns the time until the page shows the value, ms. The counter must rise by
	 * less than a main fuse lets through.
	 */
	const shownAfter = async (kWh: string): Promise<number> => {
		await gateway.connectMeter({ telegram: telegramOf(kWh), mode: "C" });
		await gateway.read("iec62056/read");
		const readMs = Date.now();
		await visit
			.card("counter.title")
			.getByText(String(Number(kWh)))
			.first()
			.waitFor();
		return Date.now() - readMs;
	};
	/** Simulates the browser's event when the tab is hidden or shown. */
	const setSeen = (isSeen: boolean) =>
		visit.page.evaluate(`
			Object.defineProperty(document, "visibilityState", { configurable: true, value: "${isSeen ? "visible" : "hidden"}" });
			document.dispatchEvent(new Event("visibilitychange"));
		`);

	it("shows another client's readout within 8 s, and requests the state at most twice a minute", async () => {
		assert.equal((await begin()).status(), 200);
		await setTimeout(2000);
		const from = visit.requests.length;
		const startMs = Date.now();
		for (const kWh of ["000111.22", "000111.33"]) {
			const ms = await shownAfter(kWh);
			assert.ok(ms <= SOON_MS, `${ms} ms`);
		}
		await setTimeout(Math.max(0, 12_000 - (Date.now() - startMs)));
		const count = requestsFor("system/status", from).length;
		assert.ok(count <= 2 + (Date.now() - startMs) / 30_000, `${count} times`);
		// The page opens a second stream if another connection of the browser made the gateway close the first.
		assert.ok(requestsFor("events").length <= 2);
	});

	it("shows the next scheduled time to the second, although its last status is seconds old", async () => {
		await begin();
		await setTimeout(3000);
		await shownAfter("000111.44");
		await visit.go("meter");
		const next = visit
			.card("schedule.title")
			.locator("div", { hasText: say("schedule.next") })
			.last();
		await next.getByText(/:(00|15|30|45):00 [AP]M$/).waitFor({ timeout: 10_000 });
	});

	it("fetches only once a readout that it has requested itself", async () => {
		await begin();
		await setTimeout(1000);
		const from = visit.requests.length;
		await visit.button("read.now").click();
		await visit.page.getByRole("progressbar").waitFor();
		await visit.button("read.now").waitFor();
		await setTimeout(2000);
		assert.deepEqual([requestsFor("iec62056/read", from).length, requestsFor("iec62056/last", from).length], [1, 0]);
	});

	it("closes the stream while the tab is hidden, and at the logout", async () => {
		await begin();
		await untilTaken(gateway);
		await setSeen(false);
		await untilFree(gateway);
		const again = visit.page.waitForResponse(`**${EVENTS}`);
		await setSeen(true);
		assert.equal((await again).status(), 200);
		await untilTaken(gateway);
		await visit.button("logout").click();
		await visit.page.waitForSelector("input[name=password]");
		await untilFree(gateway);
	});

	it("polls if another client has the stream, and if there is no stream", async () => {
		const other = gateway.follow();
		await setTimeout(500);
		assert.equal((await begin()).status(), 503);
		const ms = await shownAfter("000111.44");
		assert.ok(ms <= POLLED_MS, `${ms} ms`);
		other.leave();
		await visit.end();

		visit = await (await Visit.begin(gateway)).logIn();
		await visit.page.unroute(`**${EVENTS}`);
		await visit.page.route(`**${EVENTS}`, (route) => route.fulfill({ status: 501, body: "{}" }));
		await gateway.login();
		const later = await shownAfter("000111.55");
		assert.ok(later <= POLLED_MS, `${later} ms`);
	});

	it("polls when the stream breaks, and opens it again later", async () => {
		await begin();
		await visit.page.route(`**${EVENTS}`, (route) => route.abort());
		await setSeen(false);
		await setSeen(true);
		const ms = await shownAfter("000111.66");
		assert.ok(ms <= POLLED_MS, `${ms} ms`);
		await visit.page.unroute(`**${EVENTS}`);
		const again = await visit.page.waitForResponse(`**${EVENTS}`, { timeout: 40_000 });
		assert.equal(again.status(), 200);
		await setTimeout(500);
		const soon = await shownAfter("000111.77");
		assert.ok(soon <= SOON_MS, `${soon} ms`);
	});

	it("notices a frozen gateway by the stream's silence, and continues when it runs again", async () => {
		await begin();
		await setTimeout(1000);
		process.kill(gateway.pid, "SIGSTOP");
		try {
			const begunMs = Date.now();
			await visit.page.getByText(LOST).waitFor({ timeout: MISSED_MS });
			assert.ok(Date.now() - begunMs > 5000);
			await visit.page.locator("main.stale").waitFor();
		} finally {
			process.kill(gateway.pid, "SIGCONT");
		}
		await visit.page.getByText(LOST).waitFor({ state: "detached" });
	});
});

describe("A display with the event stream", function () {
	this.timeout(180_000);
	usePage();
	let gateway: ProcessGateway;
	let visit: Visit;

	before(async () => {
		gateway = await startWithMeter({ telegram: telegramOf("000111.11"), mode: "C" });
	});

	it("follows the stream with a read-only token, until that is revoked", async () => {
		const { token, id } = await gateway.write("system/tokens", { name: "hall", scope: "read" });
		visit = await Visit.begin(gateway, { live: true, path: `/#/dashboard?token=${token}` });
		const isStream = (request: Request) => new URL(request.url()).pathname === EVENTS;
		const stream = visit.requests.find(isStream) ?? (await visit.page.waitForRequest(isStream));
		assert.equal((await stream.response())?.status(), 200);
		await setTimeout(500);
		await gateway.read("iec62056/read");
		const readMs = Date.now();
		await visit.card("counter.title").getByText("111.11").first().waitFor();
		assert.ok(Date.now() - readMs <= SOON_MS, `${Date.now() - readMs} ms`);
		assert.equal((await gateway.request("DELETE", `system/tokens/${id}`)).status, 200);
		await untilFree(gateway);
		await visit.end();
	});
});
