/**
 * Accessibility of every page: axe-core in both themes, on a phone and on a desktop; all languages without overflow on
 * a phone; and operation by keyboard.
 */
import assert from "node:assert/strict";
import { LANGUAGES } from "../../hosts/browser/text/translations.js";
import { vectorOf } from "../api/gateway.js";
import type { ProcessGateway } from "../api/process-gateway.js";
import { violationsInBoth } from "./axe.js";
import { DESKTOP, PHONE, PLACES, say, startWithMeter, usePage, Visit } from "./browser.js";

const NAMES = ["login", ...PLACES];
/** Pages whose forms are saved together. */
const SETTINGS = ["meter", "network", "zigbee", "hub", "batteries", "security", "system", "upkeep"] as const;

/** Words of the bar at the bottom, and numbers, that are broken into two lines. */
const BROKEN = `[...document.querySelectorAll(".tabs > *, .big, .facts .number")].flatMap((element) => {
	const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
	const range = document.createRange();
	const found = [];
	while (walker.nextNode()) {
		for (const { 0: word, index } of walker.currentNode.data.matchAll(/[\\p{L}\\d.,:]+/gu)) {
			range.setStart(walker.currentNode, index);
			range.setEnd(walker.currentNode, index + word.length);
			if (new Set([...range.getClientRects()].map(({ top }) => top)).size > 1) found.push(word);
		}
	}
	return found;
})`;
/** Texts of what a printed page of settings must not contain. */
const UNPRINTED = ".button, .help, .field, form, nav, summary, .saves, .settings .card > p:not(.chips)";

describe("Accessibility of the page", function () {
	this.timeout(180_000);
	usePage();
	let gateway: ProcessGateway;

	before(async () => {
		gateway = await startWithMeter({ telegram: vectorOf("landis-gyr-zmf100-m26-padded-left").telegram });
		await gateway.write("iec62056/control", { log_en: true });
		await gateway.read("iec62056/read");
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
			const visit = await Visit.begin(gateway, { width });
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
			const visit = await Visit.begin(gateway, { width: PHONE, language });
			const found: string[] = [];
			const complaints = await walk(visit, async (name) => {
				assert.equal(await visit.page.getAttribute("html", "lang"), language);
				found.push(...(await visit.overflow()).map((what) => `${name}: ${what}`));
				// WCAG 2.2, 1.4.4: text of twice the size.
				await visit.page.evaluate("document.documentElement.style.fontSize = '200%'");
				found.push(...(await visit.overflow()).map((what) => `${name}, 200 %: ${what}`));
				const broken = await visit.page.evaluate<string[]>(BROKEN);
				found.push(...broken.map((what) => `${name}, 200 %: breaks ${what}`));
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

	it("prints what a page of settings knows, without menu, buttons, forms and explanations", async () => {
		const visit = await (await Visit.begin(gateway)).logIn();
		await visit.page.emulateMedia({ media: "print" });
		for (const place of SETTINGS) {
			await visit.go(place);
			const shown = visit.page.locator(UNPRINTED).filter({ visible: true });
			assert.deepEqual(await shown.allTextContents(), [], place);
		}
		await visit.go("network");
		assert.ok(await visit.card("network.state").isVisible());
		assert.equal(await visit.card("network.ap").isVisible(), false);
		await visit.end();
	});

	it("has at most one main button on the history and on each page of settings", async () => {
		const visit = await (await Visit.begin(gateway)).logIn();
		for (const place of ["use", ...SETTINGS] as const) {
			await visit.go(place);
			const count = await visit.page.locator("main .button.main").filter({ visible: true }).count();
			assert.ok(count <= 1, `${place}: ${count}`);
		}
		await visit.end();
	});

	describe("by keyboard", () => {
		/** The element that has the focus. */
		const focused = (visit: Visit) => visit.page.evaluate("document.activeElement.outerHTML.slice(0, 200)");

		it("skips the menu, and continues at the page that a link opens", async () => {
			const visit = await (await Visit.begin(gateway)).logIn();
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
			const visit = await (await Visit.begin(gateway, { width: PHONE })).logIn();
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
			const visit = await (await Visit.begin(gateway)).logIn();
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
