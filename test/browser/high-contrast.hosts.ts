/**
 * The page with forced colours (CSS Color Adjust 1; contrast themes of Windows): information that is shown by a
 * background or colour must remain visible, with the contrast of WCAG 2.2, 1.4.11.
 */
import assert from "node:assert/strict";
import type { Locator } from "playwright-core";
import { vectorOf } from "../api/gateway.js";
import type { ProcessGateway } from "../api/process-gateway.js";
import { violationsOf } from "./axe.js";
import { PLACES, startWithMeter, usePage, Visit } from "./browser.js";
import { decode, type Pixels } from "./small-png.js";

const CONTRAST = 3;

/** Relative luminance of WCAG, 0 to 1, for a colour 0xRRGGBB. */
function luminance(colour: number): number {
	const [red, green, blue] = [colour >> 16, (colour >> 8) & 255, colour & 255].map((channel) => {
		const part = channel / 255;
		return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
	});
	return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrastOf(one: number, other: number): number {
	const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b);
	return (light + 0.05) / (dark + 0.05);
}

/** The colours and their shares, most frequent first. */
function coloursOf({ colours }: Pixels): [colour: number, share: number][] {
	const counts = new Map<number, number>();
	for (let i = 0; i < colours.length; i += 3) {
		const colour = (colours[i] << 16) | (colours[i + 1] << 8) | colours[i + 2];
		counts.set(colour, (counts.get(colour) ?? 0) + 1);
	}
	const all = colours.length / 3;
	return [...counts].map(([colour, count]) => [colour, count / all] as [number, number]).sort((a, b) => b[1] - a[1]);
}

/** The share of the picture that contrasts with its most frequent colour. */
function contrastingShare(pixels: Pixels): number {
	const [[ground], ...others] = coloursOf(pixels);
	return others.filter(([colour]) => contrastOf(colour, ground) >= CONTRAST).reduce((sum, [, share]) => sum + share, 0);
}

/** The share of pixels that clearly differ in colour from the other picture of the same size. */
function difference(one: Pixels, other: Pixels): number {
	assert.deepEqual([one.width, one.height], [other.width, other.height]);
	const at = ({ colours }: Pixels, i: number) => (colours[i] << 16) | (colours[i + 1] << 8) | colours[i + 2];
	let count = 0;
	for (let i = 0; i < one.colours.length; i += 3) if (contrastOf(at(one, i), at(other, i)) >= CONTRAST) count++;
	return (count * 3) / one.colours.length;
}

for (const theme of ["light", "dark"] as const) {
	describe(`The page in forced colours, ${theme}`, function () {
		this.timeout(180_000);
		usePage();
		let gateway: ProcessGateway;
		let visit: Visit;

		before(async () => {
			gateway = await startWithMeter({ telegram: vectorOf("kamstrup-162-dsmr2").telegram, mode: "C" });
			await gateway.read("iec62056/read");
			visit = await (await Visit.begin(gateway, { theme })).logIn();
			await visit.page.emulateMedia({ forcedColors: "active" });
		});

		/** A picture of the element with this many pixels around it. */
		async function picture(element: Locator, around = 0): Promise<Pixels> {
			// At the edge of the window, the picture would lack some of the pixels around the element.
			await element.evaluate((one) => one.scrollIntoView({ block: "center" }));
			const box = await element.boundingBox();
			assert.ok(box);
			const { x, y, width, height } = box;
			const clip = { x: x - around, y: y - around, width: width + 2 * around, height: height + 2 * around };
			return decode(await visit.page.screenshot({ clip }));
		}

		it("shows whether a switch is on", async () => {
			await visit.go("meter");
			const control = visit.page.getByRole("switch").first();
			await control.setChecked(false);
			await visit.page.evaluate("document.activeElement.blur()");
			const off = await picture(control);
			await control.setChecked(true);
			await visit.page.evaluate("document.activeElement.blur()");
			const on = await picture(control);
			assert.ok(contrastingShare(off) > 0.2, `off: ${contrastingShare(off)}`);
			assert.ok(contrastingShare(on) > 0.1, `on: ${contrastingShare(on)}`);
			assert.ok(difference(off, on) > 0.2, `differ: ${difference(off, on)}`);
		});

		it("shows the focus", async () => {
			await visit.page.locator("main details").evaluateAll((all) => {
				for (const one of all) one.setAttribute("open", "");
			});
			for (const name of ["button", "switch", "textbox"] as const) {
				const element = visit.page.locator("main").getByRole(name).first();
				await visit.page.evaluate("document.activeElement.blur()");
				const before = await picture(element, 6);
				await element.focus();
				await visit.page.keyboard.press("Shift+Tab");
				await visit.page.keyboard.press("Tab");
				assert.equal(await visit.isFocused(element), true);
				const focused = await picture(element, 6);
				assert.ok(difference(before, focused) > 0.02, `${name}: ${difference(before, focused)}`);
			}
		});

		it("shows progress", async () => {
			await visit.go("setup");
			const seen = contrastingShare(await picture(visit.page.getByRole("progressbar")));
			assert.ok(seen > 0.1, String(seen));
		});

		it("shows the curve", async () => {
			await visit.go("dashboard");
			for (let count = 1; count <= 2; count++) {
				await visit.button("read.now").click();
				await visit.page.getByRole("progressbar").waitFor();
				await visit.button("read.now").waitFor();
			}
			const curve = visit.card("now.title").getByRole("img");
			await curve.waitFor();
			const seen = contrastingShare(await picture(curve.locator(".up"), 6));
			assert.ok(seen > 0.01, String(seen));
		});

		it("has no violations", async () => {
			const found: string[] = [];
			for (const place of PLACES) {
				await visit.go(place);
				for (const violation of await violationsOf(visit)) found.push(`${place}: ${violation}`);
			}
			assert.deepEqual(found, []);
		});
	});
}
