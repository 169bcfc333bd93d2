/** The reset by a pattern of power cuts, for units without a button. The test sets the length of each start. */
import assert from "node:assert/strict";
import { SimulatedButton } from "../../hosts/node/button.js";
import { VirtualStorage } from "../../hosts/node/virtual-storage.js";
import { expectFaults } from "../faults.js";
import { isError, PASSWORD, succeeded, USERNAME } from "./gateway.js";
import { START_UTC_MS, VirtualGateway } from "./virtual-gateway.js";

const OTHER_PASSWORD = "another password";

describe("A unit without a button", () => {
	let storage: VirtualStorage;
	let gateway: VirtualGateway;

	/** Starts the gateway and runs it for `ms`. */
	async function start(ms: number, switchedOn = true): Promise<void> {
		gateway = new VirtualGateway("client", { utcMs: START_UTC_MS, storage, switchedOn });
		await gateway.pass(ms);
	}
	const cut = () => gateway.stop();

	async function starts(periods: readonly number[]): Promise<void> {
		for (const ms of periods) {
			await start(ms);
			await cut();
		}
	}
	/** The pattern, as docs/flashing.md tells it. */
	const PATTERN = Object.freeze([5000, 5000, 5000, 44_000, 5000, 5000, 5000]);

	const enter = (password: string) => gateway.post("system/login", { username: USERNAME, password }, { token: null });

	beforeEach(async () => {
		storage = new VirtualStorage();
		await start(600_000);
		await gateway.login();
		await gateway.write("iec62056/config", { baudrate_max: 2400 });
		const change = { old_password: PASSWORD, new_password: OTHER_PASSWORD };
		assert.equal((await gateway.post("system/password", change)).status, 200);
		await cut();
	});
	afterEach(() => gateway.stop());

	it("is reset after power was cut in the pattern", async () => {
		await starts(PATTERN);
		await start(100);
		await gateway.loginAfterReboot();
		assert.notEqual((await gateway.read("iec62056/config")).baudrate_max, 2400);
		assert.equal((await gateway.read("network/status")).ap_mode, true);
		assert.equal((await gateway.read("system/status")).password_default, true);
	});

	it("opens nothing in the start that resets it, and restarts", async () => {
		await starts(PATTERN);
		await start(1000);
		const { network, serial, udp } = gateway.world;
		assert.equal(network.http.connect(), undefined);
		assert.equal(network.https?.connect(), undefined);
		assert.deepEqual([serial.meter.isOpen, udp.ports], [false, []]);
		await gateway.loginAfterReboot();
	});

	it("leaves the same in flash as a reset by the button", async () => {
		const twin = storage.copy();
		await starts(PATTERN);
		await start(100);
		await gateway.rebooted();
		await cut();
		const left = storage.keys().sort();
		storage = twin;
		gateway = new VirtualGateway("client", { utcMs: START_UTC_MS, storage });
		assert.ok(gateway.world.button instanceof SimulatedButton);
		gateway.world.button.press(11_000);
		await gateway.pass(11_000);
		await gateway.rebooted();
		await cut();
		assert.deepEqual(left, storage.keys().sort());
	});

	it("is not reset by other cuts, nor if power was not cut", async () => {
		await starts(PATTERN.slice(1));
		await starts(PATTERN);
		await start(600_000);
		await cut();
		for (const ms of PATTERN) {
			await start(ms, false);
			await cut();
		}
		await start(5000);
		assert.doesNotMatch(gateway.diagnosis, /Power was cut/);
		isError(await enter(PASSWORD), 401, "invalid_proof");
		succeeded(await enter(OTHER_PASSWORD));
	});

	it("starts if flash accepts nothing, and is not reset then", async () => {
		expectFaults(/^fault: flash: \w+: flash is full/);
		storage.capacity = 0;
		for (let i = 0; i < 8; i++) {
			await start(5000);
			await cut();
		}
		storage.capacity = Number.POSITIVE_INFINITY;
		await start(5000);
		succeeded(await enter(OTHER_PASSWORD));
	});
});
