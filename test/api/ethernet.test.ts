/** The gateway on Ethernet: its API, and everything that needs a network. Runs in virtual time. */
import assert from "node:assert/strict";
import type { IConnectPacket } from "mqtt-packet";
import { makeSimulatorImage } from "../../hosts/node/simulator-image.js";
import { VirtualAir } from "../../hosts/node/virtual-air.js";
import { VirtualCable } from "../../hosts/node/virtual-cable.js";
import type { VirtualTime } from "../../hosts/node/virtual-time.js";
import { VirtualSlots } from "../../hosts/node/virtual-update.js";
import { ERASE_SIZE, FIRMWARE_CONFIRMED } from "../../modules/io/flash.js";
import { BROKER_ADDRESS, ScriptedBroker } from "../mqtt/broker.js";
import { isError, type JSONObject } from "./gateway.js";
import { type GatewayOptions, LAN_CLIENT, START_UTC_MS, VirtualGateway } from "./virtual-gateway.js";

const ETHERNET = "network/ethernet";
const DHCP = { ethernet_enabled: true, dhcp: true };
const STATIC = {
	...{ ethernet_enabled: true, dhcp: false, ip: "192.0.2.31", netmask: "255.255.255.0" },
	...{ gateway: "192.0.2.1", dns: "192.0.2.2" },
};
const HOME = { ssid: "home", password: "home-secret", dhcp: true };
const CABLE_IP = "192.0.2.30";
const WIFI_IP = "192.0.2.20";
const S = 1000;
const NTP = Object.freeze({ address: "192.0.2.9", port: 123 });

