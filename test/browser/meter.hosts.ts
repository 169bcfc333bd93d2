/** The meter page: what is saved there is read back by the API; an ended session loses nothing; alignment and log. */
import assert from "node:assert/strict";
import type { Request } from "playwright-core";
import { PASSWORD, vectorOf } from "../api/gateway.js";
import type { ProcessGateway } from "../api/process-gateway.js";
import { violationsOf } from "./axe.js";
import { say, startWithMeter, usePage, Visit } from "./browser.js";

const { telegram, meterId } = vectorOf("landis-gyr-zmf100-m26-padded-left");
const KEY = "00112233445566778899aabbccddeeff";

describe("The page's meter settings", function () {
	this.timeout(180_000);
	usePage();
	let gateway: ProcessGateway;
	let visit: Visit;

	before(async () => {
		gateway = await startWithMeter({ telegram });
		gateway.plant(KEY);
		visit = await (await Visit.begin(gateway)).logIn();
		await visit.go("meter");
	});

	it("saves how the meter is polled", async () => {
		const card = visit.card("iec.title");
		await visit.save(card, { baudrate_max: 4800, battery: true, device_address: "1234" });
		const config = await gateway.read("iec62056/config");
		assert.deepEqual([config.baudrate_max, config.battery, config.device_address], [4800, true, "1234"]);
		assert.equal(config.password_set, false);
		await visit.save(card, { battery: false, device_address: "", password: KEY.slice(8) });
		assert.equal((await gateway.read("iec62056/config")).password_set, true);
		await card.getByText(say("stored"), { exact: true }).waitFor();
		assert.equal(await card.locator("[name=password]").inputValue(), "");
		await visit.save(card, { mode_d_enabled: true, mode_d_baudrate: 9600 });
		const pushed = await gateway.read("iec62056/config");
		assert.deepEqual([pushed.mode_d_enabled, pushed.mode_d_baudrate, pushed.device_address], [true, 9600, ""]);
		await visit.save(card, { mode_d_enabled: false });
	});

	it("shows at its field what is wrong with a value before it is sent", async () => {
		const card = visit.card("iec.title");
		await visit.fill(card, { device_address: "no-hyphen" });
		await visit.submit(card);
		const field = card.locator("[name=device_address]");
		assert.equal(await field.getAttribute("aria-invalid"), "true");
		assert.equal(await visit.isFocused(field), true);
		const why = `${say("valid.character", { character: "-" })} ${say("form.plain")}`;
		await card.getByText(why, { exact: true }).waitFor();
		await visit.page.click("[name=discard]");
		assert.equal(await field.inputValue(), "");
	});

	it("enters the PIN of a meter that sends SML, and shows whether its values are complete", async () => {
		const card = visit.card("pin.title");
		assert.equal(await card.count(), 0);
		await visit.save(visit.card("protocol.title"), { protocol: "sml" });
		// The built-in simulator uses this protocol.
		await gateway.write("meter/protocol", { protocol: "iec62056" });
		const enter = card.locator("button[type=submit]");
		await visit.fill(card, { pin: "12a4" });
		await enter.click();
		assert.equal(await card.locator("[name=pin]").getAttribute("aria-invalid"), "true");
		assert.equal(await card.locator("[name=pin]").getAttribute("inputmode"), "numeric");
		// With the simulator the PIN takes no time.
		await gateway.write("iec62056/control", { simulator_en: true });
		await visit.fill(card, { pin: "0815", switches: true, inf: 8 });
		const [request] = await Promise.all([visit.page.waitForRequest(/meter\/pin$/), enter.click()]);
		assert.deepEqual(request.postDataJSON(), { pin: "0815", flashes: 2, inf: 8 });
		await card.getByText(say("pin.is.done")).waitFor();
		await card.getByRole("button", { name: say("read.now") }).click();
		await card.locator(".notice.good").getByText(say("pin.is.open")).waitFor();
		assert.equal(await enter.isEnabled(), true);
		await gateway.write("iec62056/control", { simulator_en: false });
	});

	it("shows which digit of the PIN is being entered, and can be stopped", async () => {
		const card = visit.card("pin.title");
		await visit.fill(card, { pin: "0100", flashes: 0, switches: false });
		await visit.submit(card);
		await card.getByText(say("pin.digit", { n: 1, of: 4 })).waitFor();
		await card.getByText(say("pin.left", { n: 13 })).waitFor();
		await card.getByText(say("pin.digit", { n: 2, of: 4 })).waitFor();
		await visit.page
			.locator("[role=status]")
			.getByText(say("pin.digit", { n: 2, of: 4 }))
			.waitFor();
		// This check comes last, since on a busy computer it takes longer than a digit.
		assert.deepEqual(await violationsOf(visit), []);
		await card.getByRole("button", { name: say("align.stop") }).press("Enter");
		await card.getByText(say("pin.is.stopped")).waitFor();
		// The meter's line is free again.
		assert.equal((await gateway.read("iec62056/read")).status, 0);
		await visit.save(visit.card("protocol.title"), { protocol: "iec62056" });
	});

	it("saves when the meter is read", async () => {
		const card = visit.card("schedule.title");
		await visit.save(card, { enabled: true, period: "days 7", trigger_hour: 3, trigger_minute: 30 });
		const schedule = await gateway.read("iec62056/schedule");
		assert.deepEqual([schedule.period_unit, schedule.period_value], ["days", 7]);
		assert.deepEqual([schedule.trigger_hour, schedule.trigger_minute], [3, 30]);
	});

	it("keeps input when the session ends, and saves it after the login", async () => {
		const card = visit.card("iec.title");
		await visit.fill(card, { device_address: "98765" });
		for (const { id, current } of (await gateway.read("system/sessions")).sessions)
			if (!current) await gateway.request("DELETE", `system/sessions/${id}`);
		// The page may already have noticed the end, and shows the login over the form; so click by script.
		const save = visit.page.locator(".saves [name=save]");
		await save.evaluate((button) => (button as unknown as { click(): void }).click());
		const dialog = visit.page.getByRole("dialog", { name: say("login.title") });
		await dialog.locator("[name=password]").fill(PASSWORD);
		await dialog.getByRole("button", { name: say("login.go") }).click();
		await card.locator(".notice.good").waitFor();
		assert.equal(await dialog.count(), 0);
		assert.equal(await card.locator("[name=device_address]").inputValue(), "98765");
		assert.equal((await gateway.read("iec62056/config")).device_address, "98765");
		await visit.save(card, { device_address: "" });
	});

	it("saves keys without ever showing them again, and deletes them", async () => {
		await visit.save(visit.card("protocol.title"), { protocol: "dlms" });
		assert.equal((await gateway.read("meter/protocol")).protocol, "dlms");
		const card = visit.card("dlms.title");
		await visit.save(card, { auth: "high_gmac", use_encryption: true, block_cipher_key: KEY, client_address: 1 });
		const config = await gateway.read("dlms/config");
		assert.deepEqual([config.auth, config.use_encryption, config.client_address], ["high_gmac", true, 1]);
		assert.deepEqual([config.block_cipher_key_set, config.auth_key_set], [true, false]);
		assert.equal(await card.locator("[name=block_cipher_key]").inputValue(), "");
		// A field that is left empty keeps its key.
		await visit.save(card, { client_address: 2 });
		assert.equal((await gateway.read("dlms/config")).block_cipher_key_set, true);
		await visit.save(card, { security_suite: 1, deviation: "swapped", release: true });
		const { security_suite, deviation, release } = await gateway.read("dlms/config");
		assert.deepEqual([security_suite, deviation, release], [1, "swapped", true]);
		await card.locator("[name=forget-block_cipher_key]").click();
		await visit.page.getByRole("dialog").locator("button[type=submit]").click();
		await card.locator("[name=forget-block_cipher_key]").waitFor({ state: "detached" });
		assert.equal((await gateway.read("dlms/config")).block_cipher_key_set, false);
	});

	it("saves how the session with a DLMS meter begins", async () => {
		const card = visit.card("dlms.title");
		await visit.save(card, { opening: "direct", baudrate: 19200 });
		const config = await gateway.read("dlms/config");
		assert.deepEqual([config.opening, config.baudrate], ["direct", 19200]);
		await visit.fill(card, { opening: "mode_e" });
		await card.locator("[name=baudrate]").waitFor({ state: "detached" });
		await visit.save(card, { opening: "mode_e" });
		assert.equal((await gateway.read("dlms/config")).opening, "mode_e");
		await visit.page.reload();
		await visit.settled();
		assert.equal(await card.locator("[name=opening]").inputValue(), "mode_e");
	});

	it("saves the list of values of a DLMS meter", async () => {
		const card = visit.card("objects.title");
		// The list is folded.
		const fold = card.getByText(say("objects.count", { n: 14, max: 32 }));
		await fold.waitFor();
		assert.equal(await card.getByRole("button").count(), 0);
		await fold.click();
		assert.equal(await card.getByText(say("remove"), { exact: true }).count(), 14);
		await card.locator("[name=energy]").click();
		assert.deepEqual(await violationsOf(visit), []);
		await visit.fill(card, { code: "1-0:32.7.0", class_id: 3, attribute: 2 });
		await visit.button("add", card).click();
		await visit.page.click(".saves [name=save]");
		await card.locator(".notice.good").waitFor();
		const { entries } = await gateway.read("dlms/obis");
		assert.equal(entries.length, 5);
		assert.deepEqual([entries[4].obis, entries[4].class_id, entries[4].attribute], ["1-0:32.7.0", 3, 2]);
		await visit.save(visit.card("protocol.title"), { protocol: "iec62056" });
	});

	it("repeats the sign-on until it is stopped, and shows what the meter answers", async () => {
		const card = visit.card("align.title");
		await card.locator("[name=align]").click();
		await card.getByText(meterId).waitFor();
		await card.locator("[name=align]").click();
		assert.match((await card.textContent()) ?? "", /100/);
	});

	it("tries all protocols once, then signs on each two seconds until the head is placed", async function () {
		this.timeout(180_000);
		gateway.silenceMeter(true);
		const card = visit.card("align.title");
		const tries: boolean[] = [];
		const record = (request: Request) => {
			if (request.url().endsWith("/meter/probe")) tries.push(request.postDataJSON().quick);
		};
		visit.page.on("request", record);
		await card.locator("[name=align]").click();
		await card.getByText(say("probe.silence")).waitFor({ timeout: 60_000 });
		const [good, n] = [0, 4];
		await card.getByText(say("align.rate", { good, n })).waitFor({ timeout: 20_000 });
		gateway.silenceMeter(false);
		await card.getByText(meterId).waitFor({ timeout: 10_000 });
		await card.locator("[name=align]").click();
		visit.page.off("request", record);
		assert.deepEqual(tries.slice(0, 5), [false, true, true, true, true]);
	});

	it("shows what is tried, then the unsolicited data that it found but can't read, and stops trying", async function () {
		this.timeout(180_000);
		usePage();
		const card = visit.card("align.title");
		// The search takes one push for each speed. With a push every 3 s, the page, which polls every 5 s, shows some.
		const args = ["--protocol", "sml", "--baud", "4800", "--baud-pace", "--push-seconds", "3", "--quiet"];
		await gateway.connectProgram(args);
		await card.locator("[name=align]").click();
		const listening = `${say("protocol.unasked")}, ${say("iec.baud", { n: "\\d+" })}`;
		await card.getByText(new RegExp(listening)).waitFor({ timeout: 40_000 });
		const found = say("found.sml", { n: "4800" });
		await card.getByText(`${found} ${say("finding.later")}`).waitFor({ timeout: 60_000 });
		await visit.button("align.start", card).waitFor();
		assert.equal(await card.locator("[name=set-it-so]").count(), 0);
		assert.deepEqual(await violationsOf(visit), []);
		await gateway.connectMeter({ telegram });
	});

	it("shows the settings that the button has applied in the page's forms", async () => {
		const card = visit.card("align.title");
		await visit.save(visit.card("iec.title"), { mode_d_enabled: true, mode_d_baudrate: 9600 });
		await card.locator("[name=align]").click();
		await card.locator("[name=set-it-so]").click({ timeout: 40_000 });
		await card.getByText(say("finding.done")).waitFor();
		const toggle = visit.card("iec.title").locator("[name=mode_d_enabled]");
		await toggle.waitFor();
		assert.equal(await toggle.isChecked(), false);
		assert.equal((await gateway.read("iec62056/read")).meter_id, meterId);
	});

	it("shows the log of the session with the meter", async () => {
		await visit.save(visit.card("control.title"), { log_en: true });
		assert.equal((await gateway.read("iec62056/control")).log_en, true);
		await gateway.read("iec62056/read");
		const card = visit.card("log.title");
		await card.locator("[name=log]").click();
		await card.getByText("/?!<CR><LF>").first().waitFor();
		await visit.fill(card, { hex: true });
		await card.getByText("2f 3f 21 0d 0a").first().waitFor();
		assert.deepEqual(await violationsOf(visit), []);
	});

	it("names the objects that a DLMS meter does not give, and why", async () => {
		await gateway.connectProgram(["--protocol", "dlms", "--quiet", "--missing", "2.8.0", "--deny", "31.7.0"]);
		await gateway.write("meter/protocol", { protocol: "dlms" });
		await gateway.write("dlms/config", { auth: "none", use_encryption: false, client_address: 16, opening: "direct" });
		await gateway.write("dlms/config", { baudrate: 9600 });
		const codes = [1, 2, 31].map((c) => [1, 0, c, c === 31 ? 7 : 8, 0, 255]);
		const values = codes.map((code) => ({ code, class_id: 3, attribute: 2 }));
		// Request scalers too, of an object that exists and of a missing one.
		const scalers = codes.slice(0, 2).map((code) => ({ code, class_id: 3, attribute: 3 }));
		await gateway.write("dlms/obis", { entries: [...scalers, ...values] });
		assert.equal((await gateway.read("iec62056/read")).missing.length, 3);
		await visit.go("readings");
		const card = visit.card("readings.missing");
		// The page polls for a new readout every few seconds.
		await card.waitFor();
		const scaler = ` · ${say("readings.attribute")} 3`;
		assert.deepEqual(await card.locator("dt").allTextContents(), [`1-0:2.8.0${scaler}`, "1-0:2.8.0", "1-0:31.7.0"]);
		const rows = visit.card("readings.values").locator("tbody tr");
		assert.deepEqual(await rows.locator("code").allTextContents(), [`1-0:1.8.0${scaler}`, "1-0:1.8.0"]);
		assert.deepEqual(await card.locator("dd").allTextContents(), [
			say("missing.object_undefined"),
			say("missing.object_undefined"),
			say("missing.read_write_denied"),
		]);
		assert.deepEqual(await violationsOf(visit), []);
		await card.getByRole("link", { name: say("readings.missing.go") }).click();
		await visit.card("objects.title").waitFor();
	});

	it("offers to reverse the sign of the clock's deviation while the last readout proves it wrong", async () => {
		await gateway.connectProgram(["--protocol", "dlms", "--quiet", "--zone-sign", "swapped"]);
		await gateway.write("dlms/obis", { entries: [{ code: [0, 0, 1, 0, 0, 255], class_id: 8, attribute: 2 }] });
		await gateway.write("dlms/config", { deviation: "standard" });
		await gateway.read("iec62056/read");
		// The form shows what the API has changed.
		await visit.page.reload();
		const card = visit.card("protocol.title");
		const finding = card.getByText(say("finding.deviation"));
		await finding.waitFor();
		assert.deepEqual([...(await violationsOf(visit)), ...(await visit.overflow())], []);
		// After a change of the setting by hand, earlier readouts prove nothing.
		await visit.save(visit.card("dlms.title"), { deviation: "swapped" });
		await visit.go("dashboard");
		await visit.go("meter");
		assert.equal(await finding.count(), 0);
		await gateway.write("dlms/config", { deviation: "standard" });
		const { timestamp } = await gateway.read("iec62056/last");
		while ((await gateway.read("system/clock")).timestamp <= timestamp) await gateway.pass(100);
		await gateway.read("iec62056/read");
		await visit.page.reload();
		await finding.waitFor();
		await card.locator("[name=set-it-so]").click();
		await finding.waitFor({ state: "detached" });
		await visit.card("dlms.title").locator("[name=deviation]").waitFor({ state: "attached" });
		assert.equal(await visit.card("dlms.title").locator("[name=deviation]").inputValue(), "swapped");
		const { protocol } = await gateway.read("meter/protocol");
		assert.deepEqual([protocol, (await gateway.read("dlms/config")).deviation], ["dlms", "swapped"]);
	});

	it("finds the meters of an M-Bus, and reads those that were found", async () => {
		await gateway.connectProgram(["--protocol", "mbus", "--idents", "12345678", "--quiet"]);
		await visit.save(visit.card("protocol.title"), { protocol: "mbus" });
		const card = visit.card("protocol.mbus");
		await visit.save(card, { address: 1, meters: 2, baudrate: 2400 });
		assert.equal((await gateway.read("mbus/config")).meters, 2);
		await visit.fill(card, { secondary: "1234" });
		await visit.submit(card);
		assert.equal(await card.locator("[name=secondary]").getAttribute("aria-invalid"), "true");
		await card.locator("button[name=search]").click();
		const found = card.getByText(say("mbus.found", { list: "12345678" }));
		await found.waitFor();
		assert.deepEqual(await violationsOf(visit), []);
		await card.locator("button[name=use]").click();
		await found.waitFor({ state: "detached" });
		assert.equal(await card.locator("[name=secondary]").inputValue(), "12345678a7321704");
		assert.equal(await card.locator("[name=address]").count(), 0);
		assert.equal((await gateway.read("iec62056/read")).meter_id, "LUG12345678");
	});
});
