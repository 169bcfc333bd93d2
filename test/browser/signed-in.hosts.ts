/** A device that stays signed in for reading: its token, what it may do without the password, and how this ends. */
import assert from "node:assert/strict";
import { PASSWORD, vectorOf } from "../api/gateway.js";
import type { ProcessGateway } from "../api/process-gateway.js";
import { deleteTokens } from "../api/token-checks.js";
import { violationsOf } from "./axe.js";
import { PHONE, say, startGateway, startWithMeter, usePage, Visit, type VisitOptions } from "./browser.js";

describe("A device that stays signed in for reading", function () {
	this.timeout(180_000);
	usePage();
	let gateway: ProcessGateway;
	let visit: Visit;

	before(async () => {
		gateway = await startWithMeter({ telegram: vectorOf("kamstrup-162-dsmr2").telegram, mode: "C" });
		await gateway.read("iec62056/read");
		await replaceLabelPassword();
		await gateway.login();
	});
	afterEach(async () => {
		await visit.end();
		await gateway.login();
		await deleteTokens(gateway);
	});

	/** As in the wizard, but the owner chooses the same password again. */
	async function replaceLabelPassword(): Promise<void> {
		const words = { old_password: PASSWORD, new_password: PASSWORD };
		assert.equal((await gateway.post("system/password", words, { token: null })).status, 200);
	}
	const figure = () => visit.card("now.title").locator(".big:not(.none)");
	const dialog = () => visit.page.getByRole("dialog");
	const tokens = async () => (await gateway.read("system/tokens")).tokens;
	const storedToken = async (): Promise<{ id: string; token: string } | null> =>
		JSON.parse((await visit.page.evaluate("localStorage.getItem('reader')")) || "null");

	/** Logs in with the box "stay signed in" ticked. */
	async function signIn(options: VisitOptions = {}): Promise<void> {
		visit = await Visit.begin(gateway, options);
		await visit.page.getByLabel(say("login.keep"), { exact: true }).check();
		await visit.logIn();
		await visit.settled();
		const own = await storedToken();
		if (own !== null) gateway.plant(own.token);
	}
	/** Ends the tab's session, as a timeout or another tab does. */
	const endSession = async () => {
		await visit.page.evaluate("sessionStorage.clear()");
		await visit.page.reload();
		await visit.settled();
	};
	const enterPassword = async () => {
		await dialog().locator("input[name=password]").fill(PASSWORD);
		await dialog().locator("button[type=submit]").click();
		await dialog().waitFor({ state: "detached" });
		await visit.settled();
	};

	it("gets no token unless its owner ticks the box", async () => {
		visit = await Visit.begin(gateway);
		assert.equal(await visit.page.getByLabel(say("login.keep"), { exact: true }).isChecked(), false);
		assert.deepEqual(await violationsOf(visit), []);
		await visit.logIn();
		assert.deepEqual(await tokens(), []);
		assert.equal(await storedToken(), null);
		await endSession();
		await visit.page.waitForSelector("main.login");
	});

	it("has a read-only token of its own, named after browser, system and month", async () => {
		await signIn({ width: PHONE });
		const [token] = await tokens();
		assert.equal(token.scope, "read");
		assert.match(token.name, /^Chrome on \w+, [A-Z][a-z]{2} 20\d\d$/);
		assert.equal((await storedToken())?.id, token.id);
		await visit.go("security");
		const row = visit.card("tokens.title").getByRole("listitem").filter({ hasText: token.name });
		await row.getByText(say("tokens.this")).waitFor();
		assert.deepEqual([await violationsOf(visit), await visit.overflow()], [[], []]);
	});

	it("shows overview, consumption and readings after its session has ended, without asking for the password", async () => {
		await signIn();
		await endSession();
		await figure().waitFor();
		visit.requests.length = 0;
		for (const place of ["dashboard", "use", "readings"] as const) {
			await visit.go(place);
			assert.equal(await dialog().count(), 0, place);
		}
		await visit.go("dashboard");
		await visit.button("read.now").click();
		await visit.page.getByText(say("read.done")).first().waitFor({ state: "attached" });
		for (const request of visit.requests) {
			const reply = await request.response();
			assert.notEqual(reply?.status(), 403, request.url());
		}
	});

	it("asks for the password when a page needs it, and shows the page only with the password", async () => {
		await signIn();
		await endSession();
		await visit.page.evaluate("location.hash = '#/hub'");
		await dialog().getByText(say("error.forbidden_scope")).waitFor();
		assert.deepEqual(await violationsOf(visit), []);
		await visit.button("cancel", dialog().page()).click();
		await dialog().waitFor({ state: "detached" });
		assert.equal(await visit.page.locator("main form").count(), 0);
		await visit.page.evaluate("location.hash = '#/network'");
		await dialog().getByText(say("error.forbidden_scope")).waitFor();
		await enterPassword();
		await visit.page.locator("main form").first().waitFor();
		// The session ends as any other, and the device can still read.
		assert.match((await visit.stored("token")) ?? "", /^[0-9a-f]{64}$/);
		assert.equal((await tokens()).length, 1);
	});

	it("keeps unsaved input when the session ends, and saves it once the password is entered", async () => {
		await signIn();
		await visit.go("system");
		const form = visit.page.locator("form").filter({ has: visit.page.locator("[name=timezone]") });
		await form.locator("[name=timezone]").selectOption("Europe/Warsaw");
		for (const { id, current } of (await gateway.read("system/sessions")).sessions)
			if (!current) await gateway.request("DELETE", `system/sessions/${id}`);
		await visit.submit(form);
		await dialog().getByText(say("error.forbidden_scope")).waitFor();
		await enterPassword();
		await form.locator(".notice.good").waitFor();
		assert.equal((await gateway.read("system/timezone")).timezone, "Europe/Warsaw");
	});

	it("reports that its token was revoked, deletes it, and then has an ordinary login", async () => {
		await signIn();
		await endSession();
		await figure().waitFor();
		await gateway.login();
		await deleteTokens(gateway);
		await visit.page.reload();
		await visit.page.getByText(say("ending.forgotten")).waitFor();
		assert.equal(await storedToken(), null);
		// This message also survives a restart of the browser.
		await visit.page.evaluate("sessionStorage.clear()");
		await visit.page.reload();
		await visit.page.locator("main.login").getByText(say("ending.forgotten")).waitFor();
		await visit.logIn();
		await visit.page.evaluate("sessionStorage.clear()");
		await visit.page.reload();
		await visit.page.waitForSelector("main.login");
		assert.equal(await visit.page.getByText(say("ending.forgotten")).count(), 0);
	});

	it("deletes its token when its user revokes it on the security page", async () => {
		await signIn();
		await visit.go("security");
		const card = visit.card("tokens.title");
		await card.locator("button[name=revoke]").click();
		await dialog().locator("button[type=submit]").click();
		await card.getByText(say("tokens.none")).waitFor();
		assert.equal(await storedToken(), null);
		assert.equal(await visit.page.evaluate("localStorage.getItem('reader')"), null);
	});

	for (const withSession of [true, false]) {
		it(`revokes its token at the logout, ${withSession ? "with a session" : "without one"}`, async () => {
			await signIn();
			if (!withSession) await endSession();
			const own = (await storedToken())?.token ?? "";
			await visit.button("logout").click();
			await visit.page.waitForSelector("main.login");
			await visit.settled();
			assert.equal(await visit.page.evaluate("localStorage.getItem('reader')"), null);
			assert.deepEqual(await tokens(), []);
			assert.equal((await gateway.get("system/status", { token: own })).status, 401);
			await visit.page.reload();
			await visit.page.waitForSelector("main.login");
			assert.equal(await visit.page.getByText(say("ending.forgotten")).count(), 0);
		});
	}

	it("says where the user is that the maximum of tokens is reached, and is logged in all the same", async () => {
		await gateway.login();
		for (const name of ["one", "two", "three"]) await gateway.write("system/tokens", { name, scope: "read" });
		await signIn({ width: PHONE });
		await figure().waitFor();
		const notice = visit.page.locator(".notice", { hasText: say("login.keep.failed") });
		await notice.getByText(say("error.token_slots_full")).waitFor();
		assert.deepEqual([await violationsOf(visit), await visit.overflow()], [[], []]);
		await notice.getByRole("link").click();
		const card = visit.card("tokens.title");
		await card.getByText(`${say("login.keep.failed")} ${say("error.token_slots_full")}`).waitFor();
		assert.equal(await storedToken(), null);
		assert.equal((await tokens()).length, 3);
		assert.deepEqual([await violationsOf(visit), await visit.overflow()], [[], []]);
		await visit.go("dashboard");
		await figure().waitFor();
	});

	it("gets its token only when the password of the label is replaced", async () => {
		const fresh = await startGateway();
		await fresh.login();
		visit = await Visit.begin(fresh);
		await visit.page.getByLabel(say("login.keep"), { exact: true }).check();
		await visit.logIn();
		assert.deepEqual((await fresh.read("system/tokens")).tokens, []);
		await visit.go("security");
		const card = visit.card("login.password");
		await visit.fill(card, { old: PASSWORD, new: PASSWORD, repeat: PASSWORD });
		await visit.submit(card);
		await card.locator(".notice.good").waitFor();
		await fresh.login();
		assert.equal((await fresh.read("system/tokens")).tokens.length, 1);
	});

	it("shows the page that the address names, even if the address changed before the frame watched it", async () => {
		visit = await Visit.begin(gateway);
		await visit.page.evaluate(`{
			const add = window.addEventListener;
			window.addEventListener = (type, ...rest) => {
				if (type === "hashchange") history.replaceState(null, "", "#/security");
				add(type, ...rest);
			};
		}`);
		await visit.logIn();
		await visit.card("tokens.title").waitFor();
	});
});
