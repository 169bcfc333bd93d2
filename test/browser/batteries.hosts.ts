/**
 * The page for batteries and wallboxes. Saved values are read back by the API; a client requests live values as these
 * devices do.
 */
import assert from "node:assert/strict";
import type { ProcessGateway } from "../api/process-gateway.js";
import { say, startWithMeter, usePage, Visit } from "./browser.js";

const TELEGRAM = "/TST5METER\r\n\r\n1-0:1.8.0(5*kWh)\r\n1-0:16.7.0(-321*W)\r\n!\r\n";
const CLIENT = "127.0.0.1";
const OTHER = "192.168.178.77";

describe("The page for batteries and wallboxes", function () {
	this.timeout(180_000);
	usePage();
	let gateway: ProcessGateway;
	let visit: Visit;

	before(async () => {
		gateway = await startWithMeter(
			{ telegram: Buffer.from(TELEGRAM), mode: "D", pushBaud: 9600, pushMs: 1000 },
			{ isAhead: true },
		);
		await gateway.write("iec62056/config", { mode_d_enabled: true, mode_d_baudrate: 9600 });
		visit = await (await Visit.begin(gateway)).logIn();
		await visit.go("batteries");
	});

	const requestLive = () => gateway.request("GET", "/rpc/EM.GetStatus", { secure: false, token: null });

	it("switches on what a device needs, and warns before the settings are saved", async () => {
		const card = visit.card("live.title");
		const warning = card.getByText(say("live.warning"));
		assert.equal(await warning.count(), 0);
		assert.equal(await card.locator("[name=offset_w]").count(), 0);
		await visit.fill(card, { device: "Marstek B2500 (FW ≥ 226)" });
		await warning.waitFor();
		assert.equal((await gateway.read("live-meter")).shelly, false);
		await visit.save(card, { offset_w: "-20", max_age_secs: "60" });
		const { shelly, shelly_udp_port, ecotracker, offset_w, max_age_secs } = await gateway.read("live-meter");
		assert.deepEqual([shelly, shelly_udp_port, ecotracker, offset_w, max_age_secs], [true, 2220, false, -20, 60]);
	});

	it("offers the last address that requested values, and shows the values it receives", async () => {
		assert.equal((await requestLive()).status, 404);
		const card = visit.card("live.clients");
		await card.locator("[name=allow]").click();
		await card.getByText(say("live.silent")).waitFor();
		assert.deepEqual((await gateway.read("live-meter/clients")).clients, [{ address: CLIENT }]);
		for (let tries = 0; (await requestLive()).status !== 200; tries++) {
			assert.ok(tries < 40, gateway.diagnosis);
			await gateway.pass(500);
		}
		await card.getByText(/Shelly Pro 3EM.*[-−]341 W/).waitFor();
		assert.equal(await card.locator("[name=allow]").count(), 0);
	});

	it("switches on the only UDP port for SMA in place of the Shelly's", async () => {
		const card = visit.card("live.title");
		await visit.fill(card, { device: "SMA" });
		assert.equal(await card.locator("[name=shelly_udp_port]").count(), 0);
		await visit.save(card, {});
		const { shelly, sma, sunspec } = await gateway.read("live-meter");
		assert.deepEqual([shelly, sma, sunspec], [true, true, false]);
	});

	it("switches on the EM24 for Victron, and the CT002 for Marstek", async () => {
		const card = visit.card("live.title");
		await visit.fill(card, { device: "Victron GX (ESS)" });
		await visit.fill(card, { device: "Marstek (CT002, CT003)" });
		await card.getByLabel(say("live.em24")).waitFor();
		await visit.save(card, {});
		const { em24, ct002, sunspec } = await gateway.read("live-meter");
		assert.deepEqual([em24, ct002, sunspec], [true, true, false]);
		await gateway.write("live-meter", { em24: false, ct002: false });
	});

	it("divides the power equally by one button, and offers each device the share that the others leave", async () => {
		const card = visit.card("live.clients");
		const clients = async () => (await gateway.read("live-meter/clients")).clients;
		const change = async (action: () => Promise<unknown>, wanted: object[]) => {
			await action();
			for (let tries = 0; JSON.stringify(await clients()) !== JSON.stringify(wanted); tries++) {
				assert.ok(tries < 40, JSON.stringify(await clients()));
				await gateway.pass(100);
			}
		};
		assert.equal(await card.locator("[name=equal]").count(), 0);
		await visit.fill(card, { address: OTHER });
		await visit.submit(card);
		await change(
			() => card.locator("[name=equal]").click(),
			[
				{ address: CLIENT, share_percent: 50 },
				{ address: OTHER, share_percent: 50 },
			],
		);
		const [own, other] = [card.locator("[name=share_percent]").first(), card.locator("[name=share_percent]").last()];
		await change(
			() => own.selectOption("30"),
			[
				{ address: CLIENT, share_percent: 30 },
				{ address: OTHER, share_percent: 50 },
			],
		);
		assert.equal(await other.locator("option[value='75']").count(), 0);
		await change(() => own.selectOption("0"), [{ address: CLIENT }, { address: OTHER, share_percent: 50 }]);
		await card.getByRole("button", { name: `${say("remove")}: ${OTHER}` }).click();
		await card.getByText(OTHER, { exact: true }).waitFor({ state: "detached" });
	});

	it("reports an invalid typed address, accepts a valid one, and removes the other", async () => {
		const card = visit.card("live.clients");
		const field = card.locator("[name=address]");
		await visit.fill(card, { address: "192.168.178.400" });
		await visit.submit(card);
		await card.getByText(say("form.ipv4"), { exact: true }).waitFor();
		assert.equal(await field.getAttribute("aria-invalid"), "true");
		await visit.fill(card, { address: "the battery" });
		await visit.submit(card);
		assert.equal(await field.getAttribute("aria-invalid"), "true");
		await visit.fill(card, { address: OTHER });
		await visit.submit(card);
		await card.getByText(OTHER).waitFor();
		assert.equal(await field.inputValue(), "");
		await card.getByRole("button", { name: `${say("remove")}: ${CLIENT}` }).click();
		await card.getByText(CLIENT, { exact: true }).waitFor({ state: "detached" });
		assert.deepEqual((await gateway.read("live-meter/clients")).clients, [{ address: OTHER }]);
		assert.equal((await requestLive()).status, 404);
	});
});
