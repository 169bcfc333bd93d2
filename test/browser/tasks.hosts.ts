/** Taps that people's tasks take on a phone, the look of the first screen, and the choice in the address of the chart. */
import assert from "node:assert/strict";
import { frame } from "../../tools/meter/telegram.js";
import { PASSWORD } from "../api/gateway.js";
import type { ProcessGateway } from "../api/process-gateway.js";
import { violationsInBoth } from "./axe.js";
import { PHONE, say, startGateway, usePage, Visit } from "./browser.js";
import { giveHistory, householdAtNow, NOW, SERIAL } from "./household.js";

const SIZES = [
	{ width: PHONE, height: 740 },
	{ width: 1280, height: 800 },
];
/** Height of the bar at the bottom of a phone, pixels. */
const BAR = 60;
const PRICE = { from: "2025-01-01", import_micro: 329_000, export_micro: 81_000 };

/** A telegram of a meter with three counters of 0. */
function telegram(): Uint8Array {
	const { readings } = householdAtNow();
	const kWh = (wh: number) => (wh / 1000).toFixed(3);
	const lines = [
		`0.0.0(${SERIAL})`,
		`1.8.0(${kWh(readings.import)}*kWh)`,
		`1.8.1(${kWh(readings.import)}*kWh)`,
		...[2, 3, 4].map((tariff) => `1.8.${tariff}(0.000*kWh)`),
		`2.8.0(${kWh(readings.export)}*kWh)`,
		"16.7.0(0.412*kW)",
	];
	return Buffer.concat([Buffer.from("/ESY5Q3DA1004 V3.04\r\n"), frame(Buffer.from(`${lines.join("\r\n")}\r\n!\r\n`))]);
}

