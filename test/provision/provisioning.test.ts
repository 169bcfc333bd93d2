/** Signed settings files by the API: applied as a whole or not at all, only from trusted signers, never twice. */
import assert from "node:assert/strict";
import { VirtualStorage } from "../../hosts/node/virtual-storage.js";
import { isError, type JSONObject } from "../api/gateway.js";
import { START_UTC_MS, VirtualGateway } from "../api/virtual-gateway.js";
import { expectFaults } from "../faults.js";
import { OWN_CERTIFICATE } from "../hub/bed.js";
import { eventsOf, keyOf, newSigner, SIGNER, signed, stateOf } from "./signed.js";

const FILE = "provision/file";
const ZONE = { "system/timezone": { timezone: "Europe/Warsaw" } };
const BROKER = {
	mqtt: {
		enabled: true,
		url: "mqtts://broker.example",
		user: "u",
		password: "canary-broker",
		cert: Buffer.from(OWN_CERTIFICATE.certificate).toString(),
	},
};

describe("Provisioning by signed files", () => {
	let gateway: VirtualGateway;
	let storage: VirtualStorage;
	const second = newSigner();

	async function make(more: JSONObject = {}): Promise<VirtualGateway> {
		const info = { settingsKeys: `${keyOf(second)} ${keyOf(SIGNER)}` };
		const one = await VirtualGateway.loggedIn("client", { utcMs: START_UTC_MS, info, storage, ...more });
		return one;
	}

	beforeEach(async () => {
		storage = new VirtualStorage();
		gateway = await make();
	});
	afterEach(() => gateway.stop());

	const zone = async () => (await gateway.read("system/timezone")).timezone;
	const state = () => stateOf(gateway);
	const events = () => eventsOf(gateway);

	it("apply the settings, and report it", async () => {
		assert.deepEqual(await state(), ["none", 0]);
		const reply = await gateway.write(FILE, signed({ ...ZONE, later: { x: 1 } }, 7));
		assert.deepEqual(reply, { restored: 1, enter_again: [], ignored: ["later"], restart: false });
		assert.equal(await zone(), "Europe/Warsaw");
		assert.deepEqual(await state(), ["applied", 7]);
		const { applied, ...rest } = await gateway.read("provision");
		assert.ok(Math.abs(applied - START_UTC_MS / 1000) < 60);
		assert.deepEqual(rest, {
			group: "",
			url: "",
			cert_max_size: 3072,
			cert_set: false,
			url_state: "off",
			url_asked: 0,
			state: "applied",
			counter: 7,
			max_size: 4500,
		});
		assert.deepEqual(await events(), ["provision_applied 7 by api"]);
		await gateway.restartAndLogin();
		assert.equal(await zone(), "Europe/Warsaw");
		assert.deepEqual(await state(), ["applied", 7]);
	});

	it("are not applied twice, nor after a newer one", async () => {
		await gateway.write(FILE, signed(ZONE, 7));
		await gateway.write("system/timezone", { timezone: "Europe/Berlin" });
		for (const counter of [7, 6, 1]) isError(await gateway.post(FILE, signed(ZONE, counter)), 409, "provision_replay");
		assert.equal(await zone(), "Europe/Berlin");
		assert.deepEqual(await state(), ["provision_replay", 7]);
		await gateway.restartAndLogin();
		isError(await gateway.post(FILE, signed(ZONE, 7)), 409, "provision_replay");
		await gateway.write(FILE, signed(ZONE, 8, "", second));
		assert.equal(await zone(), "Europe/Warsaw");
		assert.deepEqual(await state(), ["applied", 8]);
	});

	it("have their signature checked last, and at most every two seconds while it is wrong", async () => {
		const { time } = gateway.world;
		const foreign = newSigner();
		const post = async (file: Buffer) => {
			const fromMs = time.nowMs;
			const { status, text } = await gateway.post(FILE, file);
			return [status === 200 ? "" : JSON.parse(text).error, time.nowMs - fromMs >= 1900];
		};
		assert.deepEqual(await post(signed(ZONE, 1, "ANOTHER", foreign)), ["provision_wrong_device", false]);
		assert.deepEqual(await post(signed(ZONE, 1, "", foreign)), ["provision_bad_signature", false]);
		assert.deepEqual(await post(signed(ZONE, 1, "ANOTHER", foreign)), ["provision_wrong_device", false]);
		assert.deepEqual(await post(signed(ZONE, 1, "", foreign)), ["provision_bad_signature", true]);
		assert.deepEqual(await post(signed(ZONE, 1)), ["", true]);
		assert.deepEqual(await post(signed(ZONE, 1, "", foreign)), ["provision_replay", false]);
		assert.deepEqual(await post(signed(ZONE, 2)), ["", false]);
	});

	it("are refused without a trusted signature, for another unit, or cut", async () => {
		const before = storage.copy();
		const file = signed(ZONE, 1);
		const changed = Buffer.from(file);
		changed[file.indexOf("Warsaw")] ^= 1;
		const cases: [Buffer, string][] = [
			[signed(ZONE, 1, "", newSigner()), "provision_bad_signature"],
			[changed, "provision_bad_signature"],
			[signed(ZONE, 1, "ANOTHER"), "provision_wrong_device"],
			[file.subarray(0, file.length >> 1), "provision_invalid"],
			[Buffer.from('{"backup":1,"settings":{"system/timezone":{"timezone":"UTC"}}}'), "provision_invalid"],
			[Buffer.alloc(4500, 7), "provision_invalid"],
		];
		for (const [bytes, code] of cases) {
			isError(await gateway.post(FILE, bytes), 400, code);
			assert.deepEqual(await state(), [code, 0]);
		}
		isError(await gateway.post(FILE, Buffer.alloc(4501, 7)), 413, "too_large");
		assert.equal(storage.get("provision"), undefined);
		assert.deepEqual(storage.get("time"), before.get("time"));
		assert.deepEqual(await events(), [
			"provision_refused provision_bad_signature by api",
			"provision_refused provision_wrong_device by api",
			"provision_refused provision_invalid by api",
		]);
	});

	it("are for a serial number, or for the group in the settings", async () => {
		const { serial } = await gateway.read("system/version");
		await gateway.write(FILE, signed({ provision: { group: "cellar" } }, 1, serial));
		await gateway.write(FILE, signed(ZONE, 2, "cellar"));
		assert.equal(await zone(), "Europe/Warsaw");
	});

	it("change nothing if one setting is refused", async () => {
		const settings = { ...ZONE, mqtt: { url: "ftp://x", enabled: true } };
		const reply = await gateway.post(FILE, signed(settings, 1));
		isError(reply, 400, "invalid_field", "mqtt.url");
		assert.notEqual(await zone(), "Europe/Warsaw");
		assert.deepEqual(await state(), ["invalid_field", 0]);
		isError(await gateway.post(FILE, signed({ mqtt: 7 }, 1)), 400, "invalid_field", "mqtt");
		// The corrected file may have the same counter.
		await gateway.write(FILE, signed(ZONE, 1));
	});

	it("may hold secrets and the certificate of a broker", async () => {
		gateway.plant("canary-broker");
		assert.deepEqual((await gateway.write(FILE, signed(BROKER, 1))).enter_again, []);
		const mqtt = await gateway.read("mqtt");
		assert.deepEqual([mqtt.enabled, mqtt.cert_set, mqtt.password_set], [true, true, true]);
		// Another file with the same address and the same certificate.
		await gateway.write(FILE, signed(BROKER, 2));
		await gateway.restartAndLogin();
		const { enabled, cert_set } = await gateway.read("mqtt");
		assert.deepEqual([enabled, cert_set], [true, true]);
	});

	it("leave no part of a certificate if another setting is refused", async () => {
		await gateway.write(FILE, signed(BROKER, 1));
		const keys = () => [...storage.keys()].filter((key) => key.startsWith("mqtt_cert")).sort();
		const before = keys();
		const bad = signed({ ...BROKER, "system/timezone": { timezone: 7 } }, 2);
		isError(await gateway.post(FILE, bad), 400, "invalid_field", "system/timezone.timezone");
		assert.deepEqual(keys(), before);
		assert.equal((await gateway.read("mqtt")).cert_set, true);
	});

	it("are refused by a firmware without a key: 501", async () => {
		const other = await make({ info: { settingsKeys: "" }, storage: new VirtualStorage() });
		isError(await other.post(FILE, signed(ZONE, 1)), 501, "unsupported");
		assert.equal((await other.read("system/status")).provision_state, "off");
		await other.stop();
	});

	it("are refused without a token of full scope", async () => {
		isError(await gateway.post(FILE, signed(ZONE, 1), { token: null }), 401, "unauthorized");
		assert.deepEqual(await state(), ["none", 0]);
	});

	describe("of the factory", () => {
		const WIFI = { "network/wifi": { ssid: "owners", password: "canary-owners", dhcp: true } };

		it("are applied at the first start, with a network that is out of reach, and not again", async () => {
			await gateway.stop();
			gateway = await make({ settingsFile: signed({ ...ZONE, ...WIFI }, 1) });
			await gateway.pass(120_000);
			assert.equal(await zone(), "Europe/Warsaw");
			assert.equal((await gateway.read("network/status")).wifi_ssid, "owners");
			assert.deepEqual(await events(), ["provision_applied 1 by factory"]);
			await gateway.write("system/timezone", { timezone: "Europe/Berlin" });
			await gateway.restartAndLogin();
			await gateway.pass(10_000);
			assert.equal(await zone(), "Europe/Berlin");
			assert.equal((await events()).length, 1);
		});

		it("are refused for the same reasons as other files", async () => {
			await gateway.stop();
			gateway = await make({ settingsFile: signed(ZONE, 1, "", newSigner()) });
			await gateway.pass(10_000);
			assert.deepEqual(await state(), ["provision_bad_signature", 0]);
			assert.deepEqual(await events(), ["provision_refused provision_bad_signature by factory"]);
		});

		it("wait for memory", async () => {
			await gateway.stop();
			const memory = { slots: 700, suffices: (slots: number) => slots <= memory.slots };
			gateway = await make({ settingsFile: signed(ZONE, 1), memory });
			await gateway.pass(10_000);
			assert.deepEqual(await state(), ["none", 0]);
			memory.slots = 4000;
			await gateway.pass(3000);
			assert.deepEqual(await state(), ["applied", 1]);
		});
	});

	it("lose nothing if flash refuses a write, or power fails during one", async () => {
		expectFaults(/^fault: flash: \w+: the flash refuses/, /^fault: flash: \w+: (power cut|no power)/);
		const file = signed({ ...ZONE, ...BROKER, "iec62056/control": { log_en: true } }, 5);
		const start = storage.copy();
		await gateway.stop();
		const seen = new Set<string>();
		for (const fault of ["refuse", "cut", "cut after"])
			for (let count = 1; count <= 12; count++) {
				storage = start.copy();
				gateway = await make();
				if (fault === "refuse") storage.refuseAt(count);
				else storage.cutPowerAt(count, fault === "cut after");
				const { status } = await gateway.post(FILE, file);
				if (fault === "refuse") {
					storage.refusals = 0;
					await gateway.restart();
				} else {
					storage.powerUp();
					await gateway.losePower(1000);
				}
				await gateway.login();
				const isApplied = (await zone()) === "Europe/Warsaw";
				const { log_en } = await gateway.read("iec62056/control");
				const { enabled, cert_set } = await gateway.read("mqtt");
				const { counter } = await gateway.read("provision");
				const expected = isApplied ? [true, true, true, 5] : [false, false, false, 0];
				assert.deepEqual([log_en, enabled, cert_set, counter], expected, `${fault}, write ${count}`);
				if (fault === "refuse") assert.equal(status === 200, isApplied);
				seen.add(`${fault} ${isApplied}`);
				await gateway.stop();
			}
		gateway = await make();
		assert.equal(seen.size, 6, [...seen].join());
	}).timeout(60_000);
});
