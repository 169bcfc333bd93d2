/** Login and logout, and the end of a session while the page is open. */
import assert from "node:assert/strict";
import { PASSWORD, vectorOf } from "../api/gateway.js";
import type { ProcessGateway } from "../api/process-gateway.js";
import { holdRequests, PHONE, say, startGateway, startWithMeter, usePage, Visit } from "./browser.js";

describe("The page's login", function () {
	this.timeout(180_000);
	usePage();
	let gateway: ProcessGateway;
	let visit: Visit;

	before(async () => {
		gateway = await startWithMeter({ telegram: vectorOf("landis-gyr-zmf100-m26-padded-left").telegram });
	});
	afterEach(() => visit.end());

	const password = () => visit.page.getByLabel(say("login.password"), { exact: true });
	const error = () => visit.page.getByRole("alert");

	it("accepts the right password, keeps the token for this tab only, and deletes it at the logout", async () => {
		visit = await Visit.begin(gateway);
		assert.equal(await visit.stored("token"), null);
		await visit.logIn();
		const token = await visit.stored("token");
		assert.match(token ?? "", /^[0-9a-f]{64}$/);
		gateway.plant(token!);
		assert.equal(await visit.page.evaluate("JSON.stringify(localStorage).includes('token')"), false);
		assert.equal(await visit.page.evaluate("document.cookie"), "");
		// The session survives a reload of the tab.
		await visit.page.reload();
		await visit.settled();
		assert.equal(await visit.page.getByRole("navigation").count(), 1);

		await visit.button("logout").click();
		await password().waitFor();
		assert.equal(await visit.stored("token"), null);
		assert.equal((await gateway.get("meter/protocol", { token })).status, 401);
	});

	it("deletes the token before the gateway replies, without affecting a login that follows", async () => {
		visit = await (await Visit.begin(gateway)).logIn();
		const token = await visit.stored("token");
		const release = await holdRequests(visit.page, "**/system/logout");
		await visit.button("logout").click();
		await password().waitFor();
		assert.equal(await visit.stored("token"), null);
		await password().fill(PASSWORD);
		await password().press("Enter");
		await visit.page.waitForSelector("main:not(.login)");
		const replied = visit.page.waitForResponse("**/system/logout");
		release();
		assert.equal((await replied).status(), 200);
		await visit.settled();
		const newToken = (await visit.stored("token")) ?? "";
		assert.match(newToken, /^[0-9a-f]{64}$/);
		for (const [used, status] of [
			[token, 401],
			[newToken, 200],
		] as const)
			assert.equal((await gateway.get("meter/protocol", { token: used })).status, status);
		assert.equal(await visit.page.getByRole("dialog").count(), 0);
	});

	it("rejects a wrong password with a reason and an unchanged field, then accepts the right one", async () => {
		visit = await Visit.begin(gateway, { width: PHONE });
		await password().fill("wrong-password");
		await visit.button("login.go").click();
		await error().waitFor();
		await error().getByText(say("error.invalid_proof")).waitFor();
		assert.equal(await password().inputValue(), "wrong-password");
		assert.equal(await visit.stored("token"), null);
		await visit.logIn();
	});

	it("waits after wrong passwords, then accepts the right one", async () => {
		visit = await Visit.begin(gateway);
		// After the last of these attempts, the next one must wait 4 s.
		for (const waitMs of [0, 0, 0, 0, 0, 1100, 2100]) {
			await gateway.pass(waitMs);
			const body = JSON.stringify({ username: "admin", password: "wrong" });
			const attempt = `fetch("/api/v1/system/login", { method: "POST", body: ${JSON.stringify(body)} })`;
			assert.equal(await visit.page.evaluate(`${attempt}.then((reply) => reply.text().then(() => reply.status))`), 401);
		}
		const startMs = Date.now();
		await visit.logIn();
		assert.ok(Date.now() - startMs > 2000, "the login did not wait");
		assert.match((await visit.stored("token")) ?? "", /^[0-9a-f]{64}$/);
	});

	it("sends a proof, and never the password", async () => {
		visit = await Visit.begin(gateway);
		const bodies: string[] = [];
		visit.page.on("request", (request) => bodies.push(`${request.url()} ${request.postData() ?? ""}`));
		await visit.logIn();
		assert.ok(bodies.some((body) => body.includes("proof")));
		for (const body of bodies) assert.doesNotMatch(body, /label-password|"password"/);
	});

	it("opens the wizard while the password is the label's, unless the address names a page", async () => {
		visit = await Visit.begin(gateway, { path: "/" });
		await visit.logIn();
		await visit.page.waitForSelector("main.wizard");
		await visit.go("dashboard");
		await visit.page.reload();
		await visit.settled();
		assert.equal(await visit.page.evaluate("location.hash"), "#/dashboard");
	});

	it("has the focus in the field, so that a keyboard can be used at once", async () => {
		visit = await Visit.begin(gateway);
		await visit.page.keyboard.type("abc");
		assert.equal(await password().inputValue(), "abc");
	});

	it("takes the password that a manager fills in without an event", async () => {
		visit = await Visit.begin(gateway);
		const fill = `document.querySelector("[name=password]").value = ${JSON.stringify(PASSWORD)}`;
		await visit.page.evaluate(fill);
		await visit.page.getByLabel(say("login.keep"), { exact: true }).check();
		assert.equal(await password().inputValue(), PASSWORD);
		await visit.page.getByLabel(say("login.keep"), { exact: true }).uncheck();
		await visit.page.evaluate(`${fill}; document.querySelector("form").requestSubmit()`);
		await visit.page.waitForSelector("main:not(.login)");
		await visit.settled();
	});

	it("says what to do about a forgotten password after a wrong one", async () => {
		visit = await Visit.begin(gateway);
		const help = visit.page.getByText(say("login.forgot.help"));
		assert.equal(await help.isVisible(), false);
		await password().fill("wrong-password");
		await visit.button("login.go").click();
		await help.waitFor();
	});

	it("asks nothing about certificates, and keeps nobody signed in, where there is no TLS", async () => {
		const other = await startGateway({ mode: "ap" });
		visit = await Visit.begin(other, { plain: true });
		await visit.page.getByText(say("login.forgot")).waitFor();
		for (const text of ["login.certificate", "login.keep"] as const)
			await visit.page.getByText(say(text)).waitFor({ state: "detached" });
	});

	it("works in a browser that keeps nothing for pages", async () => {
		visit = await Visit.begin(gateway);
		await visit.page.addInitScript(`for (const name of ["localStorage", "sessionStorage"])
			Object.defineProperty(window, name, { configurable: true, get() { throw new DOMException("", "SecurityError"); } })`);
		await visit.page.reload();
		await visit.started();
		await visit.logIn();
		await visit.go("security");
		await visit.card("tokens.title").waitFor();
	});

	it("shows and hides the typed password", async () => {
		visit = await Visit.begin(gateway);
		await password().fill("something");
		assert.equal(await password().getAttribute("type"), "password");
		await visit.page.getByRole("button", { name: /^Show/ }).click();
		assert.equal(await password().getAttribute("type"), "text");
		await visit.page.getByRole("button", { name: /^Hide/ }).click();
		assert.equal(await password().inputValue(), "something");
	});
});
