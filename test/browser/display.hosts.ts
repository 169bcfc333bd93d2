/** A wall display, from the creation of its token to its revocation, in a browser without a user. */
import assert from "node:assert/strict";
import type { Locator } from "playwright-core";
import decodeQR from "qr/decode.js";
import { PASSWORD, vectorOf } from "../api/gateway.js";
import type { ProcessGateway } from "../api/process-gateway.js";
import { violationsOf } from "./axe.js";
import { DESKTOP, LOST, PHONE, say, startWithMeter, usePage, Visit } from "./browser.js";

/** Size of a module in pixels, for the QR decoder. */
const SCALE = 8;
const WEEKS_MS = 3 * 7 * 86_400_000;

/** The QR code as a camera sees it, in RGB. */
async function pictureOf(code: Locator): Promise<{ width: number; height: number; data: Uint8Array }> {
	const side = Number((await code.getAttribute("viewBox"))?.split(" ")[2]);
	const cells = (await code.locator("path").getAttribute("d")) ?? "";
	const width = side * SCALE;
	const data = new Uint8Array(width * width * 3).fill(255);
	for (const [, x, y] of cells.matchAll(/M(\d+) (\d+)h1v1h-1z/g)) {
		for (let row = 0; row < SCALE; row++) {
			const start = ((Number(y) * SCALE + row) * width + Number(x) * SCALE) * 3;
			data.fill(0, start, start + SCALE * 3);
		}
	}
	return { width, height: width, data };
}

