/** The meter's load profile on the page: from a simulated DLMS meter, from P.01, and its errors. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { TEXTS } from "../../hosts/browser/text/all.js";
import { LANGUAGES } from "../../hosts/browser/text/translations.js";
import type { JSONObject } from "../api/gateway.js";
import type { ProcessGateway } from "../api/process-gateway.js";
import { violationsInBoth } from "./axe.js";
import { DESKTOP, holdRequests, PHONE, say, startGateway, usePage, Visit, type VisitOptions } from "./browser.js";
import { plain, visitUse } from "./household.js";

const ZONE = "Europe/Berlin";
const PROFILE = "**/meter/profile?**";
const DIRECT = { server_physical: 17, opening: "direct", baudrate: 9600, receive_timeout_ms: 300 };

/**
 * A counter and a demand. The second row has no counter, the third has the marks of a power failure, the counter of the
 * fifth is from another meter, and a row is missing before the last.
 */
const P01 = [
	"0.0.0(48151623)",
	"P.01(261122120000)(00)(15)(2)(1.8.0)(kWh)(1.5)(kW)",
	"(1000.125)(0.120)",
	"(-.---)(0.148)",
	"P.01(261122123000)(A0)(15)(2)(1.8.0)(kWh)(1.5)(kW)",
	"(1000.375)(0.010)",
	"P.01(261122124500)(00)(15)(2)(1.8.0)(kWh)(1.5)(kW)",
	"(1001.375)(4.000)",
	"(7.000)(4.000)",
	"P.01(261122133000)(00)(15)(2)(1.8.0)(kWh)(1.5)(kW)",
	"(8.000)(4.000)",
];

/** The telegram of a meter in mode C. */
function telegramOf(lines: readonly string[]): Buffer {
	const block = `${lines.join("\r\n")}\r\n!\r\n`;
	const check = Buffer.from(`${block}\x03`).reduce((sum, byte) => sum ^ byte, 0);
	return Buffer.from(`/LGZ5\\2ZMD3104100.B22\r\n\x02${block}\x03${String.fromCharCode(check)}`, "latin1");
}

