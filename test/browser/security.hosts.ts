/** The security page: a new password, sessions, tokens and certificates, each compared with the API. */
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import type { Locator } from "playwright-core";
import { MAKER, PRODUCT } from "../../modules/product/product.js";
import { PASSWORD, vectorOf } from "../api/gateway.js";
import { certificateOf, type ProcessGateway } from "../api/process-gateway.js";
import { AUTHORITY, make } from "../hosts/openssl.js";
import { violationsOf } from "./axe.js";
import { say, startWithMeter, usePage, Visit } from "./browser.js";

const NEW_PASSWORD = "a longer password";

describe("The page's security settings", function () {
	this.timeout(180_000);
	usePage();
	let gateway: ProcessGateway;
	let visit: Visit;

	before(async () => {
		gateway = await startWithMeter({ telegram: vectorOf("landis-gyr-zmf100-m26-padded-left").telegram });
		// The certificate is renewed for the network address, which comes some seconds after the start.
		while (!gateway.diagnosis.includes("tls: SHA-256")) await sleep(100);
		visit = await (await Visit.begin(gateway, { hurried: true })).logIn();
		await visit.go("security");
	});

	const row = (within: Locator, text: string) => within.getByRole("listitem").filter({ hasText: text });

	it("creates a token, shows it once, and revokes it", async () => {
		const card = visit.card("tokens.title");
		await visit.fill(card, { name: "Home automation" });
		// More rights than reading must be chosen explicitly.
		assert.equal(await card.getByRole("radio", { name: say("tokens.scope.read") }).isChecked(), true);
		await card.getByRole("radio", { name: say("tokens.scope.full") }).check();
		await visit.submit(card);
		const dialog = visit.page.getByRole("dialog");
		const token = (await dialog.locator("pre.token").textContent()) ?? "";
		assert.match(token, /^[0-9a-f]{64}$/);
		gateway.plant(token);
		assert.equal((await gateway.get("iec62056/config", { token })).status, 200);
		// This token has no link for a display.
		assert.equal(await dialog.locator("a.link, svg.code").count(), 0);
		assert.deepEqual(await violationsOf(visit), []);
		await dialog.locator("[name=stored]").click();
		await dialog.waitFor({ state: "detached" });
		assert.ok(!(await visit.page.content()).includes(token));

		assert.equal((await gateway.read("system/tokens")).tokens.length, 1);
		await row(card, "Home automation").locator("[name=revoke]").click();
		await dialog.locator("button[type=submit]").click();
		await row(card, "Home automation").waitFor({ state: "detached" });
		assert.equal((await gateway.get("iec62056/config", { token })).status, 401);
		assert.deepEqual((await gateway.read("system/tokens")).tokens, []);
	});

	it("ends another session, but not its own", async () => {
		const token = await gateway.loginByChallenge();
		await visit.go("dashboard");
		await visit.go("security");
		const card = visit.card("sessions.title");
		const all = await card.getByRole("listitem").count();
		assert.equal(await row(card, say("tokens.this")).locator("[name=end]").count(), 0);
		const others = card.locator("[name=end]");
		for (let left = await others.count(); left > 0; left--) {
			await others.first().click();
			await card.getByRole("listitem").nth(left).waitFor({ state: "detached" });
		}
		assert.ok(all >= 3);
		assert.equal((await gateway.get("meter/protocol", { token })).status, 401);
		await gateway.login();
	});

	it("changes the password, keeps its own session, and ends all others", async () => {
		const card = visit.card("login.password");
		await visit.fill(card, { old: "not the password", new: NEW_PASSWORD, repeat: NEW_PASSWORD });
		await visit.submit(card);
		await card.locator("[name=old][aria-invalid=true]").waitFor();
		await visit.fill(card, { old: PASSWORD, repeat: "another one" });
		await visit.submit(card);
		await card.locator("[name=repeat][aria-invalid=true]").waitFor();
		await visit.fill(card, { repeat: NEW_PASSWORD });
		await visit.submit(card);
		await card.locator(".notice.good").waitFor();
		assert.equal((await gateway.get("meter/protocol")).status, 401);
		// Restores the password for the other tests.
		await visit.save(card, { old: NEW_PASSWORD, new: PASSWORD, repeat: PASSWORD });
		await gateway.login();
		assert.equal((await gateway.read("system/status")).password_default, false);
	});

	it("shows the fingerprint of the certificate like browsers and OpenSSL", async () => {
		const { fingerprint256 } = await certificateOf(gateway.httpsPort);
		await visit.card("cert.title").getByText(fingerprint256, { exact: true }).waitFor();
		assert.ok(gateway.diagnosis.includes(fingerprint256), "the console does not show the fingerprint");
	});

	it("says what is wrong with a certificate, and keeps the old one", async () => {
		const card = visit.card("cert.title");
		const { certificate } = make({ subject: "/CN=bad" });
		const install = visit.button("cert.install", card);
		await install.click();
		await card.getByText(say("cert.empty")).waitFor();
		await visit.fill(card, { pem: certificate });
		await install.click();
		await card.getByText(say("refusal.key")).waitFor();
		await visit.fill(card, { pem: certificate + make({ subject: "/CN=other" }).key });
		await install.click();
		await card.getByText(say("refusal.mismatch")).waitFor();
		assert.deepEqual(await violationsOf(visit), []);
		await visit.fill(card, { pem: "" });
		assert.equal((await gateway.read("system/certificate")).custom, false);
	});

	it("installs a certificate from its files, returns under it, and removes it", async () => {
		const root = make({ subject: "/O=Home/CN=Root", extensions: AUTHORITY });
		const extensions = ["basicConstraints=CA:FALSE", `subjectAltName=DNS:${gateway.hostname}`];
		const server = make({ subject: `/O=Home/CN=${gateway.hostname}`, issuer: root, extensions });
		gateway.plant(server.key.split("\n")[2]);
		const file = (name: string, text: string) => ({ name, mimeType: "text/plain", buffer: Buffer.from(text) });
		const card = visit.card("cert.title");
		await card
			.locator("[name=files]")
			.setInputFiles([file("privkey.pem", server.key), file("fullchain.pem", server.certificate + root.certificate)]);
		await visit.button("cert.install", card).click();
		await checkReturn(root.certificate);
		assert.match((await certificateOf(gateway.httpsPort)).subject, /O=Home/);
		await card.getByText(say("cert.custom")).waitFor();

		await card.locator("[name=certificate_reset]").click();
		await visit.page.getByRole("dialog").locator("button[type=submit]").click();
		await checkReturn();
		await card.getByText(say("cert.own")).waitFor();
		assert.equal((await certificateOf(gateway.httpsPort)).subject, `O=${MAKER}\nOU=${PRODUCT}\nCN=${gateway.hostname}`);
	});

	/** Checks that the page reports that it waits for the gateway, and shows the login when the gateway is back. */
	async function checkReturn(authority?: string): Promise<void> {
		await visit.page.getByRole("dialog", { name: say("restart.title") }).waitFor();
		await gateway.rebooted(authority);
		const login = visit.page.locator("[name=password]");
		await visit.hurry(login);
		await login.fill(PASSWORD);
		await login.press("Enter");
		await visit.page.getByRole("heading", { level: 1, name: say("nav.security") }).waitFor();
		await visit.settled();
	}
});
