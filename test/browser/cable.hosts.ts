/** The page of a gateway with a cable: what it shows about Ethernet, and what it sets. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ProcessGateway } from "../api/process-gateway.js";
import { DESKTOP, PHONE, say, startGateway, usePage, Visit } from "./browser.js";

const ADDRESS = { ip: "192.0.2.31", netmask: "255.255.255.0", gateway: "192.0.2.1" };

describe("The page of a gateway with a cable", function () {
	this.timeout(180_000);
	usePage();
	let gateway: ProcessGateway;
	let visit: Visit;

	before(async () => {
		gateway = await startGateway({ args: ["--cable"] });
		await gateway.login();
		await gateway.untilNetwork((status) => status.interface === "ethernet");
		visit = await (await Visit.begin(gateway)).logIn();
	});

	it("shows on the overview and on the network page that the gateway is connected by cable", async () => {
		await (await visit.state(say("cable.title"))).waitFor();
		await visit.go("network");
		const card = visit.card("network.state");
		await card.getByText("100 Mbit/s").waitFor();
		const { ip } = await gateway.read("network/status");
		await card.getByText(ip, { exact: false }).first().waitFor();
		assert.equal(await card.getByText(say("network.signal")).count(), 0);
		await visit.card("network.ssid").getByText(say("wifi.absent")).waitFor();
		for (const width of [PHONE, 768, DESKTOP]) {
			await visit.page.setViewportSize({ width, height: 800 });
			assert.deepEqual(await visit.overflow(), [], `at ${width} pixels`);
		}
	});

	it("sets a static address, and shows the new address of the gateway", async () => {
		const card = visit.card("cable.title");
		await visit.fill(card, { dhcp: false, ...ADDRESS, dns: "192.0.2" });
		await visit.submit(card);
		await card.getByText(say("form.ipv4"), { exact: true }).waitFor();
		await visit.fill(card, { dns: "" });
		const replied = visit.page.waitForResponse((response) => response.request().method() === "POST");
		await visit.submit(card);
		assert.equal((await replied).status(), 200);
		await visit.page.getByText(`https://${ADDRESS.ip}/`).waitFor();
		await gateway.untilNetwork(({ ip }) => ip === ADDRESS.ip);
		// The simulated gateway answers at this computer's address whatever it is set to, so the page returns.
		await visit.page.waitForSelector("main", { timeout: 60_000 });
		await visit.settled();
		assert.equal(await visit.card("cable.title").locator("[name=ip]").inputValue(), ADDRESS.ip);
	});

	it("shows that there is no cable, and then saves settings without leaving the page", async () => {
		writeFileSync(join(gateway.stateFolder, "cable.txt"), "out\n");
		await gateway.untilNetwork((status) => status.interface === "wifi");
		await visit.page.reload();
		await visit.settled();
		await visit.card("network.state").getByText(say("cable.out")).waitFor();
		await visit.save(visit.card("cable.title"), { dhcp: true });
		assert.deepEqual((await gateway.read("network/ethernet")).dhcp, true);
	});
});
