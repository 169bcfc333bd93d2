/**
 * Nine failures as the owner sees them on the page. Each test causes a failure, checks its text in three languages on a
 * phone, and follows the advice, which must give a good readout. The pictures are in `.build/nine-ways`.
 */
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Locator } from "playwright-core";
import { TEXTS, type TextKey } from "../../hosts/browser/text/all.js";
import { LANGUAGES, type Language } from "../../hosts/browser/text/translations.js";
import { isError, PASSWORD, vectorOf } from "../api/gateway.js";
import type { ProcessGateway } from "../api/process-gateway.js";
import { ROOT } from "../hosts/native/compile.js";
import { DESKTOP, PHONE, startGateway, usePage, Visit } from "./browser.js";

const PICTURES = join(ROOT, ".build", "nine-ways");
const { telegram } = vectorOf("kamstrup-162-dsmr2");
/** Meter with a well-placed optical head. */
const WELL = { telegram, mode: "C" } as const;
const OFF = { ...WELL, faults: { silence: 1_000_000 } };
/** Key of `npm run meter -- --protocol dlms`. */
const GUEK = "000102030405060708090A0B0C0D0E0F";
const AK = "D0D1D2D3D4D5D6D7D8D9DADBDCDDDEDF";
const DLMS_METER = ["--protocol", "dlms", "--baud-pace", "--quiet"];
/** Short timeout, because the DLMS meters of these tests are fast. */
const IMPATIENT = { receive_timeout_ms: 300 };
const DAY_S = 86_400;
/** Time longer than a session, ms. */
const SESSION_MS = 31 * 60_000;
/** Time limit of a readout; a failed one also tries what else the meter might send. */
const READ_MS = 60_000;
const THEMES: Readonly<Record<Language, "light" | "dark">> = { en: "light", de: "dark", pl: "light" };

