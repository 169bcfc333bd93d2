/** Firmware on trial in the whole gateway: what confirms it, and what rolls it back. Runs in virtual time. */
import assert from "node:assert/strict";
import { makeSimulatorImage } from "../../hosts/node/simulator-image.js";
import { VirtualStorage } from "../../hosts/node/virtual-storage.js";
import { VirtualSlots } from "../../hosts/node/virtual-update.js";
import { ERASE_SIZE, FIRMWARE_CONFIRMED, FIRMWARE_ON_TRIAL } from "../../modules/io/flash.js";
import { expectFaults } from "../faults.js";
import { type GatewayOptions, START_UTC_MS, VirtualGateway } from "./virtual-gateway.js";

const MINUTE_MS = 60_000;
const PANIC = Object.freeze({ cause: "panic", isFault: true });

describe("Firmware on trial", function () {
	this.timeout(120_000);
	let gateway: VirtualGateway;
	let slots: VirtualSlots;

	/** Starts version 2.0.0 from the other OTA slot. */
	async function begin(options: Partial<GatewayOptions> = {}, before = async () => {}): Promise<void> {
		slots = new VirtualSlots({ size: 8 * ERASE_SIZE });
		gateway = new VirtualGateway("client", { utcMs: START_UTC_MS, slots, ...options });
		await before();
		await install("2.0.0");
	}

	async function install(version: string): Promise<void> {
		const { update } = gateway.world;
		const image = makeSimulatorImage({ version, size: ERASE_SIZE });
		update!.slot.erase(0, ERASE_SIZE);
		update!.slot.write(0, image);
		update!.activate(image.length);
		await gateway.login();
		await gateway.post("system/reboot");
		await gateway.rebooted();
	}

	const version = () => gateway.world.info.firmwareVersion;
	const state = () => gateway.world.update!.state;
	const events = async (): Promise<string[]> => {
		await gateway.login();
		const { events } = await gateway.read("system/log");
		return events.map(({ event, detail }: { event: string; detail: string }) => `${event} ${detail}`.trimEnd());
	};

	afterEach(() => gateway.stop());

	it("is confirmed after a minute, and still runs after a fault from then on", async () => {
		await begin();
		assert.deepEqual([version(), state()], ["2.0.0", FIRMWARE_ON_TRIAL]);
		await gateway.login();
		assert.equal((await gateway.read("system/status")).ota_state, "trial");
		await gateway.pass(MINUTE_MS - 1);
		assert.equal(state(), FIRMWARE_ON_TRIAL);
		await gateway.pass(1);
		assert.equal(state(), FIRMWARE_CONFIRMED);
		assert.equal((await events()).includes("update_confirmed 2.0.0"), true);
		await gateway.restart(undefined, PANIC);
		assert.deepEqual([version(), state()], ["2.0.0", FIRMWARE_CONFIRMED]);
		assert.equal(gateway.world.update!.givenUp, "");
	});

	it("is rolled back after a fault, which is logged once and does not lead to safe mode", async () => {
		await begin();
		for (let start = 1; start <= 4; start++) {
			await gateway.pass(MINUTE_MS - 1);
			await gateway.restart(undefined, PANIC);
			assert.deepEqual([version(), state()], ["0.0.0", FIRMWARE_CONFIRMED]);
			await gateway.restart();
			const logged = (await events()).filter((event) => event.startsWith("update_"));
			assert.deepEqual(logged.slice(-1), ["update_rolled_back it ended before it was confirmed"]);
			const { safe_mode, ota_state, ota_last_error } = await gateway.read("system/status");
			assert.deepEqual([safe_mode, ota_state, ota_last_error], [undefined, "idle", "rolled_back"]);
			const log = await gateway.read("system/log");
			const counts = log.events.filter(({ event }: { event: string }) => event === "update_rolled_back");
			assert.equal(
				counts.reduce((sum: number, { count }: { count: number }) => sum + count, 0),
				start,
			);
			await install("2.0.1");
		}
	});

	it("is rolled back if its network is missing and nobody joins the access point", async () => {
		await begin();
		gateway.setAir("cafe -70 1");
		await gateway.restart(undefined);
		assert.equal(version(), "0.0.0", "a restart alone did not roll back");
		await install("2.0.1");
		await gateway.pass(10 * MINUTE_MS - 1);
		assert.equal(state(), FIRMWARE_ON_TRIAL);
		await gateway.pass(1);
		await gateway.rebooted();
		assert.deepEqual([version(), state()], ["0.0.0", FIRMWARE_CONFIRMED]);
		gateway.clientAddress = "192.168.4.2";
		const logged = await events();
		assert.equal(logged.includes("update_failed network"), true);
		assert.equal(logged.includes("update_rolled_back it gave itself up"), true);
	});

	it("is confirmed if the access point is the only network, or if there is no radio", async () => {
		for (const options of [{ mode: "ap" as const }, { mode: "client" as const, radio: false }]) {
			slots = new VirtualSlots({ size: 8 * ERASE_SIZE });
			gateway = new VirtualGateway(options.mode, { utcMs: START_UTC_MS, slots, ...options });
			await install("2.0.0");
			await gateway.pass(MINUTE_MS);
			assert.equal(state(), FIRMWARE_CONFIRMED);
		}
	});

	it("is confirmed by a restart that the user requests, because the login worked", async () => {
		await begin();
		await gateway.pass(10_000);
		await gateway.login();
		await gateway.post("system/reboot");
		await gateway.rebooted();
		assert.deepEqual([version(), state()], ["2.0.0", FIRMWARE_CONFIRMED]);
	});

	it("is rolled back if the account can't be read, and the old version finds account and settings unchanged", async () => {
		const storage = new VirtualStorage();
		await begin({ storage }, async () => {
			await gateway.login();
			await gateway.write("system/power_mode", { power_mode: 1 });
		});
		const account = storage.get("access")!;
		expectFaults(/^fault: flash: access: the flash refuses/);
		// This firmware can neither read nor replace entries of the other version.
		const { get } = storage;
		storage.get = (key) => (key === "access" && version() !== "0.0.0" ? new Uint8Array(5) : get.call(storage, key));
		const { set } = storage;
		storage.set = (key, value) => {
			if (key === "access") throw new Error("the flash refuses");
			set.call(storage, key, value);
		};
		gateway.world.update!.rollBack();
		await gateway.restart();
		await install("2.0.1");
		await gateway.pass(10 * MINUTE_MS);
		await gateway.rebooted();
		assert.equal(version(), "0.0.0");
		assert.deepEqual(storage.get("access"), account);
		const logged = await events();
		assert.equal(logged.includes("update_failed settings"), true);
		assert.equal((await gateway.read("system/status")).power_mode, 1);
	});

	it("is rolled back, and reports it, even if flash refuses all writes of settings", async () => {
		const storage = new VirtualStorage();
		await begin({ storage });
		expectFaults(/^fault: flash: rolled_back: the flash refuses/);
		storage.refusals = Number.POSITIVE_INFINITY;
		await gateway.restart(undefined, PANIC);
		assert.equal(version(), "0.0.0");
		assert.equal((await events()).includes("update_rolled_back it ended before it was confirmed"), true);
		storage.refusals = 0;
	});
});
