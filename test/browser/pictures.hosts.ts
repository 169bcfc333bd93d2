/**
 * Pictures of a household with solar panels and prices, made only on request. `PICTURES=1 npm test --
 * test/browser/pictures.hosts.ts` renews those of the README and the icon of the page as PNG. `PICTURES=pages` writes
 * every page and each step of the wizard in each width, language and theme into .build/pictures, for a look at all of them.
 */
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { LANGUAGES, type Language } from "../../hosts/browser/text/translations.js";
import { frame } from "../../tools/meter/telegram.js";
import { PASSWORD } from "../api/gateway.js";
import type { ProcessGateway } from "../api/process-gateway.js";
import { ROOT } from "../hosts/native/compile.js";
import { DESKTOP, newContext, PHONE, PLACES, startGateway, usePage, Visit } from "./browser.js";
import { giveHistory, householdAtNow, NOW, SERIAL } from "./household.js";
import { smallPNG } from "./small-png.js";

const FOLDER = join(ROOT, "test", "browser", "pictures");
/** Watts every 20 seconds. */
const POWER = [
	412, 398, 431, 1890, 1874, 640, 420, 385, 310, 190, 75, -60, -240, -515, -830, -1105, 420, 380, -1290, -1340,
];
const STEP_MS = 20_000;
/** Longest delay before the page, which polls every five seconds, shows a new readout, ms. */
const UPDATE_MS = 6_000;
const START_MS = Date.parse(NOW) + STEP_MS;
const SOURCE = join(ROOT, "hosts", "browser");
const ICON_SIZE = 192;
const SIZE_LIMIT = 100_000;
const SIZES = [
	{ name: "phone", width: PHONE },
	{ name: "desktop", width: DESKTOP },
];

const PRICES = {
	currency: "EUR",
	periods: [
		{ from: "2025-01-01", import_micro: 329_000, export_micro: 81_000, base_micro: 154_800_000, base_per: "year" },
	],
};
const PAGE_WIDTHS = [PHONE, 768, 1280, 1920];
const NEW_PASSWORD = "a password of my own";
const SML_METER = ["--protocol", "sml", "--push-seconds", "2", "--baud-pace", "--quiet"];

function telegramOf(watts: number, index: number): Uint8Array {
	const { readings } = householdAtNow();
	const kWh = (wh: number, gain: number) => (wh / 1000 + gain * index).toFixed(3).padStart(10, "0");
	const phase = (group: number, part: number, volts: number) => [
		`${group + 16}.7.0(${((watts * part) / 1000).toFixed(3)}*kW)`,
		`${group + 12}.7.0(${volts.toFixed(1)}*V)`,
		`${group + 11}.7.0(${(Math.abs(watts * part) / volts).toFixed(2).padStart(6, "0")}*A)`,
	];
	const lines = [
		`0.0.0(${SERIAL})`,
		`1.8.0(${kWh(readings.import, 0.002)}*kWh)`,
		`2.8.0(${kWh(readings.export, 0.003)}*kWh)`,
		`16.7.0(${(watts / 1000).toFixed(3)}*kW)`,
		...phase(20, 0.5, 231.4),
		...phase(40, 0.3, 229.8),
		...phase(60, 0.2, 230.6),
	];
	return Buffer.concat([Buffer.from("/ESY5Q3DA1004 V3.04\r\n"), frame(Buffer.from(`${lines.join("\r\n")}\r\n!\r\n`))]);
}

/** A gateway of the household after the wizard, with its history, prices, and a meter that it has read. */
async function startHousehold(): Promise<ProcessGateway> {
	const gateway = await startGateway({ args: ["--time", NOW] });
	const words = { old_password: PASSWORD, new_password: PASSWORD };
	assert.equal((await gateway.post("system/password", words, { token: null })).status, 200);
	await giveHistory(gateway);
	await gateway.write("prices", PRICES);
	await gateway.connectMeter({ telegram: telegramOf(POWER[0], 0) });
	await gateway.read("iec62056/read");
	return gateway;
}

