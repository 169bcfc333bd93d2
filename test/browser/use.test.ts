/** Consumption from a history of two years, and the event log: figures, bars, table, and spreadsheet file. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import type { Browser } from "playwright-core";
import { TEXTS } from "../../hosts/browser/text/all.js";
import { LANGUAGES } from "../../hosts/browser/text/translations.js";
import type { JSONObject } from "../api/gateway.js";
import { ProcessGateway } from "../api/process-gateway.js";
import { violationsOf } from "./axe.js";
import { DESKTOP, needBrowser, PHONE, say, Visit } from "./browser.js";
import { giveHistory, NOW } from "./household.js";

const TABLET = 768;

describe("Consumption on the page", function () {
	this.timeout(180_000);
	let browser: Browser;
	let gateway: ProcessGateway;
	const all: Record<string, JSONObject[]> = {};

	before(async function () {
		browser = await needBrowser(this);
		gateway = await ProcessGateway.start("node", { args: ["--time", NOW] });
		await giveHistory(gateway);
		for (const level of ["quarters", "hours", "days", "months"])
			all[level] = (await gateway.read(`meter/history?period=${level}`)).periods;
	});
	after(async () => {
		await browser?.close();
		await gateway?.stop();
	});
	afterEach(function () {
		if (this.currentTest?.state === "failed") console.error(gateway.diagnosis);
	});

	async function open(options: Parameters<typeof Visit.begin>[2] = {}): Promise<Visit> {
		const visit = await (await Visit.begin(browser, gateway, options)).logIn();
		await visit.go("use");
		return visit;
	}
	/** Requests for the history. */
	const requestsOf = (visit: Visit) =>
		visit.requests.filter((one) => one.url().includes("history")).map((one) => new URL(one.url()).searchParams);
	const slider = (visit: Visit) => visit.page.getByRole("slider");
	/** Replaces all kinds of spaces by a plain one. */
	const plain = (text: string | null) => (text ?? "").replace(/\s+/g, " ");
	const announced = async (visit: Visit) => plain(await slider(visit).getAttribute("aria-valuetext"));
	const turn = async (visit: Visit, level: string, back = 0) => {
		await visit.page.selectOption("select[name=by]", level);
		for (let i = 0; i < back; i++) await visit.button("use.back").click();
		await visit.settled();
	};
	const kWh = (wh: number) => `${(wh / 1000).toPrecision(3)} kWh`;
	const on = (level: string, day: string) => all[level].filter(({ localtime }) => localtime.startsWith(day));
	const sum = (periods: JSONObject[], name = "import_wh") =>
		periods.reduce((total, one) => total + (one[name] ?? 0), 0);

	it("shows the gateway's amounts, compared with the same time before", async () => {
		const visit = await open();
		const tile = async (title: Parameters<Visit["card"]>[0]) => plain(await visit.card(title).innerText());
		const today = await tile("use.today");
		assert.ok(today.includes(kWh(on("days", "2026-11-22")[0]["import_wh"])), today);
		assert.ok(today.includes(kWh(on("days", "2026-11-22")[0]["export_wh"])), today);
		const until = on("quarters", "2026-11-21").filter(({ localtime }) => localtime.slice(11, 16) < "14:30");
		assert.ok(today.includes(`against Nov 21 (${kWh(sum(until))})`), today);
		// A minus sign, not a hyphen.
		assert.match(today, /PM: −\d+%/);
		const yesterday = await tile("use.yesterday");
		assert.ok(yesterday.includes(kWh(on("days", "2026-11-21")[0]["import_wh"])), yesterday);
		assert.ok(yesterday.includes(`against Nov 20 (${kWh(on("days", "2026-11-20")[0]["import_wh"])})`), yesterday);
		const month = await tile("use.month");
		assert.ok(month.includes(kWh(sum(on("days", "2026-11")))), month);
		const october = on("days", "2026-10").filter(({ localtime }) => localtime < "2026-10-22");
		assert.ok(month.includes(`against Oct 1 – 21 (${kWh(sum(october))})`), month);
		const now = sum(on("days", "2026-11").filter(({ localtime }) => localtime < "2026-11-22"));
		assert.ok(month.includes(`+${Math.round((now / sum(october) - 1) * 100)}%`), month);
		const year = await tile("use.year");
		const thousands = (wh: number) => `${Math.round(wh / 1000).toLocaleString("en")} kWh`;
		assert.ok(year.includes(thousands(sum(on("months", "2026")))), year);
		const before = on("days", "2025").filter(({ localtime }) => localtime < "2025-11-22");
		assert.ok(year.includes(`against 2025 (${thousands(sum(before))})`), year);
		await visit.end();
	});

	it("is printed without menu, buttons and choices", async () => {
		const visit = await open();
		await visit.page.emulateMedia({ media: "print" });
		for (const selector of ["header", "nav", "form", ".tools", ".button", "select", "summary"])
			assert.equal(await visit.page.locator(selector).locator("visible=true").count(), 0, selector);
		assert.ok(await slider(visit).isVisible());
		assert.ok(await visit.card("use.month").isVisible());
		await visit.end();
	});

	it("is also on the first page: sums of today and yesterday, quarter hours, the peak, and a link to the rest", async () => {
		const visit = await (await Visit.begin(browser, gateway, { width: PHONE })).logIn();
		const card = visit.card("use.today");
		await card.waitFor({ timeout: 20_000 });
		const text = plain(await card.innerText());
		assert.ok(text.includes(kWh(on("days", "2026-11-22")[0]["import_wh"])), text);
		const yesterday = plain(await visit.card("use.yesterday").innerText());
		assert.ok(yesterday.includes(kWh(on("days", "2026-11-21")[0]["import_wh"])), yesterday);
		assert.ok(yesterday.includes(kWh(on("days", "2026-11-21")[0]["export_wh"])), yesterday);
		const bars = visit.card("today.bars");
		assert.equal(await bars.locator(".bars .up").count(), on("quarters", "2026-11-22").length);
		const highest = Math.max(...all["quarters"].map((one) => one["import_wh"]));
		const peak = plain(await bars.locator(".facts").innerText());
		assert.ok(peak.includes(`${((highest * 4) / 1000).toFixed(2)} kW (Nov 21, 7:45 PM)`), peak);
		assert.deepEqual(
			requestsOf(visit).map((query) => query.get("period")),
			["days", "quarters"],
		);
		assert.deepEqual(await violationsOf(visit), []);
		assert.deepEqual(await visit.overflow(), []);
		await visit.page.emulateMedia({ media: "print" });
		assert.equal(await visit.page.locator("header").isVisible(), false);
		assert.ok(await card.isVisible());
		await visit.page.emulateMedia({ media: "screen" });
		await bars.getByRole("link", { name: say("today.more") }).click();
		await visit.card("use.month").waitFor();
		await visit.end();
	});

	it("draws the current day as wide as the others, and the space below 0 only as deep as the export", async () => {
		const visit = await open();
		await turn(visit, "days");
		const widths = await visit.page
			.locator(".bars .up")
			.evaluateAll((all) => all.map((one) => one.getAttribute("width")));
		const last = Number(widths.at(-1));
		assert.ok(Math.abs(last - Number(widths.at(-2))) < 1, `${widths}`);
		const drawing = (await slider(visit).locator("svg").boundingBox())!;
		const axis = (await visit.page.locator(".bars .axis").boundingBox())!;
		const down = await visit.page
			.locator(".bars .down")
			.evaluateAll((all) => all.map((one) => Number(one.getAttribute("height"))));
		// The labels take 26 pixels.
		assert.ok(Math.abs(drawing.y + drawing.height - 26 - axis.y - Math.max(...down)) < 2);
		await visit.end();
	});

	it("requests only what it shows, one after the other, and once", async () => {
		const visit = await (await Visit.begin(browser, gateway)).logIn();
		await visit.card("use.today").waitFor({ timeout: 20_000 });
		visit.requests.length = 0;
		await visit.go("use");
		const first = requestsOf(visit).map((query) => query.get("period"));
		assert.deepEqual(first, ["days", "quarters", "months", "days"]);
		// Two days of quarters, two months of days and one a year ago, two years of months; each with an hour at both ends.
		const spans = requestsOf(visit).map((query) =>
			Math.round((Number(query.get("to")) - Number(query.get("from"))) / 86_400),
		);
		assert.deepEqual(spans, [61, 2, 730, 30]);
		await turn(visit, "days", 1);
		await turn(visit, "months", 1);
		await turn(visit, "quarters", 1);
		assert.equal(requestsOf(visit).length, 4);
		await turn(visit, "hours");
		assert.equal(requestsOf(visit).length, 5);
		assert.equal(visit.mostAtOnce, 1);
		await visit.end();
	});

	it("draws a bar for each period; the arrow keys move between the bars and announce them", async () => {
		const visit = await open();
		assert.equal(await visit.page.locator(".bars .up").count(), on("quarters", "2026-11-22").length);
		await slider(visit).focus();
		const last = on("quarters", "2026-11-22").at(-1)!;
		assert.ok((await announced(visit)).includes(`imported ${last["import_wh"] / 1000}`), await announced(visit));
		await visit.page.keyboard.press("Home");
		assert.match(await announced(visit), /^12:00 – 12:15\sAM: imported 0\.\d{3}\skWh, exported 0\.00\skWh$/);
		assert.equal(plain(await visit.page.locator("p.chosen").innerText()), await announced(visit));
		await visit.page.keyboard.press("ArrowRight");
		assert.match(await announced(visit), /^12:15 – 12:30\sAM: /);
		await visit.page.keyboard.press("End");
		const box = (await slider(visit).locator("svg").boundingBox())!;
		await visit.page.mouse.move(box.x + box.width * 0.1, box.y + 100);
		assert.match(await announced(visit), /AM: /);
		await visit.end();
	});

	it("shows unread periods as a gap, and marks where the meter was exchanged", async () => {
		const visit = await open();
		await turn(visit, "hours", 2);
		assert.equal(await visit.page.locator(".bars rect.gap").count(), 1);
		const gap = on("hours", "2026-11-20").find((one) => one["gap"])!;
		await slider(visit).focus();
		await visit.page.keyboard.press("Home");
		while (!(await announced(visit)).includes(say("mark.gap"))) await visit.page.keyboard.press("ArrowRight");
		assert.match(await announced(visit), /^4:00 – 10:00\sAM: /);
		assert.ok((await announced(visit)).includes(kWh(gap["import_wh"])), await announced(visit));
		await turn(visit, "months", 1);
		assert.equal(await visit.page.locator(".bars circle").count(), 1);
		assert.ok(await visit.page.locator(".legend").getByText(say("mark.meter_changed")).isVisible());
		await visit.end();
	});

	it("can't go beyond today, nor before the stored history", async () => {
		const visit = await open();
		assert.ok(await visit.button("use.on").isDisabled());
		await turn(visit, "quarters", 1);
		assert.ok(await visit.button("use.back").isDisabled());
		await visit.button("use.on").click();
		assert.ok(await visit.button("use.on").isDisabled());
		await turn(visit, "months", 2);
		assert.ok(await visit.page.getByText(say("use.none")).isVisible());
		await visit.end();
	});

	it("shows gas in its own unit", async () => {
		const visit = await open();
		await visit.page.selectOption("select[name=kind]", "gas_l");
		await turn(visit, "days");
		assert.match(await announced(visit), / 22, 2026: \d\.\d\d\sm³, not complete$/);
		assert.equal(await visit.page.locator(".bars .down:not([height='0'])").count(), 0);
		await visit.end();
	});

	const SHEETS = [
		{
			language: "en",
			line: /^2026-11-20T04:00:00\+01:00,2026-11-20T10:00:00\+01:00,\d\.\d{3},\d\.\d{3},gap without readings$/,
		},
		{
			language: "de",
			line: /^2026-11-20T04:00:00\+01:00;2026-11-20T10:00:00\+01:00;\d,\d{3};\d,\d{3};Lücke ohne Auslesung$/,
		},
		{
			language: "pl",
			line: /^2026-11-20T04:00:00\+01:00;2026-11-20T10:00:00\+01:00;\d,\d{3};\d,\d{3};przerwa w odczytach$/,
		},
	] as const;
	for (const { language, line } of SHEETS) {
		it(`has a table, and a file for spreadsheets in ${language}`, async () => {
			const visit = await open({ language });
			await visit.page.selectOption("select[name=by]", "hours");
			for (let i = 0; i < 2; i++) await visit.page.locator("button[name=back]").click();
			await visit.settled();
			const hours = on("hours", "2026-11-20");
			await visit.page.locator("summary").click();
			assert.equal(await visit.page.locator("table tbody tr").count(), hours.length);
			const saved = visit.page.waitForEvent("download");
			await visit.page.locator("button[name=csv]").click();
			const file = readFileSync(await (await saved).path(), "utf8");
			const lines = file.replace("\ufeff", "").trimEnd().split("\r\n");
			assert.equal(lines.length, hours.length + 1);
			assert.match(lines[hours.findIndex((one) => one["gap"]) + 1], line);
			await visit.end();
		});
	}

	it("is accessible at three widths, each in another language: no violations in either theme, no overflow", async () => {
		const found: string[] = [];
		await gateway.login();
		const price = { from: "2026-01-01", import_micro: 300_000, export_micro: 80_000, base_micro: 12_000_000 };
		await gateway.write("prices", { periods: [price] });
		for (const [index, width] of [PHONE, TABLET, DESKTOP].entries()) {
			for (const theme of ["light", "dark"] as const) {
				const language = LANGUAGES[index];
				const visit = await open({ width, theme, language });
				for (const level of ["quarters", "days"]) {
					await visit.page.selectOption("select[name=by]", level);
					await visit.settled();
					await visit.page.locator("details").evaluate((one) => one.setAttribute("open", ""));
					const name = `${width} ${theme} ${language} ${level}`;
					found.push(...(await violationsOf(visit)).map((what) => `${name}: ${what}`));
					found.push(...(await visit.overflow()).map((what) => `${name}: ${what}`));
					await visit.page.evaluate("document.documentElement.style.fontSize = '200%'");
					found.push(...(await visit.overflow()).map((what) => `${name}, 200 %: ${what}`));
					await visit.page.evaluate("document.documentElement.style.fontSize = ''");
				}
				await visit.end();
			}
		}
		// The visits have ended the first session, because at most six may be open.
		await gateway.login();
		await gateway.write("prices", { periods: [] });
		assert.deepEqual(found, []);
	});

	it("distinguishes import, export and gap in forced colours", async () => {
		const visit = await open();
		await turn(visit, "hours", 2);
		for (const colorScheme of ["light", "dark"] as const) {
			await visit.page.emulateMedia({ forcedColors: "active", colorScheme });
			const fills = (await visit.page.evaluate(
				`[".up", ".down", ".gap rect"].map((one) => getComputedStyle(document.querySelector(".bars " + one)).fill)`,
			)) as string[];
			assert.equal(new Set(fills).size, 3, fills.join());
			assert.deepEqual(await violationsOf(visit), []);
		}
		await visit.end();
	});

	it("is shown on a display, without a form for prices", async () => {
		await gateway.login();
		const { token } = await gateway.write("system/tokens", { name: "Wall", scope: "read" });
		const wall = await Visit.begin(browser, gateway, { path: `/#/use?token=${token}` });
		await wall.page.locator(".tiles").waitFor();
		await wall.settled();
		assert.ok(plain(await wall.card("use.today").innerText()).includes(kWh(on("days", "2026-11-22")[0]["import_wh"])));
		assert.equal(await wall.page.locator("input[name=import_micro]").count(), 0);
		// In July the offset is different; still nothing moves to another day.
		await turn(wall, "days", 4);
		assert.equal(await wall.page.locator(".bars .up").count(), on("days", "2026-07").length);
		await wall.end();
	});

	it("keeps the chosen level and month when a new quarter hour is loaded", async () => {
		const visit = await open({ hurried: true });
		await turn(visit, "days", 4);
		const title = await visit.page.locator(".turns h3").innerText();
		visit.requests.length = 0;
		await visit.page.route("**/system/status", async (route) => {
			const response = await route.fetch();
			const json = await response.json();
			await route.fulfill({ response, json: { ...json, timestamp: json.timestamp + 900 } });
		});
		const isLoaded = () => requestsOf(visit).some((query) => query.get("period") === "months");
		for (let i = 0; i < 1000 && !isLoaded(); i++) {
			await visit.page.clock.fastForward(400);
			await visit.settled();
		}
		assert.ok(isLoaded());
		await visit.settled();
		assert.equal(await visit.page.locator("select[name=by]").inputValue(), "days");
		assert.equal(await visit.page.locator(".turns h3").innerText(), title);
		await visit.end();
	});

	it("has an event log in words, newest first, in the gateway's zone", async () => {
		await gateway.post(
			"system/login",
			{ username: "admin", nonce: "0".repeat(64), proof: "0".repeat(64) },
			{ token: null },
		);
		for (const [index, language] of LANGUAGES.entries()) {
			const visit = await (await Visit.begin(browser, gateway, { language })).logIn();
			await visit.go("events");
			const lines = visit.page.locator(".events li");
			await gateway.login();
			const events = (await gateway.read("system/log")).events as JSONObject[];
			// The login of this test is an additional event.
			assert.ok(events.length - (await lines.count()) <= 1);
			const first = await lines.first().innerText();
			assert.ok(first.includes(TEXTS["event.login"][index]), first);
			// The event's time is 13 hours UTC.
			assert.match(first, language === "en" ? / 2:\d\d\sPM/ : / 14:\d\d/);
			const last = await lines.last().innerText();
			assert.ok(last.includes(TEXTS["event.started"][index]) && last.includes(TEXTS["cause.power"][index]), last);
			// The log shows that the zone was set.
			await lines
				.filter({ hasText: TEXTS["event.settings_changed"][index] })
				.getByText(TEXTS["zone.label"][index])
				.waitFor();
			assert.deepEqual(await visit.overflow(), []);
			await visit.end();
		}
	});

	it("says that there is no history yet, or that the clock is not set", async () => {
		for (const [time, text] of [
			[NOW, "use.empty"],
			["none", "links.clock"],
		] as const) {
			const fresh = await ProcessGateway.start("node", { args: ["--time", time] });
			try {
				const visit = await (await Visit.begin(browser, fresh)).logIn();
				await visit.go("use");
				await visit.page.getByText(say(text)).waitFor();
				await visit.end();
			} finally {
				await fresh.stop();
			}
		}
	});
});
