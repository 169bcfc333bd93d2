/** The first page in daily use: units, locked meters, outputs, and a wall display between two scheduled readouts. */
import assert from "node:assert/strict";
import { frame } from "../../tools/meter/telegram.js";
import { vectorOf } from "../api/gateway.js";
import type { ProcessGateway } from "../api/process-gateway.js";
import { DEFAULT_SCHEDULE } from "../api/schedule-checks.js";
import { say, startGateway, usePage, Visit } from "./browser.js";

const QUARTER_S = 900;
/** Screen sizes of tablets that are used as wall displays. */
const WALLS = [
	{ width: 800, height: 480 },
	{ width: 1024, height: 600 },
	{ width: 1280, height: 800 },
];

/** A telegram of a meter with three phases; negative watts are fed into the grid. */
function telegramOf(watts: number): Uint8Array {
	const lines = [
		"0.0.0(1ESY1160012345)",
		"1.8.0(004821.217*kWh)",
		`16.7.0(${(watts / 1000).toFixed(3)}*kW)`,
		...[20, 40, 60].flatMap((group) => [
			`${group + 16}.7.0(${(watts / 2000).toFixed(3)}*kW)`,
			`${group + 12}.7.0(231.4*V)`,
			`${group + 11}.7.0(001.82*A)`,
		]),
	];
	return Buffer.concat([Buffer.from("/ESY5Q3DA1004 V3.04\r\n"), frame(Buffer.from(`${lines.join("\r\n")}\r\n!\r\n`))]);
}

/** Quarter hours and days of a history whose readings ended at this time, each with the same import. */
function historyUntil(nowS: number, level: string | null, importWh: number): object {
	const dayS = nowS - (nowS % 86_400);
	const period = (start: number, end: number) => {
		const localtime = new Date(start * 1000).toISOString().replace(".000", "");
		return { start, end, localtime, import_wh: importWh, export_wh: 0 };
	};
	const count = Math.floor((nowS - dayS) / QUARTER_S);
	const periods =
		level === "quarters"
			? Array.from({ length: count }, (_, i) => period(dayS + i * QUARTER_S, dayS + (i + 1) * QUARTER_S))
			: [period(dayS - 86_400, dayS), { ...period(dayS, nowS), partial: true }];
	return { period: level, periods };
}

