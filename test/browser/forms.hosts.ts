/** Forms while the gateway does not answer, while somebody else changes the same settings, and after an update. */
import assert from "node:assert/strict";
import type { TextKey } from "../../hosts/browser/text/all.js";
import { LANGUAGES } from "../../hosts/browser/text/translations.js";
import { vectorOf } from "../api/gateway.js";
import type { ProcessGateway } from "../api/process-gateway.js";
import { violationsInBoth } from "./axe.js";
import { PHONE, say, startGateway, usePage, Visit } from "./browser.js";

/** True if the bar hides the element that has the focus. */
const IS_HIDDEN = `(() => {
	const bar = document.querySelector(".saves");
	const here = document.activeElement;
	if (here.closest(".saves, .tabs, nav")) return false;
	const { top, bottom } = here.getBoundingClientRect();
	return bar.getBoundingClientRect().top <= top && bar.getBoundingClientRect().bottom >= bottom;
})()`;

describe("The page's forms", function () {
	this.timeout(180_000);
	usePage();
	let gateway: ProcessGateway;
	let visit: Visit;

	before(async () => {
		gateway = await startGateway();
		await gateway.connectMeter({ telegram: vectorOf("landis-gyr-zmf100-m26-padded-left").telegram });
	});
	beforeEach(async () => {
		await gateway.login();
		await gateway.write("iec62056/config", { device_address: "" });
		visit = await (await Visit.begin(gateway)).logIn();
		await visit.go("meter");
	});
	afterEach(() => visit.end());

	const card = () => visit.card("iec.title");
	const address = () => card().locator("[name=device_address]");
	/** The tab was in the background, and is in front again. */
	const comeBack = () => visit.page.evaluate(`document.dispatchEvent(new Event("visibilitychange"))`);

	it("says that the gateway has not answered, that nothing was saved, and saves later what was typed", async () => {
		await visit.fill(card(), { device_address: "12345" });
		process.kill(gateway.pid, "SIGSTOP");
		await visit.submit(card());
		await card().getByText(say("form.slow")).waitFor();
		await card().getByText(say("form.offline")).waitFor();
		assert.equal(await card().getByText(say("form.slow")).count(), 0);
		process.kill(gateway.pid, "SIGCONT");
		assert.equal(await address().inputValue(), "12345");
		await gateway.write("iec62056/config", { device_address: "" });
		await visit.save(card(), {});
		assert.equal((await gateway.read("iec62056/config")).device_address, "12345");
	});

	it("shows what somebody else has stored when its tab is in front again", async () => {
		await gateway.write("iec62056/config", { device_address: "777" });
		await comeBack();
		while ((await address().inputValue()) !== "777") await visit.page.waitForTimeout(50);
		// Nothing is unsaved.
		await visit.go("dashboard");
	});

	it("keeps unsaved input, says that somebody else has changed the settings, and shows theirs on request", async () => {
		await visit.fill(card(), { device_address: "12345" });
		await gateway.write("iec62056/config", { device_address: "777" });
		await comeBack();
		await card().getByText(say("form.elsewhere")).waitFor();
		assert.equal(await address().inputValue(), "12345");
		await visit.button("form.adopt", card()).click();
		assert.equal(await address().inputValue(), "777");
		assert.equal(await card().getByText(say("form.elsewhere")).count(), 0);
		await visit.go("dashboard");
	});

	it("says nothing after its own saving", async () => {
		await visit.save(card(), { device_address: "12345" });
		await comeBack();
		await visit.settled();
		assert.equal(await visit.page.getByText(say("form.elsewhere")).count(), 0);
	});

	describe("are saved together", () => {
		const bar = () => visit.page.locator(".saves");
		const control = () => visit.card("control.title");
		const listOf = (...titles: TextKey[]) =>
			say("unsaved.list", { list: titles.map((title) => say(title)).join(", ") });
		const posts = () => visit.requests.filter((request) => request.method() === "POST").map((request) => request.url());
		const refuse = async (path: string) => {
			const body = JSON.stringify({ error: "storage", message: "no room" });
			await visit.page.route(path, (route) => route.fulfill({ status: 507, contentType: "application/json", body }));
		};

		it("by one bar, which names the changed cards, appears with the first change and goes after the last", async () => {
			assert.equal(await bar().count(), 0);
			await visit.fill(card(), { device_address: "12345" });
			await visit.fill(control(), { log_en: true });
			await bar().getByText(listOf("iec.title", "control.title")).waitFor();
			assert.equal(await visit.page.locator("main .button.main").count(), 1);
			await visit.page.click(".saves [name=save]");
			for (const one of [card(), control()]) await one.getByText(say("saved")).waitFor();
			await bar().waitFor({ state: "detached" });
			assert.equal((await gateway.read("iec62056/config")).device_address, "12345");
			assert.equal((await gateway.read("iec62056/control")).log_en, true);
			// The keyboard continues at the first of these cards.
			await visit.page.keyboard.press("Tab");
			assert.equal(await visit.isFocused(card().locator("[name=mode_d_enabled]")), true);
			// Nothing is unsaved.
			await visit.go("dashboard");
		});

		it("by Enter in a field, also from another card", async () => {
			await visit.fill(control(), { log_en: false });
			await visit.fill(card(), { device_address: "12345" });
			await address().press("Enter");
			for (const one of [card(), control()]) await one.getByText(say("saved")).waitFor();
			assert.equal(await visit.isFocused(address()), true);
			assert.equal((await gateway.read("iec62056/control")).log_en, false);
		});

		it("only if none has a fault; the first fault gets the focus", async () => {
			await visit.fill(control(), { log_en: true });
			await visit.fill(card(), { device_address: "no-hyphen" });
			const sent = posts().length;
			await visit.page.click(".saves [name=save]");
			await card().getByText(say("valid.some")).waitFor();
			assert.equal(await visit.isFocused(address()), true);
			assert.equal(posts().length, sent);
			await visit.page.click("[name=discard]");
			assert.equal(await address().inputValue(), "");
			assert.equal(await control().locator("[name=log_en]").isChecked(), false);
			assert.equal(await bar().count(), 0);
			assert.equal(await card().getByText(say("valid.some")).count(), 0);
			await visit.go("dashboard");
		});

		it("each for itself: what is refused stays in the bar, and is saved later", async () => {
			await visit.fill(card(), { device_address: "12345" });
			await visit.fill(control(), { log_en: true });
			await refuse("**/iec62056/control");
			await visit.page.click(".saves [name=save]");
			await card().getByText(say("saved")).waitFor();
			await control().locator(".notice.error").waitFor();
			await bar().getByText(listOf("control.title"), { exact: true }).waitFor();
			assert.equal(await control().locator("[name=log_en]").isChecked(), true);
			assert.equal((await gateway.read("iec62056/config")).device_address, "12345");
			await visit.page.unroute("**/iec62056/control");
			await visit.save(control(), {});
			assert.equal((await gateway.read("iec62056/control")).log_en, true);
			await gateway.write("iec62056/control", { log_en: false });
		});

		it("one after another, and says which", async () => {
			await visit.fill(card(), { device_address: "12345" });
			await visit.fill(control(), { log_en: true });
			let release = () => {};
			const held = new Promise<void>((resolve) => {
				release = resolve;
			});
			await visit.page.route("**/iec62056/control", (route) => held.then(() => route.continue()));
			await visit.page.click(".saves [name=save]");
			await bar()
				.getByText(`${say("control.title")} (1/2)`)
				.waitFor();
			assert.equal(await bar().locator("[name=discard]").count(), 0);
			release();
			await bar().waitFor({ state: "detached" });
			await gateway.write("iec62056/control", { log_en: false });
		});

		for (const language of LANGUAGES) {
			it(`with a bar that fits a phone and hides no field in the language ${language}`, async () => {
				await visit.end();
				visit = await (await Visit.begin(gateway, { width: PHONE, language })).logIn();
				await visit.go("meter");
				await visit.page.check("[name=simulator_en]");
				await bar().waitFor();
				assert.deepEqual(await violationsInBoth(visit), []);
				for (const size of ["", "200%"]) {
					await visit.page.evaluate(`document.documentElement.style.fontSize = "${size}"`);
					assert.deepEqual(await visit.overflow(), []);
					// WCAG 2.2, 2.4.11: the bar hides nothing that has the focus.
					await visit.page.locator("[name=protocol]").focus();
					for (let i = 0; i < 25; i++) {
						await visit.page.keyboard.press("Tab");
						assert.equal(await visit.page.evaluate(IS_HIDDEN), false, `${size} ${i}`);
					}
				}
				await visit.page.evaluate(`document.documentElement.style.fontSize = ""`);
			});
		}

		it("but by buttons of their own when stored settings are damaged, because they may be right as shown", async () => {
			await visit.page.route("**/system/status", async (route) => {
				const reply = await route.fetch();
				await route.fulfill({ response: reply, json: { ...(await reply.json()), storage_state: "damaged" } });
			});
			await visit.page.reload();
			await visit.settled();
			await visit.page.getByText(say("storage.damaged")).waitFor();
			await visit.save(control(), {});
		});
	});

	it("loads the new page when the gateway was updated meanwhile and the rest of the old one is gone", async () => {
		await visit.end();
		visit = await (await Visit.begin(gateway)).logIn();
		await visit.page.route("**/assets/pages-*", (route) => route.fulfill({ status: 404 }));
		await visit.page.route(`${visit.base}/`, async (route) => {
			const reply = await route.fetch();
			const text = (await reply.text()).replaceAll(/\/assets\/app-/g, "/assets/new-");
			await route.fulfill({ response: reply, body: text });
		});
		const reload = visit.page.waitForRequest((request) => request.isNavigationRequest());
		await visit.page.evaluate(`location.hash = "#/security"`);
		await reload;
	});
});
