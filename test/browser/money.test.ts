/** Prices on the gateway, and the costs that the page calculates from them for a household with solar panels. */
import assert from "node:assert/strict";
import type { Browser } from "playwright-core";
import { TEXTS } from "../../hosts/browser/text/all.js";
import { LANGUAGES } from "../../hosts/browser/text/translations.js";
import type { JSONObject } from "../api/gateway.js";
import { ProcessGateway } from "../api/process-gateway.js";
import { violationsOf } from "./axe.js";
import { DESKTOP, needBrowser, PHONE, say, Visit } from "./browser.js";
import { giveHistory, NOW } from "./household.js";

const PATH = "prices";
const PRICE = {
	from: "2020-01-01",
	import_micro: 321_700,
	export_micro: 80_000,
	base_micro: 12_000_000,
	base_per: "month",
};
/** A price that is valid from the 11th of this month on. */
const CHANGED = { ...PRICE, from: "2026-11-11", import_micro: 300_000, base_micro: 15_000_000 };

describe("Costs on the page", function () {
	this.timeout(180_000);
	let browser: Browser;
	let gateway: ProcessGateway;
	let days: JSONObject[] = [];

	before(async function () {
		browser = await needBrowser(this);
		gateway = await ProcessGateway.start("node", { args: ["--time", NOW] });
		await giveHistory(gateway);
		days = (await gateway.read("meter/history?period=days")).periods;
	});
	after(async () => {
		await browser?.close();
		await gateway?.stop();
	});
	beforeEach(async () => {
		await gateway.login();
		await savePeriods();
	});
	afterEach(function () {
		if (this.currentTest?.state === "failed") console.error(gateway.diagnosis);
	});

	const savePeriods = (...periods: readonly JSONObject[]) => gateway.write(PATH, { periods, currency: "EUR" });
	const stored = async () => (await gateway.read(PATH)).periods;
	async function open(options: Parameters<typeof Visit.begin>[2] = {}): Promise<Visit> {
		const visit = await (await Visit.begin(browser, gateway, options)).logIn();
		await visit.go("use");
		return visit;
	}
	async function openPrices(options: Parameters<typeof Visit.begin>[2] = {}): Promise<Visit> {
		const visit = await open(options);
		await visit.page.locator("main a[href='#/system']").click();
		await visit.page.locator("input[name=import_micro], button[name=change]").first().waitFor();
		await visit.settled();
		return visit;
	}
	const plain = (text: string | null) => (text ?? "").replace(/\s+/g, " ");
	const day = (date: string) => days.find(({ localtime }) => localtime.startsWith(date)) as Record<string, number>;
	/** An amount in millionths of the currency, formatted as on the page. */
	const money = (micro: number, language = "en") => {
		const format = new Intl.NumberFormat(language, { style: "currency", currency: "EUR", signDisplay: "exceptZero" });
		return plain(format.format(micro / 1e6).replace("-", "−"));
	};
	const balanceOf = ({ import_wh, export_wh }: Record<string, number>, price = PRICE, daysOfMonth = 30) =>
		(-import_wh * price.import_micro + export_wh * price.export_micro) / 1000 - price.base_micro / daysOfMonth;

	it("are shown with their sign and in words beside the amounts, in every language", async () => {
		await savePeriods(PRICE);
		for (const [index, language] of LANGUAGES.entries()) {
			const visit = await open({ language });
			const yesterday = visit.page.locator(".tiles .card").nth(1);
			const wanted = `${money(balanceOf(day("2026-11-21")), language)} ${TEXTS["money.paid"][index]}`;
			assert.ok(plain(await yesterday.innerText()).includes(wanted), `${await yesterday.innerText()} ${wanted}`);
			await visit.page.selectOption("select[name=by]", "days");
			await visit.settled();
			const legend = plain(await visit.page.locator(".legend.money").innerText());
			const month = days.filter(({ localtime }) => localtime.startsWith("2026-11"));
			const sum = (name: string) => month.reduce((total, one) => total + (one[name] ?? 0), 0);
			for (const [name, micro] of [
				["counter.import", (-sum("import_wh") * PRICE.import_micro) / 1000],
				["counter.export", (sum("export_wh") * PRICE.export_micro) / 1000],
				["price.base", (-month.length * PRICE.base_micro) / 30],
			] as const)
				assert.ok(legend.includes(`${TEXTS[name][index]}: ${money(micro, language)}`), `${legend} ${name} ${micro}`);
			await visit.end();
		}
	});

	it("are a gain when the export yields more, also on the first page", async () => {
		await savePeriods({ ...PRICE, export_micro: 2_000_000, base_micro: 0 });
		const visit = await (await Visit.begin(browser, gateway, { width: PHONE })).logIn();
		const card = visit.card("use.today");
		await card.getByText(say("money.balance")).waitFor({ timeout: 20_000 });
		const { import_wh, export_wh } = day("2026-11-22");
		const micro = -import_wh * 321.7 + export_wh * 2000;
		assert.ok(micro > 0);
		assert.ok(plain(await card.innerText()).includes(`${money(micro)} ${say("money.earned")}`), await card.innerText());
		assert.deepEqual(await visit.overflow(), []);
		await visit.end();
	});

	it("change with the price on its day, in table and file", async () => {
		await savePeriods(CHANGED, PRICE);
		const visit = await open();
		await visit.page.selectOption("select[name=by]", "days");
		await visit.settled();
		const saved = visit.page.waitForEvent("download");
		await visit.page.locator("button[name=csv]").click();
		const stream = await (await saved).createReadStream();
		let text = "";
		for await (const piece of stream) text += piece;
		const [head, ...rows] = text.trim().split("\r\n");
		assert.ok(head.includes(`${say("money.balance")} (EUR)`), head);
		for (const [date, price] of [
			["2026-11-10", PRICE],
			["2026-11-11", CHANGED],
		] as const) {
			const row = rows.find((one) => one.startsWith(`${date}T00:00:00+01:00,`)) ?? "";
			const balance = Number(row.split(",").at(-2));
			assert.ok(Math.abs(balance - balanceOf(day(date), price) / 1e6) < 0.000_06, `${row} ${date}`);
		}
		assert.equal(await visit.page.getByText(say("money.estimated")).count(), 0);
		// A year is divided into months only, so the month of the change is divided.
		await visit.page.selectOption("select[name=by]", "months");
		await visit.page.getByText(say("money.estimated")).waitFor();
		await visit.end();
	});

	it("exclude the base charge in the hours of a day, and say so", async () => {
		await savePeriods(PRICE);
		const visit = await open();
		await visit.page.selectOption("select[name=by]", "hours");
		await visit.settled();
		await visit.page.locator("section.card summary").first().click();
		await visit.page.getByRole("columnheader", { name: say("money.energy") }).waitFor();
		await visit.end();
	});

	it("use prices that are entered once for all browsers, and are changed and removed there", async () => {
		const visit = await openPrices({ language: "de", width: PHONE });
		const german = (key: keyof typeof TEXTS) => TEXTS[key][1];
		const card = visit.page
			.locator("section.card")
			.filter({ hasText: german("price.help") })
			.first();
		const save = async (values: Parameters<Visit["fill"]>[1]) => {
			await visit.fill(card, values);
			await card.locator("button[type=submit]").click();
			await visit.settled();
		};
		await save({ from: "2026-01-01", import_micro: "acht" });
		await card.getByText(german("price.form")).waitFor();
		assert.deepEqual(await stored(), []);
		await save({ import_micro: "0,3217", export_micro: "-0.01", base_micro: "154,8", base_per: "year" });
		await card.getByRole("listitem").waitFor();
		const first = { from: "2026-01-01", import_micro: 321_700, export_micro: -10_000, base_micro: 154_800_000 };
		assert.deepEqual(await stored(), [{ ...first, base_per: "year" }]);
		await save({ from: "2026-11-01", import_micro: "0,30", import_t2_micro: "0,25" });
		await card.getByRole("listitem").nth(1).waitFor();
		assert.equal((await stored())[1].import_t2_micro, 250_000);

		const other = await openPrices();
		await other.page.getByText("Price per kWh: €0.30 · tariff 2: €0.25").waitFor();
		await other.end();

		// The older price is the second of the list.
		await card.locator("button[name=change]").nth(1).click();
		assert.equal(await card.locator("[name=import_micro]").inputValue(), "0,3217");
		assert.equal(await card.locator("[name=base_per]").inputValue(), "year");
		await save({ import_micro: "0,33", from: "2026-01-02" });
		await card.getByText("0,33").waitFor();
		assert.deepEqual(
			(await stored()).map(({ from, import_micro }: JSONObject) => [from, import_micro]),
			[
				["2026-11-01", 300_000],
				["2026-01-02", 330_000],
			],
		);
		await card.locator("button[name=remove]").first().click();
		const dialog = visit.page.getByRole("dialog");
		await dialog.getByText(german("price.help")).waitFor();
		await dialog.locator("button[type=submit]").click();
		await dialog.waitFor({ state: "detached" });
		assert.equal((await stored()).length, 1);
		await visit.end();
	});

	it("ask before a price in hundredths is saved, show the cost of yesterday, and need no beginning", async () => {
		const visit = await openPrices();
		const card = visit.page
			.locator("section.card")
			.filter({ hasText: say("price.help") })
			.first();
		const { import_wh } = day("2026-11-21");
		const preview = (micro: number) => say("price.preview", { money: `${money(-import_wh * micro)} paid` });
		await visit.fill(card, { import_micro: "32.17" });
		assert.equal(plain(await card.getByRole("status").innerText()), plain(preview(32_170)));
		await card.locator("button[type=submit]").click();
		const dialog = visit.page.getByRole("dialog");
		await dialog.getByText(say("price.much.help")).waitFor();
		await dialog.getByRole("button", { name: say("cancel") }).click();
		assert.deepEqual(await stored(), []);
		await visit.fill(card, { import_micro: "0.3217" });
		assert.equal(plain(await card.getByRole("status").innerText()), plain(preview(321.7)));
		await card.locator("button[type=submit]").click();
		await card.getByText(say("price.always")).waitFor();
		assert.equal((await stored())[0].from, "2000-01-01");
		await visit.end();
	});

	it("say from when on they count, if the price began later", async () => {
		await savePeriods({ ...PRICE, from: "2026-11-21", base_micro: 0 });
		const visit = await open();
		const tile = async (index: number) => plain(await visit.page.locator(".tiles .card").nth(index).innerText());
		const name = `${say("money.balance")} ${say("sessions.since", { time: "Nov 21" })}`;
		const since = ["2026-11-21", "2026-11-22"].reduce(
			(sum, date) => sum + balanceOf(day(date), { ...PRICE, base_micro: 0 }),
			0,
		);
		for (const index of [2, 3]) {
			assert.ok((await tile(index)).includes(name), await tile(index));
			assert.ok((await tile(index)).includes(money(since)), `${await tile(index)} ${money(since)}`);
		}
		assert.ok(!(await tile(1)).includes(say("sessions.since", { time: "Nov 21" })), await tile(1));
		await visit.end();
	});

	it("are limited to eight prices", async () => {
		await savePeriods(...Array.from({ length: 8 }, (_, index) => ({ ...PRICE, from: `202${index}-01-01` })));
		const visit = await openPrices();
		await visit.page.getByText(say("price.full", { n: 8 })).waitFor();
		assert.equal(await visit.page.locator("input[name=import_micro]").count(), 0);
		await visit.page.locator("button[name=change]").first().click();
		await visit.page.locator("input[name=import_micro]").waitFor();
		await visit.end();
	});

	it("use the old prices stored in a browser once, and only if the gateway has none", async () => {
		const old = JSON.stringify({ import: "0,3217", export: "0.08", currency: "CHF" });
		const visit = async () => {
			const one = await Visit.begin(browser, gateway);
			await one.page.evaluate(`localStorage.setItem("prices", ${JSON.stringify(old)})`);
			await one.logIn();
			await one.go("use");
			await one.page.locator(".legend.money").waitFor();
			assert.equal(await one.page.evaluate("localStorage.getItem('prices')"), null);
			await one.end();
		};
		await visit();
		const moved = { from: "2000-01-01", import_micro: 321_700, export_micro: 80_000, base_micro: 0, base_per: "month" };
		assert.deepEqual(await gateway.read(PATH), { periods: [moved], currency: "CHF" });
		await savePeriods(CHANGED);
		await visit();
		assert.deepEqual(await gateway.read(PATH), { periods: [CHANGED], currency: "EUR" });
	});

	it("fit and are accessible in both themes, on a phone and a desktop", async () => {
		await savePeriods(CHANGED, PRICE);
		const found: string[] = [];
		for (const width of [PHONE, DESKTOP]) {
			for (const theme of ["light", "dark"] as const) {
				const visit = await openPrices({ width, theme, language: "de" });
				await visit.page.locator("button[name=change]").first().click();
				found.push(...(await violationsOf(visit)), ...(await visit.overflow()));
				await visit.end();
			}
		}
		assert.deepEqual(found, []);
	});
});