describe("The load profile on the page", function () {
	this.timeout(180_000);
	usePage();
	let gateway: ProcessGateway;

	before(async () => {
		gateway = await startGateway({ isAhead: true });
		await gateway.login();
		await gateway.write("system/timezone", { timezone: ZONE });
		await gateway.write("dlms/config", DIRECT);
		await putDLMS();
	});

	async function putDLMS(...more: string[]): Promise<void> {
		// The logins of the page have ended the session.
		await gateway.login();
		await gateway.connectProgram(["--protocol", "dlms", "--quiet", ...more]);
		await gateway.write("meter/protocol", { protocol: "dlms" });
	}
	const open = (options?: VisitOptions) => visitUse(gateway, options);
	const card = (visit: Visit) =>
		visit.page.locator("section.card").filter({ has: visit.page.locator("button[name=read]") });
	const press = (visit: Visit) => card(visit).locator("button[name=read]").click();
	/** Reads the profile by the button; returns the gateway's reply. */
	async function read(visit: Visit, entries = "10"): Promise<JSONObject> {
		await visit.page.selectOption("select[name=entries]", entries);
		const replied = visit.page.waitForResponse((response) => response.url().includes("meter/profile"));
		await press(visit);
		const body = await (await replied).json();
		await card(visit).locator("button[name=csv]").waitFor();
		await visit.settled();
		return body;
	}
	/** Replaces the gateway's reply to a request for the profile. */
	async function answer(visit: Visit, body: JSONObject, status = 200): Promise<void> {
		await visit.page.unroute(PROFILE);
		await visit.page.route(PROFILE, (route) => route.fulfill({ status, json: body }));
	}
	const cells = async (visit: Visit) => {
		await card(visit).locator("summary").click();
		const rows = await card(visit).locator("tbody tr").all();
		return Promise.all(rows.map(async (row) => (await row.locator("th, td").allTextContents()).map(plain)));
	};
	const announced = async (visit: Visit) => plain(await card(visit).getByRole("slider").getAttribute("aria-valuetext"));
	async function save(visit: Visit): Promise<{ name: string; lines: string[] }> {
		const saved = visit.page.waitForEvent("download");
		await card(visit).locator("button[name=csv]").click();
		const file = await saved;
		const lines = readFileSync(await file.path(), "utf8")
			.replace("\ufeff", "")
			.trimEnd()
			.split("\r\n");
		return { name: file.suggestedFilename(), lines };
	}

	it("comes from a meter that sends Wh, whose counters the overview shows in kWh", async () => {
		await gateway.read("iec62056/read");
		const visit = await (await Visit.begin(gateway)).logIn();
		const counters = visit.card("counter.title");
		await counters.waitFor();
		assert.match(plain(await counters.textContent()), /\d\.\d{3} kWh/);
		assert.doesNotMatch(plain(await counters.textContent()), /\d Wh/);
		await visit.end();
	});

	it("is offered without a history, requests a day of quarter hours, and shows empty, cut and untimed replies", async () => {
		const visit = await open();
		await visit.page.getByText(say("use.empty")).waitFor();
		await answer(visit, { rows: [] });
		await press(visit);
		await card(visit).getByText(say("profile.none")).waitFor();
		const profileRequests = visit.requests.filter((one) => one.url().includes("profile"));
		assert.deepEqual(
			profileRequests.map((one) => one.url().split("?")[1]),
			["obis=1-0%3A99.1.0&entries=96&lang=en"],
		);
		// A truncated row; an unknown status, shown as sent; no times, and texts.
		const row = { timestamp: 0, localtime: "" };
		await answer(visit, {
			protocol: "DLMS/COSEM",
			status: 2,
			period_secs: 0,
			columns: [{ obis: "0-0:96.1.0", unit: "", en: null }],
			rows: [
				{ ...row, status: "1048576", values: ["=ABC"] },
				{ ...row, status: null, values: [null] },
			],
		});
		await press(visit);
		await card(visit).getByText(say("read.cut")).waitFor();
		assert.deepEqual(await cells(visit), [
			[say("read.timeless"), "=ABC", `${say("profile.status")} 1048576`],
			[say("read.timeless"), "–", ""],
		]);
		assert.equal(await card(visit).getByRole("slider").count(), 0);
		const { lines } = await save(visit);
		assert.equal(lines[1], `,'=ABC,1048576,${say("profile.status")} 1048576`);
		await visit.end();
	});

	it("shows the rows of a DLMS meter in the gateway's zone, with the names of their codes and their marks", async () => {
		const visit = await open();
		const { rows, columns } = await read(visit);
		assert.equal(rows.length, 10);
		const heads = (await card(visit).locator("thead th").allTextContents()).map(plain);
		const names = (columns as JSONObject[]).map(({ en }) => en);
		assert.deepEqual(heads, [say("readings.time"), ...names, say("use.remark")]);
		assert.ok(
			names.every((name) => /^Active energy (import|export) /.test(name)),
			names.join(),
		);
		const time = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "short", timeZone: ZONE });
		// The meter sends Wh, and shows its counters in kWh.
		assert.deepEqual([...new Set((columns as JSONObject[]).map(({ unit }) => unit))], ["Wh"]);
		const written = (value: string) =>
			`${(Number(value) / 1000).toLocaleString("en", { minimumFractionDigits: 3, maximumFractionDigits: 3 })} kWh`;
		const shown = await cells(visit);
		assert.deepEqual(
			shown,
			(rows as JSONObject[]).map(({ timestamp, values }, index) => [
				plain(time.format(timestamp * 1000)),
				...values.map(written),
				index === 7 ? say("profile.season") : "",
			]),
		);
		/** Expected text of a row's bar; a counter's bar shows the increase since the row before. */
		const bar = (row: number, column: number) => {
			const isCounter = columns[column].obis.includes(".8.");
			const step = Number(rows[row].values[column]) - (isCounter ? Number(rows[row - 1].values[column]) : 0);
			const words = row === 7 ? `, ${say("profile.season")}` : "";
			return `${shown[row][0]}: ${(step / 1000).toLocaleString("en", { maximumFractionDigits: 6 })} kWh${words}`;
		};
		assert.equal(await announced(visit), bar(9, 0));
		await card(visit).getByRole("slider").focus();
		for (let i = 0; i < 2; i++) await visit.page.keyboard.press("ArrowLeft");
		assert.equal(await announced(visit), bar(7, 0));
		await visit.page.selectOption("select[name=column]", "1");
		assert.equal(await announced(visit), bar(7, 1));
		assert.ok(await card(visit).getByText(ZONE).isVisible());
		await visit.end();
	});

	it("has a file for the spreadsheets of the language, with the values as sent", async () => {
		const visit = await open({ language: "de" });
		const { rows, columns } = await read(visit);
		const { name, lines } = await save(visit);
		assert.equal(name, `${TEXTS["profile.title"][1]} ${rows[9].localtime.slice(0, 10)}.csv`);
		const remark = TEXTS["profile.season"][1];
		const heads = (columns as JSONObject[]).map(({ de, obis, unit }) => `${de} ${obis} (${unit})`);
		const cells = rows[7].values.map((value: string) => value.replace(".", ","));
		assert.deepEqual(
			[lines.length, lines[0], lines[8]],
			[
				11,
				`Zeit;${heads.join(";")};Status;Bemerkung`,
				`${rows[7].localtime.slice(0, 19).replace("T", " ")};${cells.join(";")};8;${remark}`,
			],
		);
		await visit.end();
	});

	it("shows the running readout also to a user who returns, and is empty for the next user", async () => {
		const visit = await open();
		const release = await holdRequests(visit.page, PROFILE);
		await press(visit);
		await card(visit).locator("progress").waitFor();
		assert.equal(await card(visit).locator("button[name=read]").getAttribute("aria-disabled"), "true");
		await visit.page.locator("[role=status]", { hasText: say("read.running") }).waitFor();
		for (const place of ["dashboard", "use"]) {
			await visit.page.evaluate(`location.hash = "#/${place}"`);
			await visit.page.waitForSelector(`nav a[aria-current][href="#/${place}"]`);
		}
		await card(visit).locator("progress").waitFor();
		release();
		await card(visit).locator("tbody tr").first().waitFor({ state: "attached" });
		await visit.page.locator("[role=status]", { hasText: say("read.done") }).waitFor();
		assert.equal(await card(visit).locator("progress").count(), 0);
		await visit.button("logout").click();
		await visit.logIn();
		await visit.go("use");
		assert.equal(await card(visit).locator("table").count(), 0);
		await visit.end();
	});

	it("shows counters of P.01 as increases, and says what happened in a row", async () => {
		await gateway.login();
		await gateway.write("meter/protocol", { protocol: "iec62056" });
		await gateway.connectMeter({ telegram: telegramOf(P01) });
		const visit = await open();
		await read(visit);
		const happened = `${say("profile.set")}, ${say("profile.down")}`;
		const shown = await cells(visit);
		const day = plain(new Intl.DateTimeFormat("en", { dateStyle: "medium" }).format(new Date("2026-11-22")));
		assert.deepEqual(shown, [
			[`${day}, 12:00 PM`, "1,000.125 kWh", "0.120 kW", ""],
			[`${day}, 12:15 PM`, "-.--- kWh", "0.148 kW", ""],
			[`${day}, 12:30 PM`, "1,000.375 kWh", "0.010 kW", happened],
			[`${day}, 12:45 PM`, "1,001.375 kWh", "4.000 kW", ""],
			[`${day}, 1:00 PM`, "7.000 kWh", "4.000 kW", ""],
			[`${day}, 1:30 PM`, "8.000 kWh", "4.000 kW", ""],
		]);
		assert.ok(await card(visit).getByText(say("profile.steps")).isVisible());
		// Four gaps: to and from the missing value, at the exchange of the meter, and over the missing row.
		assert.equal(await card(visit).locator(".bars rect.gap").count(), 4);
		assert.equal(await card(visit).locator(".bars .up").count(), 1);
		assert.equal(await card(visit).locator(".bars circle").count(), 1);
		await card(visit).getByRole("slider").focus();
		for (let i = 0; i < 2; i++) await visit.page.keyboard.press("ArrowLeft");
		assert.equal(await announced(visit), `${shown[3][0]}: 1 kWh`);
		await visit.page.selectOption("select[name=column]", "1");
		assert.equal(await card(visit).locator(".bars .up").count(), 6);
		assert.equal(await card(visit).getByText(say("profile.steps")).count(), 0);
		// Without DLMS/COSEM the meter has only one profile.
		await visit.page.selectOption("select[name=profile]", "1-0:99.2.0");
		await press(visit);
		await card(visit).getByRole("alert").getByText(say("error.no_profile"), { exact: true }).waitFor();
		await visit.end();
		await putDLMS();
	});

	it("gives reason and advice for a missing profile, a wrong code, a silent meter, and a busy gateway", async () => {
		const visit = await open({ hurried: true });
		const alert = (text: string) => card(visit).getByRole("alert").getByText(text);
		await visit.page.selectOption("select[name=profile]", "0-0:98.1.0");
		await press(visit);
		await alert(say("profile.cause", { why: say("missing.object_undefined") })).waitFor();
		await alert(say("error.no_profile")).waitFor();
		await visit.page.selectOption("select[name=profile]", "");
		await visit.page.fill("input[name=obis]", "1.8.0/x");
		await press(visit);
		await alert(say("valid.form")).waitFor();
		await visit.page.fill("input[name=obis]", " 1-0:98.1.0 ");
		await press(visit);
		await card(visit).locator("button[name=csv]").waitFor();
		for (const [body, text] of [
			[{ error: "meter_timeout", code: "hdlc/silence" }, "failure.direct"],
			[{ error: "meter_timeout", code: "iec62056-21/no-answer" }, "error.no_profile"],
			[{ error: "meter_auth_failed", code: "iec62056-21/password" }, "error.meter_auth_failed"],
			[{ error: "meter_timeout" }, "error.meter_timeout"],
		] as const) {
			await answer(visit, { message: "", ...body }, 500);
			await press(visit);
			await alert(say(text)).waitFor();
		}
		assert.equal(await card(visit).locator("table").count(), 0, "old rows are shown as if they were new");
		await answer(visit, { error: "busy", message: "" }, 503);
		await press(visit);
		await visit.hurry(alert(say("error.busy")));
		await visit.end();
	});

	it("is accessible with a hundred rows in a scrolling box, without overflow", async () => {
		const found: string[] = [];
		for (const [index, width] of [PHONE, DESKTOP].entries()) {
			const language = LANGUAGES[index + 1];
			const visit = await open({ width, language });
			await read(visit, "100");
			await visit.page.selectOption("select[name=profile]", "");
			await card(visit).locator("summary").focus();
			await visit.page.keyboard.press("Enter");
			await visit.page.keyboard.press("Tab");
			const box = card(visit).locator("section");
			assert.ok(await visit.isFocused(box), "the scrolling box can't be reached by keyboard");
			const { height } = (await box.boundingBox())!;
			assert.ok(height <= visit.page.viewportSize()!.height, `${height} pixels`);
			const name = `${width} ${language}`;
			found.push(...(await violationsInBoth(visit)).map((what) => `${name} ${what}`));
			found.push(...(await visit.overflow()).map((what) => `${name}: ${what}`));
			await visit.page.evaluate("document.documentElement.style.fontSize = '200%'");
			found.push(...(await visit.overflow()).map((what) => `${name}, 200 %: ${what}`));
			await visit.end();
		}
		assert.deepEqual(found, []);
	});

	it("is not shown on a display", async () => {
		await gateway.login();
		const { token } = await gateway.write("system/tokens", { name: "Wall", scope: "read" });
		const wall = await Visit.begin(gateway, { path: `/#/use?token=${token}` });
		await wall.page.waitForSelector("main:not(.login)");
		await wall.settled();
		assert.equal(await card(wall).count(), 0);
		await wall.end();
	});
});
