/** The device's own certificate while its clock and address become wrong and right again. Runs in virtual time. */
import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import type { VirtualTime } from "../../hosts/node/virtual-time.js";
import { createWiFiPort } from "../../hosts/simulated/radio.js";
import { serveTime } from "../sntp/time-server.js";
import { VirtualGateway } from "./virtual-gateway.js";

const S = 1000;
const MINUTE = 60 * S;
const DAY = 24 * 60 * MINUTE;
const SERVER = "192.0.2.5";
const NOW = Date.UTC(2026, 10, 20, 6);
const FAR = Date.UTC(2099, 6, 1);

describe("The device's own certificate", () => {
	let gateway: VirtualGateway;
	let lease: { ip: string; netmask: string; gateway: string };
	let around: readonly string[];
	/** Error of the time server's clock from now on, ms. */
	let ahead: number;

	async function start(utcMs?: number): Promise<void> {
		lease = { ip: "192.0.2.20", netmask: "255.255.255.0", gateway: "192.0.2.1" };
		around = ["home"];
		const air = {
			networks: () => around.map((ssid) => ({ ssid, password: "", rssi: -50, channel: 6, givesAddress: true })),
		};
		const wifi = (timers: VirtualTime) => createWiFiPort({ air, timers, lease, accessPointKey: "access-point-key" });
		gateway = new VirtualGateway("client", {
			wifi,
			info: { timeServers: SERVER },
			...(utcMs === undefined ? {} : { utcMs }),
		});
		await gateway.login();
		await gateway.write("network/wifi", { ssid: "home", password: "", dhcp: true, apply: true });
	}
	afterEach(() => gateway.stop());

	const shown = () => new X509Certificate(gateway.world.network.https!.identity!.certificate);
	const addresses = () => [...shown().subjectAltName!.matchAll(/IP Address:([\d.]+)/g)].map(([, address]) => address);
	const isValidAt = (utcMs: number) => Date.parse(shown().validFrom) <= utcMs && utcMs < Date.parse(shown().validTo);

	function setTime(aheadMs: number): void {
		ahead = aheadMs;
		const { world } = gateway;
		serveTime(world, SERVER, () => NOW + world.time.nowMs + ahead);
	}

	it("stays valid while the only time server reports the year 2099, which the clock rejects", async () => {
		await start();
		setTime(FAR - NOW);
		await gateway.pass(10 * MINUTE);
		assert.equal((await gateway.read("system/clock")).is_valid, false);
		assert.equal((await gateway.read("network/status")).ntp_last_error, "time/doubted");
		assert.ok(isValidAt(NOW));
		ahead = 0;
		await gateway.pass(40 * MINUTE);
		await gateway.login();
		assert.match((await gateway.read("system/clock")).utc, /^2026-11-20T/);
		assert.ok(isValidAt(NOW + 50 * MINUTE));
	});

	it("becomes valid again whatever time was set, and keeps its key", async () => {
		await start(NOW);
		const { publicKey } = shown();
		for (const timestamp of [4_102_444_799, NOW / 1000, 1_704_067_200, NOW / 1000]) {
			await gateway.write("system/clock", { timestamp });
			await gateway.pass(2 * S);
			assert.ok(isValidAt(timestamp * 1000), `${timestamp}: ${shown().validFrom} to ${shown().validTo}`);
			assert.ok(shown().publicKey.equals(publicKey));
		}
		// The clock was set too far ahead, and a time server corrects it.
		await gateway.write("system/clock", { timestamp: FAR / 1000 });
		await gateway.pass(2 * S);
		setTime(0);
		await gateway.pass(DAY);
		assert.ok(isValidAt(NOW + DAY));
		assert.ok(shown().publicKey.equals(publicKey));
	});

	it("gets the address in the network, and a new address after ten minutes at the earliest", async () => {
		await start(NOW);
		assert.deepEqual(addresses(), ["192.168.4.1"]);
		await gateway.pass(10 * S);
		assert.deepEqual(addresses(), ["192.168.4.1", "192.0.2.20"]);
		const { serialNumber, publicKey } = shown();
		// Each new connection to the network makes another certificate.
		const serials = new Set<string>();
		for (let i = 0; i < 20; i++) {
			around = [];
			await gateway.pass(MINUTE);
			lease.ip = `192.0.2.${30 + i}`;
			around = ["home"];
			await gateway.pass(2 * MINUTE);
			serials.add(shown().serialNumber);
		}
		assert.ok(serials.size >= 3 && serials.size <= 8, `${serials.size} certificates in an hour`);
		await gateway.pass(10 * MINUTE);
		assert.deepEqual(addresses(), ["192.168.4.1", "192.0.2.49"]);
		assert.notEqual(shown().serialNumber, serialNumber);
		assert.ok(shown().publicKey.equals(publicKey));
		// The certificate survives a restart.
		const last = shown().serialNumber;
		await gateway.restart();
		await gateway.pass(MINUTE);
		assert.equal(shown().serialNumber, last);
	});
});
