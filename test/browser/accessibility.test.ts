/**
 * Accessibility of every page: axe-core in both themes, on a phone and on a desktop; all languages without overflow on
 * a phone; and operation by keyboard.
 */
import assert from "node:assert/strict";
import type { Browser } from "playwright-core";
import { LANGUAGES } from "../../hosts/browser/text/translations.js";
import { vectorOf } from "../api/gateway.js";
import { ProcessGateway } from "../api/process-gateway.js";
import { violationsInBoth } from "./axe.js";
import { DESKTOP, needBrowser, PHONE, PLACES, say, Visit } from "./browser.js";

const NAMES = ["login", ...PLACES];

describe("Accessibility of the page", function () {
	this.timeout(180_000);
	let browser: Browser;
	let gateway: ProcessGateway;

	before(async function () {
		browser = await needBrowser(this);
		gateway = await ProcessGateway.start("node");
		await gateway.connectMeter({ telegram: vectorOf("landis-gyr-zmf100-m26-padded-left").telegram });
		await gateway.login();
		await gateway.write("iec62056/control", { log_en: true });
		await gateway.read("iec62056/read");
	});
	after(async () => {
		await browser?.close();
		await gateway?.stop();
	});

	/** Visits all pages, beginning with the login. Returns what the browser has reported. */
	async function walk(visit: Visit, look: (name: string) => Promise<void>): Promise<string[]> {
		await look(NAMES[0]);
		await visit.logIn();
		for (const place of PLACES) {
			await visit.go(place);
			await look(place);
		}
		await visit.context.close();
		assert.equal(visit.mostAtOnce, 1, "more than one request at a time");
		return visit.complaints;
	}

	for (const width of [PHONE, DESKTOP]) {
		it(`has no violations in either theme at ${width} pixels`, async () => {
			const visit = await Visit.begin(browser, gateway, { width });
			const found: string[] = [];
			const complaints = await walk(visit, async (name) => {
				for (const violation of await violationsInBoth(visit)) found.push(`${name}, ${violation}`);
			});
			found.push(...complaints);
			assert.equal(found.length, 0, found.join("\n\n"));
		});
	}

	for (const language of LANGUAGES) {
		it(`fits a phone in the language ${language}, and no text is missing`, async () => {
			const visit = await Visit.begin(browser, gateway, { width: PHONE, language });
			const found: string[] = [];
			const complaints = await walk(visit, async (name) => {
				assert.equal(await visit.page.getAttribute("html", "lang"), language);
				found.push(...(await visit.overflow()).map((what) => `${name}: ${what}`));
				// WCAG 2.2, 1.4.4: text of twice the size.
				await visit.page.evaluate("document.documentElement.style.fontSize = '200%'");
				found.push(...(await visit.overflow()).map((what) => `${name}, 200 %: ${what}`));
				await visit.page.evaluate("document.documentElement.style.fontSize = ''");
				// The page shows a key in place of a missing text, and `{name}` in place of a missing value.
				const shown = ((await visit.page.evaluate("document.body.innerText")) as string).match(
					/\b[a-z]+(\.[a-z-]+)+\b|\{\w+\}|undefined|NaN|\[object/g,
				);
				found.push(...(shown ?? []).filter(isStray).map((text) => `${name}: shows ${text}`));
			});
			assert.deepEqual([...found, ...complaints], []);
		});
	}

	describe("by keyboard", () => {
		/** The element that has the focus. */
		const focused = (visit: Visit) => visit.page.evaluate("document.activeElement.outerHTML.slice(0, 200)");

		it("skips the menu, and continues at the page that a link opens", async () => {
			const visit = await (await Visit.begin(browser, gateway)).logIn();
			await visit.page.reload();
			await visit.settled();
			await visit.page.keyboard.press("Tab");
			assert.match(String(await focused(visit)), /^<a class="skip"/);
			assert.ok(await visit.page.getByRole("link", { name: say("skip") }).isVisible());
			await visit.page.keyboard.press("Enter");
			assert.match(String(await focused(visit)), /^<main/);
			await visit.page.keyboard.press("Tab");
			const isInMain = "document.activeElement.closest('main') !== null";
			assert.equal(await visit.page.evaluate(isInMain), true);

			await visit.page.getByRole("link", { name: "Meter", exact: true }).focus();
			await visit.page.keyboard.press("Enter");
			await visit.page.getByRole("heading", { level: 1, name: "Meter" }).waitFor();
			await visit.page.waitForSelector("main:focus");
			assert.match(await visit.page.title(), /^Meter – /);
			await visit.end();
		});

		it("opens and closes the menu of a phone, which announces whether it is open", async () => {
			const visit = await (await Visit.begin(browser, gateway, { width: PHONE })).logIn();
			const button = visit.button("menu");
			const link = visit.page.getByRole("link", { name: "System", exact: true });
			assert.equal(await button.getAttribute("aria-expanded"), "false");
			assert.equal(await link.isVisible(), false);
			await button.focus();
			await visit.page.keyboard.press("Enter");
			assert.equal(await button.getAttribute("aria-expanded"), "true");
			await link.focus();
			await visit.page.keyboard.press("Escape");
			assert.equal(await link.isVisible(), false);
			assert.equal(await visit.isFocused(button), true);
			await visit.page.keyboard.press("Enter");
			await link.focus();
			await visit.page.keyboard.press("Enter");
			await visit.page.getByRole("heading", { level: 1, name: "System" }).waitFor();
			assert.equal(await link.isVisible(), false);
			await button.click();
			await link.focus();
			await visit.page.keyboard.press("Escape");
			assert.equal(await link.isVisible(), false);
			assert.equal(await visit.isFocused(button), true);
			await visit.end();
		});

		it("stays inside a dialog, closes it by Escape, and restores the focus", async () => {
			const visit = await (await Visit.begin(browser, gateway)).logIn();
			await visit.go("system");
			const opener = visit.button("reset.go");
			await opener.focus();
			await visit.page.keyboard.press("Enter");
			const dialog = visit.page.getByRole("dialog");
			await dialog.waitFor();
			const isOutside = `document.activeElement !== document.body && document.activeElement.closest("dialog") === null`;
			for (let i = 0; i < 12; i++) {
				await visit.page.keyboard.press(i < 6 ? "Tab" : "Shift+Tab");
				assert.equal(await visit.page.evaluate(isOutside), false, String(await focused(visit)));
			}
			await visit.page.keyboard.press("Escape");
			await dialog.waitFor({ state: "detached" });
			assert.equal(await visit.isFocused(opener), true);
			await visit.end();
		});
	});
});

/** True if a text that looks like a key is not the name of a host or file. */
function isStray(text: string): boolean {
	return !/\.(local|org|pem|crt|key|com|lan)$/.test(text);
}
