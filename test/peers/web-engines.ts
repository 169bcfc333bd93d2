/** The main steps of the page in browser engines other than Chromium; `npm test` tests the whole page in Chromium. */
import assert from "node:assert/strict";
import { LANGUAGES } from "../../hosts/browser/text/translations.js";
import { PASSWORD, vectorOf } from "../api/gateway.js";
import { ProcessGateway } from "../api/process-gateway.js";
import { giveHistory, NOW } from "../browser/household.js";
import type { Browser } from "./web-driver.js";

const { telegram, readings } = vectorOf("kamstrup-162-dsmr2");
const ADDRESS = "13579";
const NEW_PASSWORD = "a password of my own";

export interface Walk {
	readonly browser: Browser;
	readonly gateway: ProcessGateway;
}

/**
 * Functions for the scripts in the page. `until` waits until `find` returns something, and `put` types into a field.
 */
const KIT = `
	const until = async (what, find) => {
		for (const limit = Date.now() + 40000; Date.now() < limit; ) {
			const found = find();
			if (found) return found;
			await new Promise((resolve) => setTimeout(resolve, 50));
		}
		throw new Error(what + " is not seen: " + document.body.innerText.slice(0, 500));
	};
	const one = (selector) => until(selector, () => document.querySelector(selector));
	const put = async (field, text) => {
		field.value = text;
		field.dispatchEvent(new Event("input", { bubbles: true }));
		// The page renders again before a user could press a button.
		await new Promise((resolve) => setTimeout(resolve, 200));
	};
`;

/** Starts the browser first, because without a browser no gateway is needed. */
export async function prepareWalk(start: () => Promise<Browser>): Promise<Walk> {
	const browser = await start();
	const gateway = await ProcessGateway.start("node", { args: ["--time", NOW] });
	await giveHistory(gateway);
	await gateway.connectMeter({ telegram, mode: "C" });
	await gateway.read("iec62056/read");
	return { browser, gateway };
}

export async function endWalk({ browser, gateway }: Walk): Promise<void> {
	await browser.end();
	await gateway.stop();
}

export const walkCases = [
	{
		name: "the page has a login in each language, which leads to the overview with power, counters and today",
		async run({ browser, gateway }: Walk) {
			for (const language of LANGUAGES) {
				await browser.open(`https://localhost:${gateway.httpsPort}/${language}`);
				assert.equal(
					await browser.run(`${KIT} await one("[name=password]"); return document.documentElement.lang;`),
					language,
				);
			}
			const errors = `window.seen = []; addEventListener("error", ({ message }) => seen.push(message));`;
			// The address names a page. Without one the set-up would be shown, because the password is still the label's.
			await browser.run(`${KIT} ${errors} location.hash = "#/dashboard";
				await put(await one("[name=password]"), ${JSON.stringify(PASSWORD)});
				(await one("main form")).requestSubmit();
				await until("power", () => /\\d/.test(document.querySelector(".big")?.textContent ?? ""));
				await until("counters", () => document.querySelectorAll(".counters .number").length > 1);
				await one(".bars .up");`);
		},
	},
	{
		name: "the page shows all readings",
		async run({ browser }: Walk) {
			const rows = await browser.run(`${KIT} location.hash = "#/readings";
				await one("table.readings tbody tr");
				return document.querySelectorAll("table.readings tbody tr").length;`);
			assert.equal(rows, readings.length);
		},
	},
	{
		name: "the page shows the consumption as tiles and as bars with their amounts",
		async run({ browser }: Walk) {
			const shown = await browser.run(`${KIT} location.hash = "#/use";
				await until("tiles", () => document.querySelectorAll(".tiles:not(.small) .card").length === 4);
				const slider = await one("[role=slider]");
				slider.dispatchEvent(new KeyboardEvent("keydown", { key: "Home", bubbles: true }));
				await until("the first bar", () => slider.getAttribute("aria-valuenow") === "1");
				return [slider.getAttribute("aria-valuetext"), document.querySelector(".sum").textContent];`);
			for (const text of shown as string[]) assert.match(text, /\d,\d+\s?kWh/);
		},
	},
	{
		name: "the page saves a setting",
		async run({ browser, gateway }: Walk) {
			await browser.run(`${KIT} location.hash = "#/meter";
				const field = await one("[name=device_address]");
				await put(field, "${ADDRESS}");
				(await one(".saves [name=save]")).click();
				await until("saved", () => field.form.querySelector(".notice.good"));`);
			assert.equal((await gateway.read("iec62056/config")).device_address, ADDRESS);
			await gateway.write("iec62056/config", { device_address: "" });
		},
	},
	{
		name: "the wizard sets password and zone, finds and reads the meter, and ends; no script has failed",
		async run({ browser }: Walk) {
			const seen = await browser.run(`${KIT} location.hash = "#/setup";
				const step = (n) => until("step " + n, () => document.querySelector("main.wizard > progress")?.value === n);
				const press = async (name) => (await one("main button[name=" + name + "]")).click();
				await step(1);
				await press("next");
				await step(2);
				for (const name of ["new", "repeat"]) await put(await one("[name=" + name + "]"), "${NEW_PASSWORD}");
				document.querySelector("main form").requestSubmit();
				await step(3);
				(await one("main form")).requestSubmit();
				await step(4);
				await press("align");
				await until("the attempts", () => document.querySelector("main .signal.good .tries"));
				// The meter is read as soon as the head sits well.
				await until("the first reading", () => document.querySelector("main .notice.good dd"));
				await until("the main button", () => document.querySelector("main button.main[name=next]"));
				await press("next");
				await step(5);
				await press("next");
				(await one('main.wizard a.main[href="#/dashboard"]')).click();
				await one(".big");
				return window.seen;`);
			assert.deepEqual(seen, []);
		},
	},
];
