/**
 * The cable of a gateway that was started with `--cable` is pulled and plugged in again. Each engine has its own way to
 * the Ethernet port.
 */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { byRun } from "../runs.js";
import { ProcessGateway } from "./process-gateway.js";

for (const engine of byRun({ test: ["node", "xs"], linux: ["linux"] })) {
	describe(`The gateway with a cable, engine ${engine}`, function () {
		this.timeout(180_000);
		let gateway: ProcessGateway;

		const set = (text: string) => writeFileSync(join(gateway.stateFolder, "cable.txt"), `${text}\n`);

		beforeEach(async () => {
			gateway = await ProcessGateway.loggedIn(engine, { args: ["--cable"] });
		});
		afterEach(() => gateway.stop());

		it("switches to Wi-Fi when the cable is pulled, and back when it is plugged in", async () => {
			const first = await gateway.untilNetwork(({ connected }) => connected);
			assert.deepEqual(
				[first.interface, first.ethernet, first.ethernet_speed, first.ethernet_mac, first.rssi],
				["ethernet", true, 100, "02005e100002", 0],
			);
			set("out");
			const wifi = await gateway.untilNetwork((status) => status.interface === "wifi");
			assert.deepEqual([wifi.ethernet, wifi.ssid, wifi.ethernet_last_error], [false, "bench", "ethernet/lost"]);
			set("in");
			const back = await gateway.untilNetwork((status) => status.interface === "ethernet");
			assert.deepEqual([back.ethernet_last_error, back.ip, back.hostname], [null, first.ip, first.hostname]);
		});

		it("accepts a static address, and keeps it after a restart", async () => {
			await gateway.untilNetwork((status) => status.interface === "ethernet");
			const address = { ip: "192.0.2.31", netmask: "255.255.255.0", gateway: "192.0.2.1", dns: "192.0.2.2" };
			const settings = { ethernet_enabled: true, dhcp: false, ...address };
			assert.deepEqual(await gateway.write("network/ethernet", settings), settings);
			await gateway.untilNetwork(({ ip }) => ip === address.ip);
			await gateway.restartAndLogin();
			const { dhcp } = await gateway.untilNetwork(({ ip }) => ip === address.ip);
			assert.equal(dhcp, false);
			await gateway.write("network/ethernet", { ethernet_enabled: false, dhcp: true });
			const off = await gateway.untilNetwork((status) => status.interface === "wifi");
			assert.deepEqual([off.ethernet, off.ethernet_enabled], [false, false]);
		});
	});
}