describe("The first page in daily use", function () {
	this.timeout(180_000);
	usePage();
	let gateway: ProcessGateway;
	let visit: Visit;

	before(async () => {
		gateway = await startGateway({ isAhead: true });
		await gateway.login();
	});
	// Each visit takes one of the few places for sessions.
	beforeEach(() => gateway.login());
	afterEach(async () => {
		assert.deepEqual(visit.complaints, []);
		await visit.end();
	});

	const begin = async () => {
		visit = await (await Visit.begin(gateway)).logIn();
	};
	const textOf = async (title: Parameters<typeof say>[0]) => (await visit.card(title).textContent()) ?? "";
	const sendsSML = async (...more: string[]) => {
		await gateway.write("meter/protocol", { protocol: "sml" });
		await gateway.connectProgram(["--protocol", "sml", "--push-seconds", "1", "--quiet", ...more]);
		await gateway.read("iec62056/read");
	};

	const pretendHistory = (nowS: number, importWh: number) =>
		visit.page.route("**/meter/history?**", (route) => {
			const level = new URL(route.request().url()).searchParams.get("period");
			return route.fulfill({ json: historyUntil(nowS, level, importWh) });
		});

	it("aligns its figure with the heading of its card", async () => {
		await sendsSML();
		await begin();
		const left = async (selector: string) => (await visit.card("now.title").locator(selector).boundingBox())?.x;
		await visit.card("now.title").locator(".big:not(.none)").waitFor();
		assert.equal(await left(".big"), await left("h2"));
	});

	it("shows counters in Wh as the meter's display does, in kWh with three digits", async () => {
		await sendsSML();
		await begin();
		await visit.card("counter.title").waitFor();
		const text = await textOf("counter.title");
		assert.match(text, /\d,\d{3}\.\d{3} kWh/);
		assert.doesNotMatch(text, /\d Wh/);
	});

	it("shows no power of a meter that waits for its PIN, and links to the page that enters the PIN", async () => {
		await sendsSML("--pin", "1234");
		await begin();
		const { meter_readouts } = await gateway.read("system/status");
		const card = visit.card("now.title");
		await card.getByText(say("now.locked")).waitFor();
		// The difference of two equal counters would be 0 W.
		while ((await gateway.read("system/status")).meter_readouts < meter_readouts + 3)
			await visit.page.waitForTimeout(200);
		await visit.settled();
		assert.doesNotMatch(await textOf("now.title"), /\d W/);
		await card.getByRole("link", { name: say("pin.title") }).click();
		await visit.card("protocol.title").waitFor();
	});

	it("shows no consumption of a meter that waits for its PIN, on either page, and links to the PIN there too", async () => {
		await sendsSML("--pin", "1234");
		const nowS = Date.parse("2026-11-22T10:05:00Z") / 1000;
		await gateway.write("system/clock", { timestamp: nowS });
		visit = await Visit.begin(gateway);
		await pretendHistory(nowS, 0);
		await visit.logIn();
		const seen = async () => {
			await visit.card("use.today").waitFor();
			await visit.settled();
			const text = ((await visit.page.locator("main").innerText()) as string).replace(/\s+/g, " ");
			assert.doesNotMatch(text, /0\.00 kWh/);
			assert.match(text, new RegExp(`${say("use.today")} – ${say("counter.import")}`));
			assert.equal(await visit.page.getByText(say("now.locked")).count(), 1);
		};
		await seen();
		await visit.go("use");
		await seen();
		assert.match((await visit.page.getByRole("slider").getAttribute("aria-valuetext")) ?? "", /: –$/);
		await visit.page.getByRole("link", { name: say("pin.title") }).click();
		await visit.card("protocol.title").waitFor();
	});

	it("shows the values of a P1 port in readable form: a sum of both tariffs, texts, counts and cubic metres", async () => {
		await gateway.connectProgram(["--protocol", "p1", "--quiet"]);
		await gateway.write("meter/protocol", { protocol: "iec62056" });
		await gateway.write("iec62056/config", { mode_d_enabled: true, mode_d_baudrate: 115_200 });
		await gateway.read("iec62056/read");
		await gateway.write("iec62056/schedule", { enabled: false, period_unit: "minutes", period_value: 15 });
		await begin();
		const { readings } = await gateway.read("iec62056/last");
		const totalOf = (code: string) => Number(readings.find(({ obis }: { obis: string }) => obis === code).value1);
		const sum = (totalOf("1.8.1") + totalOf("1.8.2")).toLocaleString("en", { minimumFractionDigits: 3 });
		await visit.card("counter.title").getByText(sum, { exact: true }).waitFor();
		await visit.go("readings");
		const values = (await visit.page.locator("table.readings").first().innerText()).replace(/\s+/g, " ");
		assert.match(values, / m³/);
		assert.doesNotMatch(values, / m3|00004|0000000/);
		assert.match(values, /Power failure log.* 240 s .* 301 s/);
		assert.match(values, /GWS48151623.* Maintenance on Friday from 8 to 9/);
	});

	it("says before a click that this firmware can't encrypt a report", async () => {
		await begin();
		await visit.go("upkeep");
		const card = visit.card("report.title");
		await card.getByText(say("report.none")).waitFor();
		assert.equal(await card.locator("[name=save]").count(), 0);
	});

	it("warns of a broker that does not answer", async () => {
		await gateway.write("mqtt", { enabled: true, url: "mqtt://127.0.0.1:1" });
		await begin();
		const chip = await visit.state("MQTT");
		await chip.filter({ hasText: say("state.failed") }).waitFor();
		assert.match((await chip.getAttribute("class")) ?? "", /warning/);
		await gateway.write("mqtt", { enabled: false });
		await chip.filter({ hasText: say("state.off") }).waitFor();
	});

	it("sets the usual client of a DLMS meter with the authentication, but keeps one that the owner entered", async () => {
		await gateway.write("meter/protocol", { protocol: "dlms" });
		await begin();
		await visit.go("meter");
		const card = visit.card("dlms.title");
		const client = card.locator("[name=client_address]");
		const choose = (auth: string) => visit.fill(card, { auth });
		for (const [auth, usual] of [
			["high_gmac", "1"],
			["low", "32"],
			["none", "16"],
		]) {
			await choose(auth);
			assert.equal(await client.inputValue(), usual, auth);
		}
		await client.fill("99");
		await choose("high_gmac");
		assert.equal(await client.inputValue(), "99");
	});

	it("tells what an hour at this power costs, with two tariffs only if the meter says which is active", async () => {
		await gateway.write("meter/protocol", { protocol: "iec62056" });
		await gateway.write("iec62056/config", { mode_d_enabled: false });
		await gateway.write("prices", {
			periods: [{ from: "2026-01-01", import_micro: 300_000, import_t2_micro: 200_000 }],
		});
		await begin();
		for (const [tariff, rate] of [
			["0001", /≈\s45\sct\/h/],
			["0002", /≈\s30\sct\/h/],
			["HP", /Drawing from the grid\s*$/m],
		] as const) {
			const codes = `0-0:96.14.0(${tariff})\r\n1-0:1.8.1(10.5*kWh)\r\n1-0:1.8.2(20.5*kWh)\r\n1-0:1.7.0(1.500*kW)`;
			await gateway.connectMeter({ telegram: Buffer.from(`/XXX5T\r\n\r\n${codes}\r\n!\r\n`) });
			await gateway.read("iec62056/read");
			await visit.page.reload();
			await visit.card("counter.title").waitFor();
			await visit.card("now.title").getByText(rate).first().waitFor();
			assert.equal((await gateway.read("meter/now")).cost_per_hour_micro, undefined);
		}
		await gateway.write("prices", { periods: [] });
	});

	it("tells the direction of the power by an arrow, a word and a colour, and shows the phases in W, V and A", async () => {
		await gateway.write("meter/protocol", { protocol: "iec62056" });
		await gateway.write("iec62056/config", { mode_d_enabled: false });
		const colours = new Set<string>();
		for (const [watts, direction, phase] of [
			[1340, "↓ Drawing from the grid", "670 W · 231.4 V · 1.82 A"],
			[-1340, "↑ Feeding into the grid", "−670 W · 231.4 V · 1.82 A"],
		] as const) {
			await gateway.login();
			await gateway.connectMeter({ telegram: telegramOf(watts) });
			await gateway.read("iec62056/read");
			await begin();
			const figure = visit.card("now.title").locator(".big:not(.none)");
			await figure.waitFor();
			assert.equal((await figure.innerText()).replace(/\s+/g, " ").trim(), `1,340 W ${direction}`);
			colours.add(await visit.page.evaluate("getComputedStyle(document.querySelector('.big')).color"));
			const phases = visit.card("phases.title").locator(".facts > div");
			await phases.first().waitFor();
			const texts = (await phases.allTextContents()).map((text) => text.replace(/\s+/g, " "));
			assert.deepEqual(texts, [`L1${phase}`, `L2${phase}`, `L3${phase}`]);
			if (watts > 0) await visit.end();
		}
		assert.equal(colours.size, 2);
	});

	describe("on a wall display", () => {
		before(async () => {
			await gateway.login();
			await gateway.write("meter/protocol", { protocol: "iec62056" });
			await gateway.write("iec62056/config", { mode_d_enabled: false });
			await gateway.connectMeter({ telegram: vectorOf("kamstrup-162-dsmr2").telegram, mode: "C" });
			await gateway.write("iec62056/schedule", DEFAULT_SCHEDULE);
			await gateway.write("system/timezone", { timezone: "Europe/Berlin" });
			const { timestamp } = await gateway.read("system/status");
			const fromS = (Math.floor(timestamp / QUARTER_S) + 1) * QUARTER_S + 60;
			await gateway.write("system/clock", { timestamp: fromS });
			await gateway.read("iec62056/read");
			await gateway.write("system/clock", { timestamp: fromS + 600 });
		});
		beforeEach(async () => {
			const { id, token } = await gateway.write("system/tokens", { name: "wall", scope: "read" });
			gateway.plant(token);
			visit = await Visit.begin(gateway, { path: `/#/dashboard?token=${token}` });
			await visit.card("now.title").locator(".big:not(.none)").waitFor();
			wallToken = id;
		});
		afterEach(async () => {
			await gateway.request("DELETE", `system/tokens/${wallToken}`);
		});
		let wallToken = "";

		it("treats a reading of ten minutes ago as current, since the next scheduled readout is not due", async () => {
			await visit.settled();
			assert.equal(await visit.page.locator("main.stale").count(), 0);
			assert.equal(await visit.card("now.title").getByText(say("stale.mark")).count(), 0);
		});

		it("shows the name of the time zone, and the energy of today", async () => {
			const { timestamp } = await gateway.read("system/status");
			await pretendHistory(timestamp, 1234);
			await visit.page.reload();
			await visit.card("use.today").getByText("1.23 kWh").waitFor();
			assert.match(await textOf("now.title"), /, Europe\/Berlin/);
		});

		it("has its figure in one line", async () => {
			for (const size of WALLS) {
				await visit.page.setViewportSize(size);
				const lines = await visit.page.evaluate<number>(`(() => {
					const { firstChild } = document.querySelector(".big:not(.none)");
					const range = document.createRange();
					range.selectNodeContents(firstChild);
					return new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size;
				})()`);
				assert.equal(lines, 1, `${size.width}`);
				assert.deepEqual(await visit.overflow(), []);
			}
		});
	});
});
