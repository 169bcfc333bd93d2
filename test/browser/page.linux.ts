/**
 * The unchanged page against the firmware that the Moddable SDK builds, in XS with the microcontroller's memory: a
 * browser opens connections side by side, drops requests, and requests everything at once.
 */
import assert from "node:assert/strict";
import { vectorOf } from "../api/gateway.js";
import type { ProcessGateway } from "../api/process-gateway.js";
import { ANY, BOOT, probe } from "../system/memory-limits.js";
import { newContext, PLACES, say, startGateway, usePage, Visit } from "./browser.js";

const { telegram, readings } = vectorOf("iskraemeco-mt174-15-billing-periods");
/** Number of connections that browsers open to one host; the gateway has two. */
const TABS = 6;
/** Time longer than any time-out of a connection without a request, ms. */
const REST_MS = 31_000;
/** Allowed growth of memory after all tests. */
const GROWTH = { slots: 32, chunks: 1024 };

describe("The page of the firmware on Linux", function () {
	this.timeout(180_000);
	usePage();
	let gateway: ProcessGateway;
	let visit: Visit;

	before(async () => {
		gateway = await startGateway({}, "linux");
		await gateway.connectMeter({ telegram });
	});

	it("is served, accepts a login, and shows a reading", async function () {
		await probe(gateway, this, BOOT);
		visit = await (await Visit.begin(gateway, { live: true })).logIn();
		await visit.button("read.now").click();
		await visit.card("counter.title").waitFor();
		await visit.page.getByText(say("read.done")).waitFor({ state: "attached" });
		await probe(gateway, this, ANY);
	});

	it("saves a setting, and opens every page", async function () {
		await visit.go("meter");
		await visit.save(visit.card("iec.title"), { baudrate_max: 4800 });
		await gateway.login();
		assert.equal((await gateway.read("iec62056/config")).baudrate_max, 4800);
		for (const place of PLACES) await visit.go(place);
		await visit.go("readings");
		await visit.page
			.locator("table.readings tbody tr")
			.nth(readings.length - 1)
			// Earlier billing periods are folded.
			.waitFor({ state: "attached" });
		await probe(gateway, this, ANY);
		await visit.end();
	});

	it("is served to many tabs at once, also when some are closed during a reply, and memory does not grow", async function () {
		// Wait until connections have ended, so that equal states are compared.
		await gateway.pass(REST_MS);
		const before = await probe(gateway, this, ANY);
		for (let round = 0; round < 3; round++) {
			const context = await newContext({ ignoreHTTPSErrors: true });
			const pages = await Promise.all(Array.from({ length: TABS }, () => context.newPage()));
			const loads = pages.map((page) => page.goto(`https://localhost:${gateway.httpsPort}/`));
			// The other loads are dropped in the middle.
			await Promise.race(loads);
			for (const load of loads) load.catch(() => {});
			await context.close();
		}
		visit = await (await Visit.begin(gateway)).logIn();
		await visit.go("system");
		await visit.end();
		await gateway.pass(REST_MS);
		const after = await probe(gateway, this, ANY);
		assert.ok(after.slots - before.slots <= GROWTH.slots, `${after.slots - before.slots} slots more`);
		assert.ok(after.chunks - before.chunks <= GROWTH.chunks, `${after.chunks - before.chunks} bytes of chunks more`);
	});
});
