/** Consumption from a history of two years, and the event log: figures, bars, table, and spreadsheet file. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { TEXTS } from "../../hosts/browser/text/all.js";
import { LANGUAGES } from "../../hosts/browser/text/translations.js";
import { type JSONObject, PASSWORD } from "../api/gateway.js";
import { ProcessGateway } from "../api/process-gateway.js";
import { violationsInBoth, violationsOf } from "./axe.js";
import { DESKTOP, PHONE, say, startGateway, usePage, Visit, type VisitOptions } from "./browser.js";
import { giveHistory, NOW, plain, visitUse } from "./household.js";

const TABLET = 768;
const API = "/api/v1/";

describe("Consumption on the page", function () {
	this.timeout(180_000);
	usePage();
	let gateway: ProcessGateway;
	const all: Record<string, JSONObject[]> = {};

	before(async () => {
		gateway = await startGateway({ args: ["--time", NOW] });
		await giveHistory(gateway);
		for (const level of ["quarters", "hours", "days", "months"])
			all[level] = (await gateway.read(`meter/history?period=${level}`)).periods;
	});

	const open = (options?: VisitOptions) => visitUse(gateway, options);
	/** Requests for the history. */
	const requestsOf = (visit: Visit) =>
		visit.requests.filter((one) => one.url().includes("history")).map((one) => new URL(one.url()).searchParams);
	const slider = (visit: Visit) => visit.page.getByRole("slider");
	const announced = async (visit: Visit) => plain(await slider(visit).getAttribute("aria-valuetext"));
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
		assert.match(today, /PM: \d+% less than Nov 21 \(/);
		assert.ok(today.includes(`(${kWh(sum(until))})`), today);
		const yesterday = await tile("use.yesterday");
		assert.ok(yesterday.includes(kWh(on("days", "2026-11-21")[0]["import_wh"])), yesterday);
		assert.ok(yesterday.includes(`than Nov 20 (${kWh(on("days", "2026-11-20")[0]["import_wh"])})`), yesterday);
		const month = await tile("use.month");
		assert.ok(month.includes(kWh(sum(on("days", "2026-11")))), month);
		const october = on("days", "2026-10").filter(({ localtime }) => localtime < "2026-10-22");
		assert.ok(month.includes(`than Oct 1 – 21 (${kWh(sum(october))})`), month);
		const yearBefore = on("days", "2025-11").filter(({ localtime }) => localtime < "2025-11-22");
		assert.ok(month.includes(`than Nov 1 – 21 2025 (${kWh(sum(yearBefore))})`), month);
		const now = sum(on("days", "2026-11").filter(({ localtime }) => localtime < "2026-11-22"));
		assert.ok(month.includes(`${Math.round((now / sum(october) - 1) * 100)}% more than Oct`), month);
		const year = await tile("use.year");
		const thousands = (wh: number) => `${Math.round(wh / 1000).toLocaleString("en")} kWh`;
		assert.ok(year.includes(thousands(sum(on("months", "2026")))), year);
		const before = on("days", "2025").filter(({ localtime }) => localtime < "2025-11-22");
		assert.ok(year.includes(`2025 (${thousands(sum(before))})`), year);
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
		const visit = await (await Visit.begin(gateway, { width: PHONE })).logIn();
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
		await visit.turn("month");
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

	it("requests what today's cards need before the rest, and the challenge while the password is typed", async () => {
		const visit = await Visit.begin(gateway);
		const requested = () => visit.requests.map((one) => new URL(one.url()).pathname.replace(API, ""));
		await visit.page.locator("input[name=password]").pressSequentially(PASSWORD, { delay: 20 });
		await visit.settled();
		assert.equal(requested().filter((path) => path === "system/challenge").length, 1);
		assert.ok(requested().some((path) => path.startsWith("/assets/use-")));
		visit.requests.length = 0;
		await visit.page.press("input[name=password]", "Enter");
		await visit.card("use.today").waitFor();
		await visit.settled();
		// On a quick line, the time zone is requested before the cards are there.
		const paths = requested().filter((path) => path !== "events" && path !== "system/timezone");
		const first = ["system/login", "system/status", "iec62056/last", "prices", "meter/history", "meter/history"];
		assert.deepEqual(paths.slice(0, 6), first);
		assert.equal(visit.mostAtOnce, 1);
		await visit.end();
	});

	it("requests only what it shows, one after the other, and once", async () => {
		const visit = await (await Visit.begin(gateway)).logIn();
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
		await visit.turn("month");
		await visit.turn("year");
		await visit.turn("day", 1);
		assert.equal(requestsOf(visit).length, 4);
		// This day and the one before, with which it is compared, have hours only.
		await visit.turn("day", 2);
		assert.equal(requestsOf(visit).length, 6);
		assert.equal(visit.mostAtOnce, 1);
		await visit.end();
	});

	it("draws quarter hours as mean power, and announces their energy beside it", async () => {
		const visit = await open();
		const quarters = on("quarters", "2026-11-22");
		assert.equal(await visit.page.locator(".bars .up").count(), quarters.length);
		await slider(visit).focus();
		for (const [key, one] of [
			["Home", quarters[0]],
			["End", quarters.at(-1)!],
		] as const) {
			await visit.page.keyboard.press(key);
			const { start, end, import_wh } = one as Record<string, number>;
			const power = Math.round((import_wh * 3600) / (end - start)).toLocaleString("en");
			const energy = (import_wh / 1000).toFixed(3);
			const text = await announced(visit);
			assert.ok(text.includes(`: imported ${power} W (${energy} kWh), `), text);
		}
		const axis = await visit.page.locator(".bars text[text-anchor=end]").allTextContents();
		assert.ok(
			axis.every((label) => label.endsWith(" kW")),
			axis.join(),
		);
		await visit.turn("week");
		const energies = await visit.page.locator(".bars text[text-anchor=end]").allTextContents();
		assert.ok(
			energies.every((label) => label.endsWith(" kWh")),
			energies.join(),
		);
		await visit.end();
	});

	it("draws a bar for each period; the arrow keys move between the bars and announce them", async () => {
		const visit = await open();
		assert.equal(await visit.page.locator(".bars .up").count(), on("quarters", "2026-11-22").length);
		await slider(visit).focus();
		await visit.page.keyboard.press("Home");
		assert.match(
			await announced(visit),
			/^12:00 – 12:15\sAM: imported \d{3}\sW \(0\.\d{3}\skWh\), exported 0\sW \(0\.00\skWh\)$/,
		);
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
		await visit.turn("day", 2);
		assert.equal(await visit.page.locator(".bars rect.gap").count(), 1);
		const gap = on("hours", "2026-11-20").find((one) => one["gap"])!;
		await slider(visit).focus();
		await visit.page.keyboard.press("Home");
		while (!(await announced(visit)).includes(say("mark.gap"))) await visit.page.keyboard.press("ArrowRight");
		assert.match(await announced(visit), /^4:00 – 10:00\sAM: /);
		assert.ok((await announced(visit)).includes(kWh(gap["import_wh"])), await announced(visit));
		await visit.turn("year", 1);
		assert.equal(await visit.page.locator(".bars circle").count(), 1);
		assert.ok(await visit.page.locator(".legend").getByText(say("mark.meter_changed")).isVisible());
		await visit.end();
	});

	it("can't go beyond today, nor before the stored history", async () => {
		const visit = await open();
		assert.ok(await visit.button("use.on").isDisabled());
		await visit.turn("day", 1);
		await visit.step("on");
		assert.ok(await visit.button("use.on").isDisabled());
		await visit.turned(() => visit.page.evaluate(`location.hash = "#/use/day/2026-11-09"`));
		assert.ok(await visit.button("use.back").isDisabled());
		await visit.turn("year", 2);
		assert.ok(await visit.page.getByText(say("use.none")).isVisible());
		await visit.end();
	});

	it("shows gas in its own unit", async () => {
		const visit = await open();
		await visit.page.selectOption("select[name=kind]", "gas_l");
		await visit.turn("month");
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
			await visit.turn("day", 2);
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
			const language = LANGUAGES[index];
			const visit = await open({ width, language });
			for (const level of ["day", "week", "month", "year"] as const) {
				await visit.turn(level);
				await visit.page.locator("details").evaluate((one) => one.setAttribute("open", ""));
				const name = `${width} ${language} ${level}`;
				found.push(...(await violationsInBoth(visit)).map((what) => `${name} ${what}`));
				found.push(...(await visit.overflow()).map((what) => `${name}: ${what}`));
				await visit.page.evaluate("document.documentElement.style.fontSize = '200%'");
				found.push(...(await visit.overflow()).map((what) => `${name}, 200 %: ${what}`));
				await visit.page.evaluate("document.documentElement.style.fontSize = ''");
			}
			await visit.end();
		}
		await gateway.write("prices", { periods: [] });
		assert.deepEqual(found, []);
	});

	it("distinguishes import, export and gap in forced colours", async () => {
		const visit = await open();
		await visit.turn("day", 2);
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

	it("has figures on a display that can be read from across the room", async () => {
		await gateway.login();
		await gateway.write("prices", { periods: [{ from: "2026-01-01", import_micro: 300_000 }] });
		const { id, token } = await gateway.write("system/tokens", { name: "Hall", scope: "read" });
		const wall = await Visit.begin(gateway, { path: `/#/dashboard?token=${token}` });
		const sum = wall.card("use.today").locator(".sum");
		const shown = async (width: number, height: number) => {
			await wall.page.setViewportSize({ width, height });
			await sum.waitFor();
			await wall.settled();
			assert.deepEqual(await wall.overflow(), []);
			const box = (await sum.boundingBox())!;
			assert.ok(box.y + box.height < height, `${width}: ${box.y + box.height}`);
			return Number.parseFloat(await sum.evaluate((one) => getComputedStyle(one).fontSize));
		};
		assert.ok((await shown(800, 480)) >= 50);
		assert.ok((await shown(1024, 600)) >= 65);
		assert.ok((await shown(1280, 800)) >= 85);
		const label = (await wall.page.locator(".bars text").first().boundingBox())!;
		assert.ok(label.height >= 20, `${label.height}`);
		// A tap still chooses the bar below it.
		const bar = wall.page.locator(".bars g.plain").nth(3);
		await bar.scrollIntoViewIfNeeded();
		const { x, width, y } = (await bar.locator(".up").boundingBox())!;
		await wall.page.mouse.move(x + width / 2, y);
		assert.match((await bar.getAttribute("class")) ?? "", /chosen/);
		await wall.end();
		await gateway.request("DELETE", `system/tokens/${id}`);
		await gateway.write("prices", { periods: [] });
	});

	it("is shown on a display, without a form for prices", async () => {
		await gateway.login();
		const { token } = await gateway.write("system/tokens", { name: "Wall", scope: "read" });
		const wall = await Visit.begin(gateway, { path: `/#/use?token=${token}` });
		await wall.page.locator(".tiles").first().waitFor();
		await wall.settled();
		assert.ok(plain(await wall.card("use.today").innerText()).includes(kWh(on("days", "2026-11-22")[0]["import_wh"])));
		assert.equal(await wall.page.locator("input[name=import_micro]").count(), 0);
		// In July the offset is different; still nothing moves to another day.
		await wall.turn("month", 4);
		assert.equal(await wall.page.locator(".bars .up").count(), on("days", "2026-07").length);
		await wall.end();
	});

	it("keeps the chosen level and month when a new quarter hour is loaded", async () => {
		const visit = await open({ hurried: true });
		await visit.turn("month", 4);
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
		assert.equal(await visit.page.locator(".segments [aria-current=true]").innerText(), say("unit.month"));
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
			const visit = await (await Visit.begin(gateway, { language })).logIn();
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

	it("explains the codes of failures in the log", async () => {
		const visit = await (await Visit.begin(gateway)).logIn();
		const cases = [
			["mqtt_failed", "refused_login", say("out.refused_login")],
			["hub_failed", "unreachable", say("out.unreachable")],
			["update_refused", "ota_bad_signature from ::1", `${say("error.ota_bad_signature")} (::1)`],
			["update_refused", "ota_unreachable: reset", `${say("error.ota_unreachable")} (reset)`],
			["safe_mode", "panic; the core dump tells more", say("cause.panic")],
			["login_refused", "192.0.2.7", "192.0.2.7"],
			["token_made", "busy", "busy"],
			["mqtt_failed", "new_code", "new_code"],
		];
		const events = cases.map(([event, detail]) => ({ time: 1, uptime: 1, event, detail, count: 1 }));
		await visit.page.route("**/system/log", (route) => route.fulfill({ json: { events, dropped: 0 } }));
		await visit.go("events");
		const details = await visit.page.locator(".events li div small").allTextContents();
		assert.deepEqual(
			details.reverse(),
			cases.map(([, , text]) => text),
		);
		await visit.end();
	});

	it("says that there is no history yet, or that the clock is not set", async () => {
		for (const [time, text] of [
			[NOW, "use.empty"],
			["none", "clock.unset"],
		] as const) {
			const fresh = await ProcessGateway.start("node", { args: ["--time", time] });
			try {
				const visit = await (await Visit.begin(fresh)).logIn();
				await visit.go("use");
				await visit.page.getByText(say(text)).waitFor();
				await visit.end();
			} finally {
				await fresh.stop();
			}
		}
	});
});
