/**
 * The pictures of the README and the icon of the page as PNG, made only on request by `PICTURES=1 npm test --
 * .build/test/browser/pictures.test.js`. They show two hours of a household with solar panels.
 */
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { frame } from "../../tools/meter/telegram.js";
import { PASSWORD } from "../api/gateway.js";
import { ProcessGateway } from "../api/process-gateway.js";
import { ROOT } from "../hosts/native/compile.js";
import { DESKTOP, needBrowser, PHONE, Visit } from "./browser.js";
import { giveHistory, NOW } from "./household.js";
import { smallPNG } from "./small-png.js";

const FOLDER = join(ROOT, "test", "browser", "pictures");
/** Watts every five minutes. */
const POWER = [
	412, 398, 431, 1890, 1874, 640, 420, 385, 310, 190, 75, -60, -240, -515, -830, -1105, 420, 380, -1290, -1340,
];
const STEP_MS = 300_000;
/** Time in which the page, which polls every five seconds, shows a new readout, ms. */
const UPDATE_MS = 6_000;
/** 10:00 UTC of yesterday, so that no certificate is from a later day. */
const START_MS = new Date().setUTCHours(10, 0, 0, 0) - 86_400_000;
const SOURCE = join(ROOT, "hosts", "browser");
const ICON_SIZE = 192;
const SIZE_LIMIT = 70_000;
const SIZES = [
	{ name: "phone", width: PHONE },
	{ name: "desktop", width: DESKTOP },
];

function telegramOf(watts: number, index: number): Uint8Array {
	const kWh = (base: number, gain: number) => (base + gain * index).toFixed(3).padStart(10, "0");
	const lines = [
		"0.0.0(1ESY1160012345)",
		`1.8.0(${kWh(4821.217, 0.031)}*kWh)`,
		`2.8.0(${kWh(2954.06, 0.024)}*kWh)`,
		`16.7.0(${(watts / 1000).toFixed(3)}*kW)`,
		"32.7.0(231.4*V)",
		"31.7.0(001.82*A)",
	];
	return Buffer.concat([Buffer.from("/ESY5Q3DA1004 V3.04\r\n"), frame(Buffer.from(`${lines.join("\r\n")}\r\n!\r\n`))]);
}

if (process.env["PICTURES"] === "1") {
	describe("Pictures of the page", function () {
		this.timeout(180_000);
		let browser: Browser;
		let gateway: ProcessGateway;

		before(async function () {
			browser = await needBrowser(this);
			gateway = await ProcessGateway.start("node");
			// The state after the wizard: the owner has set the password.
			const words = { old_password: PASSWORD, new_password: PASSWORD };
			assert.equal((await gateway.post("system/password", words, { token: null })).status, 200);
			mkdirSync(FOLDER, { recursive: true });
		});
		after(async () => {
			await browser?.close();
			await gateway?.stop();
		});

		it("are made of the icon for home screens, which fills the square because systems round its corners", async () => {
			const page = await browser.newPage({ viewport: { width: ICON_SIZE, height: ICON_SIZE } });
			const drawing = readFileSync(join(SOURCE, "icon.svg"), "utf8").replace(/ rx="\d+"/, "");
			await page.setContent(`<body style="margin:0">${drawing.replace("<svg ", '<svg style="display:block" ')}`);
			writeFileSync(join(SOURCE, "icon.png"), smallPNG(await page.screenshot()));
			await page.close();
		});

		it("are made of the consumption, on a phone and on a desktop", async () => {
			const household = await ProcessGateway.start("node", { args: ["--time", NOW] });
			try {
				await giveHistory(household);
				for (const { name, width } of SIZES) {
					const visit = await (await Visit.begin(browser, household, { width })).logIn();
					await visit.go("use");
					const png = smallPNG(await visit.page.screenshot({ fullPage: width !== PHONE }));
					assert.ok(png.length <= SIZE_LIMIT, `${name}: ${png.length} bytes`);
					writeFileSync(join(FOLDER, `use-${name}.png`), png);
					await visit.end();
				}
			} finally {
				await household.stop();
			}
		});

		it("are made of the overview, on a phone and on a desktop", async () => {
			await gateway.login();
			// The test puts the clock forward in steps, and the schedule would make up for the skipped readouts.
			await gateway.write("iec62056/schedule", { enabled: false, period_unit: "minutes", period_value: 15 });
			const visits = await Promise.all(
				SIZES.map(async ({ width }) => (await Visit.begin(browser, gateway, { width, hurried: true })).logIn()),
			);
			for (const [index, watts] of POWER.entries()) {
				const nowMs = START_MS + index * STEP_MS;
				await gateway.write("system/clock", { timestamp: nowMs / 1000 });
				await gateway.connectMeter({ telegram: telegramOf(watts, index) });
				await gateway.read("iec62056/read");
				for (const { page } of visits) {
					await page.clock.setSystemTime(nowMs);
					const curve = page.getByRole("img", { name: new RegExp(`^Readings: ${index + 1},`) });
					await page.clock.fastForward(UPDATE_MS);
					await (index === 0 ? page.locator(".facts .number").first() : curve).waitFor();
				}
			}
			for (const [index, visit] of visits.entries()) {
				const { name } = SIZES[index];
				await visit.settled();
				const png = smallPNG(await visit.page.screenshot({ fullPage: true }));
				assert.ok(png.length <= SIZE_LIMIT, `${name}: ${png.length} bytes`);
				writeFileSync(join(FOLDER, `overview-${name}.png`), png);
				await visit.end();
			}
		});
	});
}
