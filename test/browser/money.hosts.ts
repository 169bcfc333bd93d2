/** Prices on the gateway, and the costs that the page calculates from them for a household with solar panels. */
import assert from "node:assert/strict";
import { TEXTS } from "../../hosts/browser/text/all.js";
import { LANGUAGES } from "../../hosts/browser/text/translations.js";
import type { JSONObject } from "../api/gateway.js";
import type { ProcessGateway } from "../api/process-gateway.js";
import { violationsInBoth } from "./axe.js";
import { DESKTOP, PHONE, say, startGateway, usePage, Visit, type VisitOptions } from "./browser.js";
import { giveHistory, NOW, plain, visitUse } from "./household.js";

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
	usePage();
	let gateway: ProcessGateway;
	let days: JSONObject[] = [];

	before(async () => {
		gateway = await startGateway({ args: ["--time", NOW] });
		await giveHistory(gateway);
		days = (await gateway.read("meter/history?period=days")).periods;
	});
	beforeEach(async () => {
		await gateway.login();
		await savePeriods();
	});

	const savePeriods = (...periods: readonly JSONObject[]) => gateway.write(PATH, { periods, currency: "EUR" });
	const stored = async () => (await gateway.read(PATH)).periods;
	const open = (options?: VisitOptions) => visitUse(gateway, options);
	async function openPrices(options: VisitOptions = {}): Promise<Visit> {
		const visit = await open(options);
		await visit.page.locator("main a[href='#/system']").click();
		await visit.page.locator("input[name=import_micro], button[name=change]").first().waitFor();
		await visit.settled();
		return visit;
	}
	const day = (date: string) => days.find(({ localtime }) => localtime.startsWith(date)) as Record<string, number>;
	/** An amount in millionths of the currency, formatted as on the page. */
	const money = (micro: number, language = "en", signDisplay: "exceptZero" | "never" = "exceptZero") => {
		const format = new Intl.NumberFormat(language, { style: "currency", currency: "EUR", signDisplay });
		return plain(format.format(micro / 1e6).replace("-", "−"));
	};
	const balanceOf = ({ import_wh, export_wh }: Record<string, number>, price = PRICE, daysOfMonth = 30) =>
		(-import_wh * price.import_micro + export_wh * price.export_micro) / 1000 - price.base_micro / daysOfMonth;

	it("are shown with their sign and in words beside the amounts, in every language", async () => {
		await savePeriods(PRICE);
		for (const [index, language] of LANGUAGES.entries()) {
			const visit = await open({ language });
			const yesterday = visit.page.locator(".tiles .card").nth(1);
			const wanted = `${money(balanceOf(day("2026-11-21")), language, "never")} ${TEXTS["money.cost"][index]}`;
			assert.ok(plain(await yesterday.innerText()).includes(wanted), `${await yesterday.innerText()} ${wanted}`);
			await visit.turn("month");
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
		const visit = await (await Visit.begin(gateway, { width: PHONE })).logIn();
		const card = visit.card("use.today");
		await card.getByText(say("money.earned")).waitFor({ timeout: 20_000 });
		const { import_wh, export_wh } = day("2026-11-22");
		const micro = -import_wh * 321.7 + export_wh * 2000;
		assert.ok(micro > 0);
		assert.ok(
			plain(await card.innerText()).includes(`${money(micro, "en", "never")} ${say("money.earned")}`),
			await card.innerText(),
		);
		assert.deepEqual(await visit.overflow(), []);
		await visit.end();
	});

	it("change with the price on its day, in table and file", async () => {
		await savePeriods(CHANGED, PRICE);
		const visit = await open();
		await visit.turn("month");
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
		await visit.turn("year");
		await visit.page.getByText(say("money.estimated")).waitFor();
		await visit.end();
	});

	it("exclude the base charge in the hours of a day, and say so", async () => {
		await savePeriods(PRICE);
		const visit = await open();
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
			await visit.submit(card);
			await visit.settled();
		};
		await save({ from: "2026-01-01", import_micro: "acht" });
		await card.getByText(german("price.form")).waitFor();
		assert.deepEqual(await stored(), []);
		await save({ import_micro: "32,17", export_micro: "-1", base_micro: "154,8", base_per: "year" });
		await card.getByRole("listitem").waitFor();
		const first = { from: "2026-01-01", import_micro: 321_700, export_micro: -10_000, base_micro: 154_800_000 };
		assert.deepEqual(await stored(), [{ ...first, base_per: "year" }]);
		// A new price begins with the last one.
		assert.equal(await card.locator("[name=base_micro]").inputValue(), "154,8");
		await save({ from: "2026-11-01", import_micro: "30", import_t2_micro: "25" });
		await card.getByRole("listitem").nth(1).waitFor();
		assert.equal((await stored())[1].import_t2_micro, 250_000);

		const other = await openPrices();
		await other.page.getByText("Price per kWh: €0.30 · tariff 2: €0.25 · Feed-in tariff per kWh: −€0.01").waitFor();
		await other.end();

		// The older price is the second of the list.
		await card.locator("button[name=change]").nth(1).click();
		assert.equal(await card.locator("[name=import_micro]").inputValue(), "32,17");
		assert.equal(await card.locator("[name=base_per]").inputValue(), "year");
		await save({ small: "", import_micro: "0,33", export_micro: "-0,01", from: "2026-01-02" });
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
		const preview = (micro: number) =>
			say("price.preview", { money: `${say("money.cost")} ${money(import_wh * micro, "en", "never")}` });
		await visit.fill(card, { import_micro: "32.17" });
		assert.equal(plain(await card.getByRole("status").innerText()), plain(preview(32_170)));
		await visit.submit(card);
		const dialog = visit.page.getByRole("dialog");
		await dialog.getByText(say("price.much.help")).waitFor();
		await dialog.getByRole("button", { name: say("cancel") }).click();
		assert.deepEqual(await stored(), []);
		await visit.fill(card, { import_micro: "0.3217" });
		assert.equal(plain(await card.getByRole("status").innerText()), plain(preview(321.7)));
		await visit.submit(card);
		await card.getByText(say("price.always")).waitFor();
		assert.equal((await stored())[0].from, "2000-01-01");
		await visit.end();
	});

	it("depend on the time of day, once a window is entered, which goes with its price", async () => {
		await savePeriods({ ...PRICE, base_micro: 0 });
		const visit = await openPrices();
		const card = visit.page
			.locator("section.card")
			.filter({ hasText: say("price.help") })
			.first();
		await visit.fill(card, {
			use: "window",
			weekdays: 31,
			start: "22:10",
			end: "6:00",
			small: "1",
			import_micro: "25",
		});
		await visit.submit(card);
		await card.getByText(say("price.clock")).waitFor();
		await visit.fill(card, { start: "22:00" });
		await visit.submit(card);
		await card.getByText("22:00 – 06:00, Mon, Tue, Wed, Thu, Fri").waitFor();
		const window = { import_micro: 250_000, weekdays: 31, start_minute: 1320, end_minute: 360 };
		assert.deepEqual((await stored())[1], { from: PRICE.from, ...window });
		await card.locator("button[name=change]").first().click();
		await visit.fill(card, { from: "2021-01-01" });
		await visit.submit(card);
		await card.getByText("January 1, 2021").waitFor();
		assert.deepEqual((await stored())[0], { from: "2021-01-01", ...window });
		await card.locator("button[name=remove]").first().click();
		await visit.page.getByRole("dialog").locator("button[type=submit]").click();
		await visit.page.getByRole("dialog").waitFor({ state: "detached" });
		assert.deepEqual(await stored(), []);
		await visit.end();
	});

	it("follow the dynamic prices, whose curve marks the present quarter of an hour", async () => {
		const dynamic = `${PATH}/dynamic`;
		const { timestamp } = await gateway.read("system/clock");
		const quarter = timestamp - (timestamp % 900);
		const prices = [120_000, 123_400, -500_000].map((import_micro) => ({ import_micro }));
		await savePeriods({ ...PRICE, import_micro: 100_000, dynamic: true });
		await gateway.write(dynamic, { start: quarter - 900, step_minutes: 15, prices });
		const visit = await (await Visit.begin(gateway, { width: PHONE })).logIn();
		const card = visit.card("price.curve");
		await card.getByText("0.2234 EUR").waitFor({ timeout: 20_000 });
		assert.equal(await card.locator("svg circle").count(), 1);
		assert.deepEqual([...(await visit.overflow()), ...(await violationsInBoth(visit))], []);
		await visit.end();
		await gateway.write(dynamic, { start: quarter, step_minutes: 15, prices: [] });
	});

	it("say from when on they count, if the price began later", async () => {
		await savePeriods({ ...PRICE, from: "2026-11-21", base_micro: 0 });
		const visit = await open();
		const tile = async (index: number) => plain(await visit.page.locator(".tiles .card").nth(index).innerText());
		const name = `${say("money.cost")} ${say("sessions.since", { time: "Nov 21" })}`;
		const since = ["2026-11-21", "2026-11-22"].reduce(
			(sum, date) => sum + balanceOf(day(date), { ...PRICE, base_micro: 0 }),
			0,
		);
		for (const index of [2, 3]) {
			assert.ok((await tile(index)).includes(name), await tile(index));
			assert.ok((await tile(index)).includes(money(since, "en", "never")), `${await tile(index)} ${since}`);
		}
		assert.ok(!(await tile(1)).includes(say("sessions.since", { time: "Nov 21" })), await tile(1));
		await visit.end();
	});

	it("are limited to 16 prices", async () => {
		await savePeriods(...Array.from({ length: 16 }, (_, index) => ({ ...PRICE, from: `20${index + 10}-01-01` })));
		const visit = await openPrices();
		await visit.page.getByText(say("price.full", { n: 16 })).waitFor();
		assert.equal(await visit.page.locator("input[name=import_micro]").count(), 0);
		await visit.page.locator("button[name=change]").first().click();
		await visit.page.locator("input[name=import_micro]").waitFor();
		await visit.end();
	});

	it("fit and are accessible in both themes, on a phone and a desktop", async () => {
		await savePeriods(CHANGED, PRICE);
		const found: string[] = [];
		for (const width of [PHONE, DESKTOP]) {
			const visit = await openPrices({ width, language: "de" });
			await visit.page.locator("button[name=change]").first().click();
			found.push(...(await violationsInBoth(visit)), ...(await visit.overflow()));
			await visit.end();
		}
		assert.deepEqual(found, []);
	});
});