const { PICTURES } = process.env;
if (PICTURES === "1" || PICTURES === "pages") {
	describe("Pictures of the page", function () {
		this.timeout(1_800_000);
		usePage();
		let gateway: ProcessGateway;

		before(async () => {
			gateway = await startHousehold();
		});

		if (PICTURES === "pages") {
			const look = async (visit: Visit, name: string, language: Language) => {
				const folder = join(ROOT, ".build", "pictures");
				mkdirSync(folder, { recursive: true });
				for (const width of PAGE_WIDTHS) {
					await visit.page.setViewportSize({ width, height: 800 });
					for (const colorScheme of ["light", "dark"] as const) {
						await visit.page.emulateMedia({ colorScheme });
						await visit.settled();
						const path = join(folder, `${name}-${width}-${language}-${colorScheme}.png`);
						await visit.page.screenshot({ path, fullPage: true });
					}
				}
			};
			for (const language of LANGUAGES) {
				it(`show every page in the language ${language}`, async () => {
					const visit = await Visit.begin(gateway, { language });
					await look(visit, "login", language);
					await visit.logIn();
					for (const place of PLACES) {
						await visit.go(place);
						if (place === "dashboard") await visit.page.locator(".bars").waitFor();
						await look(visit, place, language);
					}
					await visit.end();
				});

				it(`show every step of the wizard in the language ${language}`, async () => {
					const unit = await startGateway({ mode: "ap", args: ["--time", "none"] });
					unit.setAir("home -48 6 password-of-home\ncafe -70 1\n");
					const visit = await Visit.begin(unit, { language, path: "/", plain: true });
					await visit.logIn();
					const step = async (number: number) => {
						await visit.page.waitForSelector(`main.wizard > progress[value="${number}"]`);
						await look(visit, `wizard-${number}`, language);
					};
					const next = () => visit.page.click('main button[name="next"]');
					await step(1);
					await next();
					await step(2);
					await visit.page.fill("[name=new]", NEW_PASSWORD);
					await visit.page.fill("[name=repeat]", NEW_PASSWORD);
					await visit.page.click("main button[type=submit]");
					await step(3);
					await visit.page.click("main button[type=submit]");
					await step(4);
					// Without a meter the readout fails.
					await visit.page.click('main button[name="read"]');
					await visit.page.waitForSelector("main [role=alert]");
					await look(visit, "wizard-4-silence", language);
					await unit.connectProgram(SML_METER);
					await visit.page.click('main button[name="read"]');
					await visit.page.waitForSelector('main button[name="set-it-so"]');
					await look(visit, "wizard-4-found", language);
					await visit.page.click('main button[name="set-it-so"]');
					await visit.page.waitForSelector("main .notice.good dd");
					await look(visit, "wizard-4-read", language);
					await next();
					await step(5);
					await visit.page.getByRole("radio", { name: /^home/ }).check();
					await visit.page.fill("[name=password]", "password-of-home");
					await visit.page.click("main button[type=submit]");
					await visit.page.waitForSelector('main.wizard a.main[href="#/dashboard"]');
					await look(visit, "wizard-end", language);
					await visit.end();
				});
			}
			return;
		}

		it("are made of the icon for home screens, which fills the square because systems round its corners", async () => {
			const context = await newContext({ viewport: { width: ICON_SIZE, height: ICON_SIZE } });
			const page = await context.newPage();
			const drawing = readFileSync(join(SOURCE, "icon.svg"), "utf8").replace(/ rx="\d+"/, "");
			await page.setContent(`<body style="margin:0">${drawing.replace("<svg ", '<svg style="display:block" ')}`);
			writeFileSync(join(SOURCE, "icon.png"), smallPNG(await page.screenshot()));
			await context.close();
		});

		it("are made of the consumption, on a phone and on a desktop", async () => {
			for (const { name, width } of SIZES) {
				const visit = await Visit.begin(gateway, { width });
				await visit.page.clock.setFixedTime(Date.parse(NOW));
				await visit.logIn();
				await visit.go("use");
				await visit.turn("month");
				keep(`use-${name}`, await visit.page.screenshot({ fullPage: width !== PHONE }));
				await visit.end();
			}
		});

		it("are made of the overview, on a phone and on a desktop", async () => {
			await gateway.login();
			// The test puts the clock forward in steps, and the schedule would make up for the skipped readouts.
			await gateway.write("iec62056/schedule", { enabled: false, period_unit: "minutes", period_value: 15 });
			const visits = await Promise.all(
				SIZES.map(async ({ width }) => (await Visit.begin(gateway, { width, hurried: true })).logIn()),
			);
			for (const [index, watts] of POWER.entries()) {
				const nowMs = START_MS + index * STEP_MS;
				await gateway.write("system/clock", { timestamp: nowMs / 1000 });
				await gateway.connectMeter({ telegram: telegramOf(watts, index) });
				await gateway.read("iec62056/read");
				for (const { page } of visits) {
					await page.clock.setSystemTime(nowMs);
					const figure = page.locator(".big").filter({ hasText: `${Math.abs(watts).toLocaleString("en")} W` });
					await page.clock.fastForward(UPDATE_MS);
					await figure.waitFor();
				}
			}
			for (const [index, visit] of visits.entries()) {
				await visit.settled();
				keep(`overview-${SIZES[index].name}`, await visit.page.screenshot({ fullPage: true }));
				await visit.end();
			}
		});
	});
}

/** Writes a picture of the README. */
function keep(name: string, screenshot: Uint8Array): void {
	const png = smallPNG(Buffer.from(screenshot));
	assert.ok(png.length <= SIZE_LIMIT, `${name}: ${png.length} bytes`);
	mkdirSync(FOLDER, { recursive: true });
	writeFileSync(join(FOLDER, `${name}.png`), png);
}