describe("Nine failures on the page", function () {
	this.timeout(180_000);
	usePage();
	let gateway: ProcessGateway;
	let visit: Visit;
	let language: Language = "en";

	before(async () => {
		mkdirSync(PICTURES, { recursive: true });
		gateway = await startGateway({ isAhead: true });
		const words = { old_password: PASSWORD, new_password: PASSWORD };
		assert.equal((await gateway.post("system/password", words, { token: null })).status, 200);
		await gateway.connectMeter(WELL);
		await gateway.login();
		await gateway.read("iec62056/read");
		visit = await (await Visit.begin(gateway, { hurried: true })).logIn();
	});
	afterEach(async function () {
		process.kill(gateway.pid, "SIGCONT");
		if (this.currentTest?.state !== "failed") return;
		console.error(gateway.diagnosis);
		console.error(await visit.page.locator("body").innerText());
	});

	const main = () => visit.page.locator("main");
	const dialog = () => visit.page.getByRole("dialog");
	/** The text in the page's language as a pattern, with any values in it. */
	const words = (key: TextKey) => {
		const parts = TEXTS[key][LANGUAGES.indexOf(language)].split(/\{\w+\}/);
		return new RegExp(parts.map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join(".+"));
	};
	const button = (key: TextKey, within: Locator = main()) => within.getByRole("button", { name: words(key) });
	const pollNow = () => visit.page.evaluate(`document.dispatchEvent(new Event("visibilitychange"))`);

	async function setLanguage(shownLanguage: Language): Promise<void> {
		if (language === shownLanguage) return;
		const loaded = visit.page.waitForNavigation();
		await visit.page.locator("nav .choices select").first().selectOption(shownLanguage);
		await loaded;
		language = shownLanguage;
		await visit.settled();
	}

	/** Checks that these texts differ between languages, are shown, and fit a phone. */
	async function checkTexts(name: string, keys: readonly TextKey[], where: () => Locator = main): Promise<void> {
		for (const key of keys) {
			assert.equal(new Set(TEXTS[key].filter((text) => text.length > 0)).size, LANGUAGES.length, key);
			await where().getByText(words(key)).first().waitFor({ timeout: READ_MS });
		}
		await visit.page.emulateMedia({ colorScheme: THEMES[language] });
		await visit.page.setViewportSize({ width: PHONE, height: 740 });
		await visit.page.screenshot({ path: join(PICTURES, `${name}-${language}.png`) });
		assert.deepEqual(await visit.overflow(), []);
		await visit.page.setViewportSize({ width: DESKTOP, height: 800 });
	}

	interface Walk {
		/** Causes the failure again if a change of the language has ended it. */
		readonly bring?: () => Promise<void>;
		readonly mend?: () => Promise<void>;
		readonly where?: () => Locator;
	}

	/** Checks the texts in each language. */
	async function walk(name: string, keys: readonly TextKey[], { bring, mend, where }: Walk = {}): Promise<void> {
		for (const shownLanguage of LANGUAGES) {
			await setLanguage(shownLanguage);
			await bring?.();
			await checkTexts(name, keys, where);
			await mend?.();
		}
		await setLanguage("en");
	}

	/** Presses "read now", and waits until the readout has ended. */
	async function read(): Promise<void> {
		await button("read.now").click();
		await visit.page.getByRole("progressbar").waitFor();
		await visit.page.getByRole("progressbar").waitFor({ state: "detached", timeout: READ_MS });
	}

	async function readsWell(): Promise<void> {
		await visit.go("dashboard");
		await read();
		await visit.page.getByText(words("read.done")).waitFor({ state: "attached" });
		await visit.page.locator("[name=state]").click();
		await dialog()
			.locator(".chip.good")
			.filter({ hasText: words("state.meter") })
			.waitFor();
		await visit.page.keyboard.press("Escape");
		await main().locator(".notice").waitFor({ state: "detached" });
	}

	async function logInAgain(): Promise<void> {
		await dialog().locator("[name=password]").fill(PASSWORD);
		await button("login.go", dialog()).click();
		await dialog().waitFor({ state: "detached" });
		await gateway.login();
	}

	it("1: the head has moved", async () => {
		await gateway.connectMeter(OFF);
		await read();
		await walk("1-head", ["failure.silence", "links.meter.go"]);
		await main().getByText(words("links.meter.go")).click();
		await button("align.start").click();
		await main().getByText(words("probe.silence")).waitFor();
		await gateway.connectMeter(WELL);
		await main().getByText(words("probe.ok")).waitFor();
		await button("align.stop").click();
		await readsWell();
	});

	it("2: the wrong speed", async () => {
		await gateway.connectProgram([...DLMS_METER, "--baud", "19200"]);
		await gateway.write("meter/protocol", { protocol: "dlms" });
		await gateway.write("dlms/config", { opening: "direct", baudrate: 9600, ...IMPATIENT });
		await read();
		await walk("2-speed", ["failure.direct", "links.meter.page"]);
		await main().getByText(words("links.meter.page")).click();
		await visit.save(visit.card("dlms.title"), { baudrate: 19200 });
		await readsWell();
	});

	it("3: the wrong protocol", async () => {
		await gateway.connectMeter(WELL);
		await gateway.write("meter/protocol", { protocol: "dlms" });
		await gateway.write("dlms/config", { opening: "direct", baudrate: 9600, ...IMPATIENT });
		await read();
		await walk("3-protocol", ["failure.direct", "links.meter.page"]);
		await main().getByText(words("links.meter.page")).click();
		await button("align.start").click();
		await checkTexts("3-protocol-found", ["finding.asked", "finding.set"]);
		await button("finding.set").click();
		await main().getByText(words("finding.done")).waitFor();
		await readsWell();
	});

	it("4: a meter that pushes, on default settings", async () => {
		await gateway.connectMeter({ telegram, mode: "D", pushBaud: 2400, pushMs: 1000, isPaced: true });
		await gateway.write("meter/protocol", { protocol: "iec62056" });
		await walk("4-push", ["found.ascii", "finding.set"], {
			bring: async () => {
				// After a change of the language, the page shows the failure as the gateway has stored it.
				if (language !== "en") await checkTexts("4-push-later", ["failure.unasked", "links.meter.page"]);
				await read();
			},
			mend: async () => {
				if (language !== "pl") return;
				await button("finding.set").click();
				await main().getByText(words("finding.done")).waitFor();
			},
		});
		await readsWell();
		await gateway.write("iec62056/config", { mode_d_enabled: false });
	});

	it("5: the wrong key", async () => {
		await gateway.connectProgram([...DLMS_METER, "--encryption", "required"]);
		await gateway.write("meter/protocol", { protocol: "dlms" });
		const keys = { block_cipher_key: AK, auth_key: AK };
		await gateway.write("dlms/config", { opening: "direct", baudrate: 9600, ...IMPATIENT });
		await gateway.write("dlms/config", { auth: "high_gmac", use_encryption: true, client_address: 1, ...keys });
		await read();
		await walk("5-key", ["failure.password", "links.meter.page"]);
		await main().getByText(words("links.meter.page")).click();
		await visit.save(visit.card("dlms.title"), { block_cipher_key: GUEK });
		await readsWell();
	});

	it("6: the Wi-Fi is lost", async () => {
		await gateway.write("meter/protocol", { protocol: "iec62056" });
		await gateway.connectMeter(WELL);
		const lost = () => main().getByText(words("lost.text"));
		await walk("6-wifi", ["lost.text"], {
			// In English the gateway loses its Wi-Fi and does not answer; in the other languages this device does,
			// which the browser notices at once.
			bring: async () => {
				if (language === "en") process.kill(gateway.pid, "SIGSTOP");
				else await visit.context.setOffline(true);
				await pollNow();
			},
			mend: async () => {
				// The page can't know now whether the schedule is kept, so this text is missing.
				assert.equal(await main().getByText(words("stale.late")).count(), 0);
				process.kill(gateway.pid, "SIGCONT");
				await visit.context.setOffline(false);
				await lost().waitFor({ state: "detached" });
			},
		});
		await readsWell();
	});

	it("7: the gateway has restarted", async () => {
		await walk("7-restart", ["ending.early", "login.go"], {
			bring: async () => {
				assert.equal((await gateway.post("system/reboot")).status, 200);
				await gateway.rebooted();
				await pollNow();
			},
			mend: logInAgain,
			where: dialog,
		});
		await readsWell();
	});

	it("8: the session is over", async () => {
		await walk("8-session", ["login.again", "login.go"], {
			bring: async () => {
				// The gateway's clock can't be put forward, so the session is ended when the page's clock has passed
				// its end.
				await visit.page.clock.fastForward(SESSION_MS);
				const token = (await visit.stored("token")) ?? "";
				assert.equal((await gateway.post("system/logout", undefined, { token })).status, 200);
				await pollNow();
			},
			mend: logInAgain,
			where: dialog,
		});
		await readsWell();
	});

	it("9: the meter has been silent for a day", async () => {
		await gateway.connectMeter(OFF);
		// The state before the next attempt. It is simulated, because the gateway reads at once when its clock is put
		// forward.
		await visit.page.route("**/system/status", async (route) => {
			const response = await route.fetch();
			const status = await response.json();
			await route.fulfill({ response, json: { ...status, timestamp: status.timestamp + DAY_S } });
		});
		await walk("9-day-late", ["stale.mark", "stale.late"]);
		await visit.page.unroute("**/system/status");
		const { timestamp } = await gateway.read("system/clock");
		await gateway.write("system/clock", { timestamp: timestamp + DAY_S });
		isError(await gateway.get("iec62056/read"), 500, "meter_timeout");
		await walk("9-day", ["stale.mark", "stale.failed", "failure.silence", "stale.since", "links.meter.go"]);
		await gateway.connectMeter(WELL);
		await readsWell();
	});
});
