/**
 * The page, the gateway and a Zigbee network with a coordinator like Zigbee2MQTT's: joining by the page's button, the
 * values sent then, and how the page shows what happens to the network.
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Air } from "../../tools/zigbee/air.js";
import { Coordinator } from "../../tools/zigbee/coordinator.js";
import { NETWORK } from "../../tools/zigbee/coordinator-network.js";
import { SimulatedCoprocessor } from "../../tools/zigbee/coprocessor.js";
import { formedCoordinator } from "../../tools/zigbee/nvram.js";
import { serveTCP, type TCPPort } from "../../tools/zigbee/tcp-port.js";
import { vectorOf } from "../api/gateway.js";
import type { ProcessGateway } from "../api/process-gateway.js";
import { say, startGateway, usePage, Visit } from "./browser.js";

const COORDINATOR_IEEE = Buffer.from("010a0000004b1200", "hex");
const DEVICE_IEEE = Buffer.from("020b0000004b1200", "hex");
/** Time for an interview, its configuration, and the first reports, ms. */
const REPORTED_MS = 30_000;

describe("The page and a Zigbee network", function () {
	this.timeout(180_000);
	usePage();
	const folder = mkdtempSync(join(tmpdir(), "page-zigbee-"));
	const ports: TCPPort[] = [];
	let gateway: ProcessGateway;
	let chip: SimulatedCoprocessor;
	let coordinator: Coordinator;
	let visit: Visit;

	before(async () => {
		const air = new Air();
		const nv = formedCoordinator(COORDINATOR_IEEE, NETWORK);
		ports.push(await serveTCP(new SimulatedCoprocessor({ air, ieee: COORDINATOR_IEEE, nv }), 0));
		chip = new SimulatedCoprocessor({ air, ieee: DEVICE_IEEE });
		ports.push(await serveTCP(chip, 0));
		const [theirs, ours] = ports.map(({ port }) => `tcp://127.0.0.1:${port}`);
		coordinator = new Coordinator({ port: theirs, folder, onEvent: () => {} });
		await coordinator.start();
		gateway = await startGateway({ args: ["--zigbee", ours] });
		await gateway.connectMeter({ telegram: vectorOf("landis-gyr-zmf100-m26-padded-left").telegram });
		visit = await (await Visit.begin(gateway, { live: true })).logIn();
		await gateway.login();
	});
	after(async () => {
		await coordinator?.stop();
		await Promise.all(ports.map((port) => port.close()));
		rmSync(folder, { recursive: true });
	});

	const card = () => visit.card("network.state");
	const word = (key: Parameters<typeof say>[0]) => card().locator(".chip").getByText(say(key));

	it("joins by its button once the coordinator permits joining, and appears there under the name on the page", async () => {
		await visit.go("zigbee");
		await word("state.not_joined").waitFor();
		await card().getByText("00124B0000000B02").waitFor();
		await coordinator.permitJoin(60);
		await card().locator("[name=join]").click();
		await visit.page.getByRole("dialog").locator("button[type=submit]").click();
		const [device] = await untilThere(() =>
			coordinator.devices.filter(({ interviewState }) => interviewState === "SUCCESSFUL"),
		);
		await card()
			.locator(".notice.good")
			.getByText(say("zigbee.joined", { name: String(device.modelID), pan: "1A62", n: 15 }))
			.waitFor();
		await word("state.joined").waitFor();
		await card()
			.getByText(
				NETWORK.extendedPanId
					.map((byte) => byte.toString(16).padStart(2, "0"))
					.join("")
					.toUpperCase(),
			)
			.waitFor();
	});

	it("shows the values that were sent to the coordinator", async () => {
		await gateway.read("iec62056/read");
		const line = visit.card("map.title").locator("li").first();
		await line
			.getByText(/61,561\.289 kWh, /)
			.last()
			.waitFor({ timeout: REPORTED_MS });
		const [values] = await untilThere(() =>
			[...coordinator.values.values()].filter(({ energy }) => energy !== undefined),
		);
		assert.equal(values["energy"], 61561.29);
	});

	it("shows when the radio is lost, and when it is back in its network", async () => {
		const [{ port }] = ports.slice(-1);
		await ports.pop()?.close();
		await word("state.silent").waitFor();
		await card().getByText(say("zigbee.is.silent")).waitFor();
		ports.push(await serveTCP(chip, port));
		await word("state.joined").waitFor();
	});

	it("shows on the page and in the log when the coordinator removes the gateway", async () => {
		await coordinator.removeAll();
		await word("state.not_joined").waitFor();
		assert.equal(await card().locator(".notice").count(), 0);
		await visit.go("events");
		for (const key of ["event.zigbee_joined", "event.zigbee_left"] as const)
			await visit.page.getByText(say(key), { exact: true }).waitFor();
		await visit.end();
	});
});

/** Waits until `list` is not empty, and returns it. */
async function untilThere<T>(list: () => readonly T[]): Promise<readonly T[]> {
	for (let tries = 0; ; tries++) {
		const found = list();
		if (found.length > 0) return found;
		assert.ok(tries < 300, "the list stays empty");
		await new Promise((done) => setTimeout(done, 100));
	}
}