describe("A wall display", function () {
	this.timeout(180_000);
	usePage();
	let gateway: ProcessGateway;
	let link = "";
	let token = "";
	let wall: Visit;

	before(async () => {
		gateway = await startWithMeter({ telegram: vectorOf("kamstrup-162-dsmr2").telegram, mode: "C" });
		await gateway.read("iec62056/read");
	});

	const figure = () => wall.card("now.title").locator(".big:not(.none)");

	it("begins with a read-only token, a link, and the same link as a QR code", async () => {
		const visit = await (await Visit.begin(gateway, { width: PHONE })).logIn();
		await visit.go("security");
		const card = visit.card("tokens.title");
		await visit.fill(card, { name: "Hall" });
		await card.getByRole("radio", { name: say("tokens.scope.read") }).check();
		await visit.submit(card);
		const dialog = visit.page.getByRole("dialog");
		token = (await dialog.locator("pre.token").textContent()) ?? "";
		gateway.plant(token);
		link = (await dialog.locator("a.link").getAttribute("href")) ?? "";
		assert.equal(link, `${visit.base}/#/dashboard?token=${token}`);
		const code = dialog.getByRole("img", { name: say("display.code") });
		assert.equal(decodeQR(await pictureOf(code)), link);
		assert.deepEqual([await violationsOf(visit), await visit.overflow()], [[], []]);
		await dialog.locator("[name=stored]").click();
		await card.getByRole("listitem").filter({ hasText: "Hall" }).getByText(say("tokens.scope.read")).waitFor();
		const [{ scope }] = (await gateway.read("system/tokens")).tokens;
		assert.equal(scope, "read");
		await visit.end();
	});

	it("removes the token from the address, never sends it in an address, and shows the figures without a password", async () => {
		wall = await Visit.begin(gateway, { path: link.slice(link.indexOf("/#")), hurried: true });
		await figure().waitFor();
		await wall.settled();
		assert.equal(await wall.page.evaluate("location.href"), `${wall.base}/#/dashboard`);
		assert.equal(await wall.page.evaluate("history.length"), 2);
		for (const request of wall.requests) assert.ok(!new URL(request.url()).pathname.includes(token));
		for (const request of wall.requests) assert.ok(!new URL(request.url()).search.includes(token));
		assert.match((await figure().textContent()) ?? "", /\d W/);
		assert.equal(await wall.page.locator("input[name=password]").count(), 0);
		// The token must outlive the tab; that of a login must not.
		assert.equal(await wall.stored("token"), null);
		await wall.page.reload();
		await figure().waitFor();
		await wall.settled();
		const size = await wall.page.evaluate<number>(
			`parseFloat(getComputedStyle(document.querySelector(".big:not(.none)")).fontSize)`,
		);
		assert.ok(size >= 100, `${size} px`);
	});

	it("shows overview, use and readings only, whichever page its address names, accessibly on a phone and a desktop", async () => {
		for (const place of ["network", "security", "events", "setup", "use", "readings"]) {
			await wall.page.evaluate(`location.hash = "#/${place}"`);
			await wall.page.locator("main h1").waitFor({ state: "attached" });
			await wall.settled();
			assert.equal(await wall.page.locator("main form").count(), 0, place);
			assert.equal(await wall.page.locator("nav a").count(), 3);
		}
		assert.ok((await wall.page.locator("table.readings tbody tr").count()) > 3);
		assert.equal(await wall.page.locator("table.readings select").count(), 0);
		for (const place of ["use", "readings", "dashboard"]) {
			await wall.page.evaluate(`location.hash = "#/${place}"`);
			await wall.settled();
			const links = await wall.page.locator("a").evaluateAll((all) => all.map((one) => one.getAttribute("href")));
			assert.deepEqual(
				links.filter((to) => !["#/dashboard", "#/use", "#/readings"].includes(to ?? "")),
				[],
			);
			for (const width of [PHONE, DESKTOP]) {
				await wall.page.setViewportSize({ width, height: 800 });
				for (const colorScheme of ["light", "dark"] as const) {
					await wall.page.emulateMedia({ colorScheme });
					assert.deepEqual(await violationsOf(wall), []);
				}
				assert.deepEqual(await wall.overflow(), []);
			}
		}
	});

	it("keeps its token when a link with a wrong token is opened, and uses the token of a valid link", async () => {
		const stored = () => wall.page.evaluate<string | null>(`localStorage.getItem("display")`);
		// The page is loaded with this address, as from another site.
		const follow = async (made: string) => {
			await wall.page.goto("about:blank");
			await wall.page.goto(`${wall.base}/#/dashboard?token=${made}`);
			await wall.settled();
			assert.equal(await wall.page.evaluate("location.href"), `${wall.base}/#/dashboard`);
		};
		for (let i = 0; i < 2; i++) {
			await follow(String(i).repeat(64));
			await figure().waitFor();
			assert.equal(await stored(), token);
		}
		const { id, token: other } = await gateway.write("system/tokens", { name: "other", scope: "read" });
		await follow(other);
		await figure().waitFor();
		assert.equal(await stored(), other);
		await follow(token);
		await figure().waitFor();
		assert.equal(await stored(), token);
		assert.equal((await gateway.request("DELETE", `system/tokens/${id}`)).status, 200);
	});

	it("keeps a session when a link with a wrong token is opened, and reports a revoked token without a session", async () => {
		const visit = await (await Visit.begin(gateway)).logIn();
		const session = await visit.stored("token");
		await visit.page.goto("about:blank");
		await visit.page.goto(`${visit.base}/#/dashboard?token=${"e".repeat(64)}`);
		await visit.go("system");
		assert.equal(await visit.stored("token"), session);
		await visit.button("logout").click();
		await visit.page.waitForSelector("main.login");
		await visit.page.goto("about:blank");
		await visit.page.goto(`${visit.base}/#/dashboard?token=${"e".repeat(64)}`);
		await visit.page.getByText(say("ending.revoked")).waitFor();
		assert.equal(await visit.page.evaluate(`localStorage.getItem("display")`), null);
		await visit.end();
	});

	it("recovers by itself when the gateway was away for weeks, and when it has restarted", async () => {
		await wall.context.setOffline(true);
		await wall.hurry(wall.page.getByText(LOST));
		await wall.card("now.title").getByText(say("stale.mark")).waitFor();
		await wall.page.clock.fastForward(WEEKS_MS);
		const requestsBefore = wall.requests.length;
		await wall.page.clock.runFor(60_000);
		assert.ok(wall.requests.length - requestsBefore <= 10, "the page polls too often");
		await wall.context.setOffline(false);
		await wall.hurry(wall.page.locator("[name=state]"));
		for (;;) {
			if ((await wall.page.getByText(LOST).count()) === 0) break;
			await wall.page.clock.fastForward(2_000);
		}
		await gateway.post("system/reboot");
		await gateway.loginAfterReboot();
		await gateway.connectMeter({ telegram: vectorOf("kamstrup-162-dsmr2").telegram, mode: "C" });
		// The simulator restarts between two polls of the page and counts from 0. After only one readout its count would
		// equal the previous one.
		for (let count = 0; count < 2; count++) await gateway.read("iec62056/read");
		const { localtime } = await gateway.read("iec62056/last");
		// Minute and second are the same in every zone and language.
		await wall.hurry(wall.page.locator(".age").filter({ hasText: localtime.slice(13, 19) }));
		await wall.hurry(wall.page.locator("main:not(.stale)"));
		assert.equal(await wall.page.locator("input[name=password]").count(), 0);
	});

	it("lets its owner log in, and is a display again after the logout", async () => {
		await wall.page.locator("[name=login]").click();
		await wall.logIn();
		await wall.go("system");
		await wall.button("logout").click();
		await figure().waitFor();
		assert.equal(await wall.page.locator("nav a").count(), 3);
	});

	it("reports that its token was revoked and how to make another, then is an ordinary browser", async () => {
		const [{ id }] = (await gateway.read("system/tokens")).tokens;
		assert.equal((await gateway.request("DELETE", `system/tokens/${id}`)).status, 200);
		await wall.hurry(wall.page.getByText(say("ending.revoked")));
		assert.deepEqual(await violationsOf(wall), []);
		assert.ok(!(await wall.page.evaluate<string>("JSON.stringify(localStorage)")).includes(token));
		await wall.page.reload();
		await wall.page.getByText(say("ending.revoked")).waitFor();
		await wall.page.fill("input[name=password]", PASSWORD);
		await wall.page.press("input[name=password]", "Enter");
		await wall.page.getByRole("heading", { level: 1, name: say("nav.system") }).waitFor();
		await wall.button("logout").click();
		await wall.page.waitForSelector("main.login");
		assert.equal(await wall.page.getByText(say("ending.revoked")).count(), 0);
	});
});
