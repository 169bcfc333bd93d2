/** The wizard with a new unit, on a phone in the unit's own network: over plain HTTP, where browsers have no crypto. */
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { vectorPath } from "../../tools/meter/vectors.js";
import { PASSWORD, proofOf, vectorOf } from "../api/gateway.js";
import type { ProcessGateway } from "../api/process-gateway.js";
import { violationsInBoth } from "./axe.js";
import { PHONE, say, startGateway, usePage, Visit } from "./browser.js";

const { telegram, meterId } = vectorOf("landis-gyr-zmf100-m26-padded-left");
/** Arguments of a meter that pushes in mode D at the line's speed. */
const PUSHING = ["--mode", "D", "--baud", "9600", "--push-seconds", "2", "--baud-pace", "--quiet"];
const NEW_PASSWORD = "a password of my own";

const namesOf = (all: readonly { getAttribute(name: string): string | null }[]) =>
	all.map((one) => one.getAttribute("name"));

describe("The wizard", function () {
	this.timeout(180_000);
	usePage();
	let gateway: ProcessGateway;
	let visit: Visit;

	before(async () => {
		gateway = await startGateway({ mode: "ap", args: ["--time", "none"] });
		gateway.setAir("home -48 6 password-of-home\ncafe -70 1\n");
		await gateway.connectMeter({ telegram });
		visit = await Visit.begin(gateway, { width: PHONE, plain: true, path: "/", hurried: true });
	});

	const button = (name: string) => visit.page.locator(`main button[name="${name}"]`);
	const step = (title: string) => visit.page.getByRole("heading", { level: 2, name: title });
	/** Checks that the page has no accessibility violation in either theme, and no overflow. */
	const isForEverybody = async () => {
		assert.deepEqual(await violationsInBoth(visit), []);
		assert.deepEqual(await visit.overflow(), []);
	};

	it("begins by itself after the login, without the browser's cryptography", async () => {
		assert.equal(await visit.page.evaluate("isSecureContext"), false);
		await visit.page.fill("input[name=password]", PASSWORD);
		await visit.page.press("input[name=password]", "Enter");
		await visit.page.waitForSelector("main.wizard");
		await button("next").click();
	});

	it("sets a new password without asking for the label's again", async () => {
		await step(say("wizard.password")).waitFor();
		assert.equal(await visit.page.locator("[name=old]").count(), 0);
		await visit.page.fill("[name=new]", "short");
		await visit.page.fill("[name=repeat]", "short");
		await visit.page.locator("main button[type=submit]").click();
		await visit.page.locator("[name=new][aria-invalid=true]").waitFor();
		await isForEverybody();
		// A reload does not ask for the label's password.
		await visit.page.reload();
		await step(say("wizard.password")).waitFor();
		await visit.page.locator("[name=new]").waitFor();
		assert.equal(await visit.page.locator("[name=old]").count(), 0);
		await visit.page.fill("[name=new]", NEW_PASSWORD);
		await visit.page.fill("[name=repeat]", NEW_PASSWORD);
		await visit.page.locator("main button[type=submit]").click();
		await step(say("wizard.time")).waitFor();
		const { nonce, salt } = await gateway.read("system/challenge", { token: null });
		const body = { username: "admin", nonce, proof: proofOf(NEW_PASSWORD, salt, nonce) };
		const reply = await gateway.post("system/login", body, { token: null });
		assert.equal(reply.status, 200);
		gateway.token = JSON.parse(reply.text).token;
	});

	it("sets the clock to the browser's time, and the time zone", async () => {
		await visit.page.getByText(say("wizard.clock.unset")).waitFor();
		await isForEverybody();
		await visit.page.selectOption("[name=timezone]", "Europe/Berlin");
		await visit.page.locator("main button[type=submit]").click();
		await step(say("nav.meter")).waitFor();
		const clock = await gateway.read("system/clock");
		assert.equal(clock.is_valid, true);
		assert.equal((await gateway.read("system/timezone")).timezone, "Europe/Berlin");
	});

	it("offers to skip a step that is not done, and to continue after one that is", async () => {
		const names = () => visit.page.locator("main .actions").last().locator("button").evaluateAll(namesOf);
		assert.deepEqual(await names(), ["back", "skip"]);
		await button("back").click();
		await step(say("wizard.time")).waitFor();
		await button("back").click();
		await visit.page.getByText(say("password.changed")).waitFor();
		assert.deepEqual(await names(), ["next", "back"]);
		await button("next").click();
		await button("skip").click();
		await step(say("nav.meter")).waitFor();
	});

	it("finds a meter with unsolicited data, and sets the gateway to it by one button", async () => {
		const pushed = vectorOf("ebz-dd3-push");
		await gateway.connectProgram(["--telegram", vectorPath("iec62056-21", pushed.name), ...PUSHING]);
		await button("read").click();
		const found = visit.page.locator("main").getByText(say("found.ascii", { n: "9600" }));
		await found.waitFor({ timeout: 60_000 });
		await isForEverybody();
		await button("set-it-so").click();
		await visit.page.getByText(pushed.meterId).first().waitFor();
		const { protocol } = await gateway.read("meter/protocol");
		const { mode_d_enabled, mode_d_baudrate } = await gateway.read("iec62056/config");
		assert.deepEqual([protocol, mode_d_enabled, mode_d_baudrate], ["iec62056", true, 9600]);
		await isForEverybody();
	});

	it("finds a P1 port, although the gateway already listens at another speed", async () => {
		await gateway.connectProgram(["--protocol", "p1", "--baud-pace"]);
		await button("read").click();
		const found = visit.page.locator("main").getByText(say("found.ascii", { n: "115200" }));
		await found.waitFor({ timeout: 60_000 });
		await button("set-it-so").click();
		await visit.page.getByText("GWS5").first().waitFor();
		assert.equal((await gateway.read("iec62056/config")).mode_d_baudrate, 115_200);
	});

	it("finds SML, and sets the gateway to it by one button", async () => {
		await gateway.write("iec62056/config", { mode_d_enabled: false });
		await gateway.connectProgram(["--protocol", "sml", "--push-seconds", "2", "--baud-pace", "--quiet"]);
		await button("read").click();
		await visit.page
			.locator("main")
			.getByText(say("found.sml", { n: "9600" }))
			.waitFor({ timeout: 60_000 });
		await isForEverybody();
		await button("set-it-so").click();
		await visit.page.getByText("1SMG0000074565").first().waitFor();
		// The meter sends Wh.
		const values = await visit.page.locator("main .facts").last().innerText();
		assert.match(values, /\d\.\d{3}\s*kWh/);
		assert.doesNotMatch(values, /\d\s*Wh/);
		assert.equal((await gateway.read("meter/protocol")).protocol, "sml");
		await isForEverybody();
	});

	it("tries the usual clients of a DLMS/COSEM meter that refuses, and keeps the one that needs no key", async () => {
		const clients = ["--gmac-client", "16", "--lls-client", "1", "--public-client", "32"];
		await gateway.connectProgram(["--protocol", "dlms", ...clients, "--quiet"]);
		await gateway.write("dlms/config", { opening: "direct" });
		await gateway.write("meter/protocol", { protocol: "dlms" });
		await button("read").click();
		const list = visit.page.locator("main .signal ul");
		const locked = say("client.is.locked", { what: say("dlms.auth.high") });
		await list.getByText(`${say("client.name", { n: 1 })}: ${locked}`).waitFor();
		await list.getByText(`${say("client.name", { n: 32 })}: ${say("client.is.works")}`).waitFor();
		await visit.page.getByText(/Values: \d+, among them/).waitFor();
		await isForEverybody();
		assert.equal((await gateway.read("dlms/config")).client_address, 32);
		await gateway.write("dlms/config", { opening: "auto", client_address: 16 });
		await gateway.write("meter/protocol", { protocol: "sml" });
	});

	it("finds a meter that must be polled, and sets the gateway to it", async () => {
		await gateway.connectMeter({ telegram });
		await button("align").click();
		await visit.page
			.locator("main")
			.getByText(say("finding.asked", { what: say("protocol.iec62056") }))
			.waitFor({ timeout: 60_000 });
		// The attempts stop by themselves.
		await visit.button("align.start").waitFor();
		await button("set-it-so").click();
		await visit.page.locator("main").getByText(say("finding.done")).waitFor();
		assert.equal((await gateway.read("iec62056/config")).mode_d_enabled, false);
	});

	it("shows the first readout as soon as the settings are applied", async () => {
		await visit.page.getByText(meterId).first().waitFor();
		await isForEverybody();
	});

	it("reads the meter by itself once the head is well placed, with one main button at each moment", async () => {
		const main = visit.page.locator("main .button.main:visible");
		const names = () => main.evaluateAll(namesOf);
		assert.deepEqual(await names(), ["next"]);
		await visit.page.getByRole("img", { name: say("align.drawing") }).waitFor();
		await visit.page.reload();
		await button("align").waitFor();
		const { meter_readouts } = await gateway.read("system/status");
		await button("align").click();
		await visit.page.getByText(say("align.stop")).waitFor();
		assert.ok((await main.count()) <= 1, String(await names()));
		while ((await gateway.read("system/status")).meter_readouts === meter_readouts) {
			await visit.page.clock.fastForward(1_000);
			// The page's limit for an attempt is 70 s; the gateway, which has real time, gets half of that.
			await sleep(500);
		}
		await visit.page.getByText(meterId).first().waitFor();
		await visit.page.locator("main .button.main[name=next]").waitFor();
		assert.deepEqual(await names(), ["next"]);
		assert.equal(await visit.page.getByText(say("align.stop")).count(), 0);
		await button("next").click();
	});

	it("joins the Wi-Fi, reports a wrong password at once, and shows the gateway's new address", async () => {
		await step(say("network.ssid")).waitFor();
		const home = visit.page.getByRole("radio", { name: /^home/ });
		await home.check();
		// Only few networks need these.
		for (const name of ["dhcp", "hostname"])
			assert.equal(await visit.page.locator(`[name=${name}]`).isVisible(), false);
		await visit.page.fill("[name=password]", "not-the-password");
		await visit.page.locator("main button[type=submit]").click();
		await visit.hurry(visit.page.getByRole("alert"));
		assert.equal(await visit.page.inputValue("[name=password]"), "not-the-password");
		await isForEverybody();
		await visit.page.fill("[name=password]", "password-of-home");
		await visit.page.locator("main button[type=submit]").click();
		await visit.hurry(step(say("wizard.done")));
		const status = await gateway.read("network/status");
		assert.deepEqual([status.connected, status.ssid], [true, "home"]);
		for (const address of [`https://${gateway.hostname}.local/`, `https://${status.ip}/`])
			await visit.page.getByRole("link", { name: address }).waitFor();
		await isForEverybody();
	});

	it("ends at the overview, and does not begin again", async () => {
		await visit.page.getByRole("link", { name: say("wizard.overview") }).click();
		await visit.page.getByRole("heading", { level: 1, name: say("nav.dashboard") }).waitFor();
		await visit.settled();
		assert.equal(await visit.page.getByText(say("set.password")).count(), 0);
		await visit.page.goto(`${visit.base}/`);
		await visit.settled();
		assert.equal(await visit.page.locator("main.wizard").count(), 0);
	});
});