describe("The API with Ethernet", () => {
	let gateway: VirtualGateway;
	let cable: VirtualCable;
	let air: VirtualAir;

	async function begin(isIn = true, options: Partial<GatewayOptions> = {}): Promise<void> {
		cable = new VirtualCable(isIn);
		gateway = new VirtualGateway("client", {
			utcMs: START_UTC_MS,
			wifi: (timers: VirtualTime) => {
				air = new VirtualAir(timers, { home: { password: "home-secret" } });
				return air.port;
			},
			ethernet: (timers) => cable.port(timers),
			...options,
		});
		gateway.plant("home-secret");
		await gateway.login();
	}

	afterEach(() => gateway.stopChecked());

	const status = (): Promise<JSONObject> => gateway.read("network/status");
	const events = async (): Promise<string[]> => {
		const { events: all } = await gateway.read("system/log");
		return all
			.map(({ event, detail }: { event: string; detail: string }) => `${event} ${detail}`.trimEnd())
			.filter((event: string) => event.startsWith("network_"));
	};
	/** Unplugs the cable and waits for Wi-Fi. */
	async function pull(): Promise<void> {
		cable.isIn = false;
		await gateway.pass(40 * S);
	}
	async function plug(): Promise<void> {
		cable.isIn = true;
		await gateway.pass(10 * S);
	}

	it("shows the cable, its address, and that the radio is off", async () => {
		await begin();
		await gateway.pass(10 * S);
		const shown = await status();
		assert.deepEqual(
			[shown.interface, shown.ip, shown.netmask, shown.gateway, shown.dhcp, shown.connected],
			["ethernet", CABLE_IP, "255.255.255.0", "192.0.2.1", true, true],
		);
		assert.deepEqual(
			[shown.ethernet, shown.ethernet_enabled, shown.ethernet_speed, shown.ethernet_mac, shown.ethernet_last_error],
			[true, true, 100, "02005e100002", null],
		);
		assert.deepEqual([shown.ap_mode, shown.rssi, shown.channel, shown.ssid], [false, 0, 0, ""]);
		assert.equal(air.radio, undefined);
		assert.deepEqual((await gateway.read("network/scan")).networks, []);
	});

	it("shows why there is no address", async () => {
		await begin();
		cable.givesAddress = false;
		await gateway.pass(33 * S);
		const silent = await status();
		assert.deepEqual([silent.ethernet, silent.ethernet_last_error], [true, "ethernet/no-address"]);
		assert.deepEqual([silent.interface, silent.connected, silent.ip], ["none", false, "0.0.0.0"]);
		await pull();
		const lost = await status();
		assert.deepEqual(
			[lost.ethernet, lost.ethernet_speed, lost.ethernet_last_error, lost.ap_mode],
			[false, 0, "ethernet/lost", false],
		);
	});

	it("changes from cable to Wi-Fi and back as the same device", async () => {
		await begin();
		await gateway.write("network/wifi", HOME);
		await gateway.pass(10 * S);
		const before = await gateway.read("system/version");
		const { hostname } = await status();
		await pull();
		const wifi = await status();
		assert.deepEqual([wifi.interface, wifi.ip, wifi.ssid, wifi.hostname], ["wifi", WIFI_IP, "home", hostname]);
		assert.deepEqual(await gateway.read("system/version"), before);
		await plug();
		const back = await status();
		assert.deepEqual([back.interface, back.ip, back.ethernet_last_error], ["ethernet", CABLE_IP, null]);
		assert.deepEqual(await events(), [
			// The log keeps only the last of equal entries, so the first `network_up` of the cable is missing here.
			"network_down",
			`network_up ${WIFI_IP}`,
			`network_up ${CABLE_IP}`,
		]);
	});

	it("sets a static address, and DHCP again", async () => {
		await begin();
		await gateway.pass(10 * S);
		assert.deepEqual(await gateway.write(ETHERNET, STATIC), STATIC);
		assert.equal((await status()).ip, CABLE_IP, "the reply precedes the change");
		await gateway.pass(2 * S);
		const { ip, dhcp, gateway: router } = await status();
		assert.deepEqual([ip, dhcp, router], [STATIC.ip, false, "192.0.2.1"]);
		assert.deepEqual(cable.ethernet?.wanted?.address?.dns, "192.0.2.2");
		await gateway.restartAndLogin();
		await gateway.pass(5 * S);
		assert.equal((await status()).ip, STATIC.ip);
		const cleared = { ...DHCP, ip: "", netmask: "", gateway: "", dns: "" };
		assert.deepEqual(await gateway.write(ETHERNET, { ...STATIC, dhcp: true }), cleared);
		await gateway.pass(5 * S);
		assert.deepEqual([(await status()).ip, (await status()).dhcp], [CABLE_IP, true]);
		const { dns, ...without } = STATIC;
		assert.equal((await gateway.write(ETHERNET, without)).dns, "");
		await gateway.pass(2 * S);
		assert.equal(cable.ethernet?.wanted?.address?.dns, "192.0.2.1", "without dns, the gateway is the name server");
	});

	it("rejects addresses that a device can't have, and stores nothing of such a request", async () => {
		await begin();
		const before = await gateway.read(ETHERNET);
		for (const [field, value] of [
			["ip", "192.0.2.255"],
			["ip", "127.0.0.1"],
			["netmask", "255.0.255.0"],
			["gateway", "192.0.3.1"],
			["gateway", STATIC.ip],
			["dns", "0.0.0.0"],
			["dns", "1.2.3"],
			["dhcp", 1],
			["ethernet_enabled", "yes"],
		] as const) {
			isError(await gateway.post(ETHERNET, { ...STATIC, [field]: value }), 400, "invalid_field", field);
		}
		for (const field of ["ethernet_enabled", "dhcp", "ip", "netmask", "gateway"])
			isError(await gateway.post(ETHERNET, { ...STATIC, [field]: undefined }), 400, "missing_field", field);
		assert.deepEqual(await gateway.read(ETHERNET), before);
	});

	it("warns when Ethernet and Wi-Fi are both turned off, and then the button opens the access point", async () => {
		await begin();
		await gateway.pass(10 * S);
		assert.deepEqual(await gateway.write("network/wifi-enabled", { wifi_enabled: false }), {
			wifi_enabled: false,
			tx_power_dbm: 0,
		});
		const { warning } = await gateway.write(ETHERNET, { ...DHCP, ethernet_enabled: false });
		assert.match(warning, /button.*pattern of power cuts/);
		assert.equal((await gateway.read("network/wifi-enabled")).warning, warning);
		await gateway.pass(60 * S);
		assert.deepEqual([(await status()).interface, (await status()).ethernet_enabled], ["none", false]);
		gateway.world.button?.press(200);
		await gateway.pass(2 * S);
		const { interface: by, ap_mode, wifi_temporary } = await status();
		assert.deepEqual([by, ap_mode, wifi_temporary], ["access_point", true, true]);
	});

	it("is reachable over the cable with DHCP after a factory reset", async () => {
		await begin();
		await gateway.write("network/wifi", HOME);
		await gateway.write(ETHERNET, STATIC);
		await gateway.post("system/factory_reset");
		await gateway.loginAfterReboot();
		await gateway.pass(10 * S);
		const { interface: by, ip, ap_mode, wifi_ssid } = await status();
		assert.deepEqual([by, ip, ap_mode, wifi_ssid], ["ethernet", CABLE_IP, false, ""]);
	});

	it("restores the Ethernet settings of a backup", async () => {
		await begin();
		await gateway.write(ETHERNET, STATIC);
		const { settings } = await gateway.read("system/backup");
		assert.deepEqual(settings[ETHERNET], STATIC);
		await gateway.write(ETHERNET, DHCP);
		await gateway.write("system/backup", {
			...{ backup: 1, product: "smart-meter-gw" },
			settings: { [ETHERNET]: settings[ETHERNET] },
		});
		assert.deepEqual(await gateway.read(ETHERNET), STATIC);
		isError(
			await gateway.post("system/backup", {
				...{ backup: 1, product: "smart-meter-gw" },
				settings: { [ETHERNET]: { ...STATIC, gateway: STATIC.ip } },
			}),
			400,
			"invalid_field",
			`${ETHERNET}.gateway`,
		);
	});

	it("serves the API over HTTPS only, and redirects a browser to the address of the cable", async () => {
		await begin();
		await gateway.pass(10 * S);
		const { world } = gateway;
		const plain = world.request("/api/v1/system/challenge", { client: world.connect(false, LAN_CLIENT) });
		assert.equal(plain.status, 403);
		const moved = world.request("/", {
			client: world.connect(false, LAN_CLIENT),
			headers: { Host: "elsewhere.example" },
		});
		assert.equal(moved.status, 301);
		assert.equal(moved.headers.get("location"), `https://${CABLE_IP}/`);
	});

	it("announces itself over mDNS and requests the time, both on cable and on Wi-Fi", async () => {
		await begin(true, { info: { timeServers: NTP.address } });
		let questions = 0;
		let answers = 0;
		gateway.world.udp.serve(NTP.address, NTP.port, () => {
			questions++;
			return [];
		});
		await gateway.write("network/wifi", HOME);
		const announced = () => {
			const { sent } = gateway.world.udp;
			const since = sent.slice(answers);
			answers = sent.length;
			return since.filter(({ to }) => to.port === 5353).length;
		};
		await gateway.pass(10 * S);
		assert.ok(announced() > 0 && questions > 0);
		for (const move of [pull, plug]) {
			questions = 0;
			await move();
			await gateway.pass(5 * S);
			assert.ok(announced() > 0, `after ${move.name}`);
			assert.ok(questions > 0, `after ${move.name}`);
		}
	});

	it("connects to the broker on cable and on Wi-Fi, with the same client identifier", async () => {
		await begin();
		const broker = new ScriptedBroker(gateway.world);
		await gateway.write("network/wifi", HOME);
		await gateway.write("mqtt", { enabled: true, url: `mqtt://${BROKER_ADDRESS}` });
		await gateway.pass(20 * S);
		const sessions = () => broker.sessions.length;
		assert.equal(sessions(), 1);
		const { clientId } = broker.sessions[0].packets[0] as IConnectPacket;
		for (const move of [pull, plug]) {
			const before = sessions();
			await move();
			await gateway.pass(20 * S);
			assert.ok(sessions() > before && broker.current !== undefined, `after ${move.name}`);
			assert.equal(
				(broker.sessions.at(-1)!.packets[0] as IConnectPacket).clientId,
				clientId,
				"the client identifier stays the same",
			);
		}
	});

	it("shows the cable in metrics", async () => {
		await begin();
		await gateway.pass(10 * S);
		assert.match((await gateway.get("metrics")).text, /^gateway_ethernet_link 1$/m);
		await pull();
		assert.match((await gateway.get("metrics")).text, /^gateway_ethernet_link 0$/m);
	});

	describe("with firmware on trial", () => {
		async function install(): Promise<void> {
			const slots = new VirtualSlots({ size: 8 * ERASE_SIZE });
			await begin(true, { slots });
			const { update } = gateway.world;
			const image = makeSimulatorImage({ version: "2.0.0", size: ERASE_SIZE });
			update!.slot.erase(0, ERASE_SIZE);
			update!.slot.write(0, image);
			update!.activate(image.length);
			// A configured Wi-Fi network that is out of reach does not replace the cable.
			await gateway.write("network/wifi", { ...HOME, ssid: "away" });
			await gateway.post("system/reboot");
			await gateway.rebooted();
		}

		it("confirms the firmware once the cable has an address", async () => {
			await install();
			await gateway.pass(61 * S);
			assert.equal(gateway.world.update!.state, FIRMWARE_CONFIRMED);
			assert.equal(gateway.world.info.firmwareVersion, "2.0.0");
		});

		it("returns to the old firmware if the cable gets no address", async () => {
			await install();
			cable.givesAddress = false;
			await gateway.pass(600 * S);
			await gateway.rebooted();
			assert.equal(gateway.world.info.firmwareVersion, "0.0.0");
		});
	});
});