describe("People's tasks on the page", function () {
	this.timeout(180_000);
	usePage();
	let gateway: ProcessGateway;
	let visit: Visit;
	/** Number of taps of the present test. */
	let taps = 0;

	before(async () => {
		gateway = await startGateway({ args: ["--time", NOW] });
		await gateway.post("system/password", { old_password: PASSWORD, new_password: PASSWORD }, { token: null });
		await giveHistory(gateway);
		await gateway.write("prices", { periods: [PRICE], currency: "EUR" });
		await gateway.write("peaks", { interval_mins: 15, count: 1 });
		await gateway.connectMeter({ telegram: telegram() });
		await gateway.read("iec62056/read");
	});
	beforeEach(async () => {
		taps = 0;
		visit = await Visit.begin(gateway, { width: PHONE });
		await visit.page.clock.setFixedTime(Date.parse(NOW));
		await visit.logIn();
		await visit.card("use.today").waitFor();
		await visit.settled();
	});
	afterEach(() => visit.end());

	const tap = async (selector: string) => {
		taps++;
		await visit.page.click(selector);
		await visit.settled();
	};
	const hash = () => visit.page.evaluate<string>("location.hash");
	const plain = (text: string) => text.replace(/\s+/g, " ");

	it("need none for the power now, its cost, the cost of today beside yesterday's, the state and the age", async () => {
		for (const size of SIZES) {
			await visit.page.setViewportSize(size);
			const bottom = size.height - (size.width === PHONE ? BAR : 0);
			const now = visit.card("now.title");
			const today = visit.card("use.today");
			for (const place of [
				now.locator(".big"),
				now.locator(".age"),
				today.locator(".sum"),
				today.locator("b").first(),
				visit.page.locator("[name=state]"),
			]) {
				const box = await place.boundingBox();
				assert.ok(box && box.y >= 0 && box.y + box.height <= bottom, `${place}, ${size.width}: ${JSON.stringify(box)}`);
			}
			assert.match(plain(await now.innerText()), /412 W ↓ Drawing from the grid · ≈ 14 ct\/h/);
			assert.match(
				plain(await today.innerText()),
				/^Today €\d\.\d\d cost \d+% (less|more) than yesterday by 2:30 PM \(€/,
			);
			assert.match((await now.getByRole("img").getAttribute("aria-label")) ?? "", /24 hours, from −\d+ W to [\d,]+ W/);
		}
	});

	it("need one for what is wrong, and one more for the page about it", async () => {
		assert.equal((await visit.page.locator("[name=state]").innerText()).trim(), say("states.good"));
		await gateway.login();
		await gateway.write("mqtt", { enabled: true, url: "mqtt://127.0.0.1:1" });
		await visit.page.getByText(say("states.bad", { n: 1 })).waitFor();
		await tap("[name=state]");
		assert.match(await visit.page.locator("dialog li").first().innerText(), /^MQTT: failed/);
		assert.deepEqual(await violationsInBoth(visit), []);
		await tap("dialog li:first-child a");
		await visit.page.getByRole("heading", { level: 1, name: say("nav.hub") }).waitFor();
		assert.equal(await visit.page.getByRole("dialog").count(), 0);
		assert.equal(taps, 2);
		await gateway.write("mqtt", { enabled: false });
	});

	it("need two for why Home Assistant shows nothing, and for whether the head is right", async () => {
		for (const [name, page] of [
			["state.hub", "nav.hub"],
			["state.meter", "nav.meter"],
		] as const) {
			taps = 0;
			await tap("[name=state]");
			await tap(`dialog a:has-text("${say(name)}:")`);
			await visit.page.getByRole("heading", { level: 1, name: say(page) }).waitFor();
			assert.ok(taps <= 2);
		}
	});

	it("need one for this month against the same month of last year", async () => {
		await tap('.tabs a[href="#/use"]');
		const text = plain(await visit.card("use.month").innerText());
		assert.match(text, /\d+% (less|more) than Nov 1 – 21 2025 \(/);
		assert.equal(taps, 1);
	});

	it("are told of a clock that differs from this device's", async () => {
		await visit.page.clock.setFixedTime(Date.parse(NOW) + 86_400_000);
		await visit.page.reload();
		await visit.settled();
		await (await visit.state(say("state.clock"))).getByText(say("state.apart")).waitFor();
	});

	it("hide counters of 0", async () => {
		const text = plain(await visit.card("counter.title").innerText());
		assert.match(text, /Imported, tariff 1/);
		assert.doesNotMatch(text, /tariff [234]/);
	});

	describe("in the history", () => {
		beforeEach(() => visit.go("use"));

		it("open a bar by a tap: from the year to the month and the day, and return by Back", async () => {
			await visit.turn("year");
			const bar = async (index: number) => {
				const box = (await visit.page.locator(".bars .up").nth(index).boundingBox())!;
				await visit.turned(() => visit.page.mouse.click(box.x + box.width / 2, box.y + box.height - 1));
			};
			await bar(10);
			assert.equal(await hash(), "#/use/month/2026-11-01");
			await bar(19);
			assert.equal(await hash(), "#/use/day/2026-11-20");
			await visit.page.reload();
			await visit.settled();
			assert.match(await visit.page.locator(".turns h3").innerText(), /Nov 20/);
			await visit.turned(() => visit.page.goBack());
			await visit.page.goBack();
			await visit.page.locator(".turns h3").getByText("2026", { exact: true }).waitFor();
		});

		it("work by keyboard: Enter opens a bar, Page Up and Page Down turn the page", async () => {
			await visit.turn("month");
			const slider = visit.page.getByRole("slider");
			await slider.focus();
			await visit.turned(() => visit.page.keyboard.press("PageUp"));
			assert.equal(await hash(), "#/use/month/2026-10-01");
			await slider.focus();
			await visit.turned(() => visit.page.keyboard.press("PageDown"));
			await slider.focus();
			await visit.page.keyboard.press("End");
			await visit.turned(() => visit.page.keyboard.press("Enter"));
			assert.equal(await hash(), "#/use/day/2026-11-22");
		});

		it("turn the page by a swipe", async () => {
			await visit.turn("week");
			const box = (await visit.page.locator(".bars svg").boundingBox())!;
			await visit.page.mouse.move(box.x + 100, box.y + 60);
			await visit.page.mouse.down();
			await visit.page.mouse.move(box.x + 250, box.y + 60);
			await visit.turned(() => visit.page.mouse.up());
			assert.equal(await hash(), "#/use/week/2026-11-09");
		});

		it("show the time before and the same time a year ago behind the bars, with their sums", async () => {
			await visit.turn("month");
			assert.equal(await visit.page.locator(".bars .before").count(), 30);
			assert.equal(await visit.page.locator(".bars .ago").count(), 30);
			const legend = plain(await visit.page.locator(".legend").first().innerText());
			assert.match(legend, /October 2026: [\d.]+ kWh November 2025: [\d.]+ kWh/);
		});

		it("find the highest hour, the lowest at night, the month's projection, and the peaks", async () => {
			await gateway.login();
			const { periods } = await gateway.read("meter/history?period=hours");
			const recent = periods.filter(({ localtime }: { localtime: string }) => localtime >= "2026-11-21");
			const whole = recent.filter((one: Record<string, unknown>) => !one["partial"]);
			const highest = Math.max(...whole.map((one: Record<string, number>) => one["import_wh"]));
			const tiles = plain(await visit.page.locator(".tiles.small").innerText());
			assert.ok(tiles.includes(`${say("use.highest")} ${highest.toLocaleString("en")} W Nov 21, 7:00 PM`), tiles);
			assert.match(tiles, /Lowest at night \d+ W Nov 2[12], \d:00 AM Month, projected ≈ \d+ kWh cost €/);
			const { highest: peaks } = await gateway.read("peaks/status");
			const card = plain(await visit.card("peak.month").innerText());
			assert.ok(card.includes(`${(peaks[0].mean_w / 1000).toFixed(2)} kW`), card);
		});

		it("save files whose names sort by time", async () => {
			for (const [unit, name] of [
				["day", "2026-11-22"],
				["week", "2026-11-16"],
				["month", "2026-11"],
				["year", "2026"],
			] as const) {
				await visit.turn(unit);
				const saved = visit.page.waitForEvent("download");
				await visit.page.locator("button[name=csv]").first().click();
				assert.equal((await saved).suggestedFilename(), `${name} ${say("nav.use")}.csv`);
			}
		});
	});
});
