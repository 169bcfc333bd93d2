/** The two days with a clock change in Berlin: bars, table and file. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { TEXTS } from "../../hosts/browser/text/all.js";
import { LANGUAGES } from "../../hosts/browser/text/translations.js";
import type { ProcessGateway } from "../api/process-gateway.js";
import { Unit } from "../history/unit.js";
import { startGateway, usePage, Visit } from "./browser.js";
import { giveHistory, ZONE } from "./household.js";

const QUARTER_S = 900;
/** Wh in each quarter hour. */
const WH = 120;

const CHANGES = [
	{ day: "2026-10-25", now: "2026-10-26T10:05:00Z", hours: 25 },
	{ day: "2026-03-29", now: "2026-03-30T10:05:00Z", hours: 23 },
] as const;

for (const { day, now, hours } of CHANGES) {
	describe(`The page on a day of ${hours} hours`, function () {
		this.timeout(180_000);
		usePage();
		let gateway: ProcessGateway;

		before(async () => {
			gateway = await startGateway({ args: ["--time", now] });
			const unit = new Unit(ZONE);
			const endS = Date.parse(now) / 1000;
			let wh = 1_000_000;
			for (let timeS = endS - (endS % QUARTER_S) - 4 * 86_400; timeS <= endS; timeS += QUARTER_S) {
				wh += WH;
				unit.read(timeS + 5, { import: wh });
			}
			await giveHistory(gateway, unit);
		});

		/** Opens the view of that day, and its table. */
		async function open(language: (typeof LANGUAGES)[number]): Promise<Visit> {
			const visit = await (await Visit.begin(gateway, { language })).logIn();
			await visit.go("use");
			await visit.turn("day", 1);
			await visit.page
				.locator("details")
				.first()
				.evaluate((one) => one.setAttribute("open", ""));
			return visit;
		}
		const timesOf = async (visit: Visit) =>
			(await visit.page.locator("table.readings tbody th").allInnerTexts()).map((text) => text.replace(/\s/g, " "));

		it("has a row and a bar for each quarter hour without gaps, distinct times, and a correct axis", async () => {
			const visit = await open("de");
			const times = await timesOf(visit);
			assert.equal(times.length, hours * 4);
			assert.equal(new Set(times).size, times.length);
			const bars = await visit.page
				.locator(".bars .up")
				.evaluateAll((all) => all.map((one) => ["x", "width"].map((name) => Number(one.getAttribute(name)))));
			assert.equal(bars.length, times.length);
			for (const [index, [x, width]] of bars.slice(0, -1).entries())
				assert.ok(
					Math.abs(bars[index + 1][0] - bars[0][0] - (index + 1) * (bars[1][0] - bars[0][0])) < 0.5,
					`${x} ${width}`,
				);
			assert.equal(await visit.page.getByText(TEXTS["mark.gap"][1]).count(), 0);
			// The labels of 6, 12 and 18 hours are at the bars of these times.
			const labels = await visit.page
				.locator(".bars text")
				.evaluateAll((all) => all.map((one) => [one.textContent ?? "", Number(one.getAttribute("x"))] as const));
			for (const hour of ["6", "12", "18"]) {
				const index = times.findIndex((text) => text.startsWith(`${hour.padStart(2, "0")}:00`));
				const label = labels.find(([text]) => text === `${hour} Uhr`)?.[1] ?? Number.NaN;
				assert.ok(Math.abs(label - bars[index][0]) < 3, `${hour}: ${label} ${bars[index][0]}`);
			}
			await visit.end();
		});

		it("names summer and winter time in table and bar, in every language", async () => {
			for (const [index, language] of LANGUAGES.entries()) {
				const [summer, winter] = [TEXTS["season.summer"][index], TEXTS["season.winter"][index]];
				const visit = await open(language);
				const times = await timesOf(visit);
				assert.equal(times.length, hours * 4);
				const named = times.filter((text) => text.includes(summer) || text.includes(winter));
				assert.equal(named.length, 8, named.join());
				const [first, second] = hours === 25 ? [summer, winter] : [winter, summer];
				assert.ok(named[0].endsWith(`, ${first}`) && named[4].endsWith(`, ${second}`), named.join());
				if (hours === 25) assert.equal(named[0].replace(first, ""), named[4].replace(second, ""));
				await visit.page.getByRole("slider").focus();
				await visit.page.keyboard.press("Home");
				for (let i = 0; i < (hours === 25 ? 8 : 4); i++) await visit.page.keyboard.press("ArrowRight");
				const announced = await visit.page.getByRole("slider").getAttribute("aria-valuetext");
				assert.ok(announced?.includes(first), `${announced}`);
				await visit.end();
			}
		});

		it("has a file in which each row has a distinct time with its offset", async () => {
			const visit = await open("en");
			const saved = visit.page.waitForEvent("download");
			await visit.page.locator("button[name=csv]").click();
			const file = readFileSync(await (await saved).path(), "utf8");
			const rows = file.trimEnd().split("\r\n").slice(1);
			assert.equal(rows.length, hours * 4);
			const startMs = Date.parse(`${day}T00:00:00${hours === 25 ? "+02:00" : "+01:00"}`);
			for (const [index, row] of rows.entries()) {
				const [from, to, amount] = row.split(",");
				assert.equal(Date.parse(from), startMs + index * QUARTER_S * 1000, row);
				assert.equal(Date.parse(to), Date.parse(from) + QUARTER_S * 1000, row);
				assert.equal(Number(amount), WH / 1000);
			}
			const changed =
				hours === 25
					? "2026-10-25T02:45:00+02:00,2026-10-25T02:00:00+01:00"
					: "2026-03-29T01:45:00+01:00,2026-03-29T03:00:00+02:00";
			assert.ok(rows.some((row) => row.startsWith(changed)));
			await visit.end();
		});
	});
}
