/** The gateway with a coprocessor, in virtual time: joining, reporting, a missing port, factory reset, sleep. */
import assert from "node:assert/strict";
import { isError, type JSONObject } from "../api/gateway.js";
import { VirtualGateway } from "../api/virtual-gateway.js";
import { makeSlots } from "../update/firmware-files.js";
import { iecVectors } from "../vectors.js";
import { type RadioOptions, VirtualRadio } from "./virtual-radio.js";

const METERING = 0x0702;
const ELECTRICAL = 0x0b04;
const TIME = 0x000a;
const OTA = 0x0019;
/** A meter with energy and power. */
const VECTOR = iecVectors().find(({ name }) => name === "landis-gyr-zmf100-m26-padded-left")!;

describe("The Zigbee bridge of a gateway", () => {
	const gateways: VirtualGateway[] = [];

	async function begin(options: RadioOptions = {}, more: ConstructorParameters<typeof VirtualGateway>[1] = {}) {
		const radio = new VirtualRadio(options);
		const gateway = new VirtualGateway("client", { utcMs: Date.UTC(2026, 10, 22), zigbee: radio.make, ...more });
		gateways.push(gateway);
		await gateway.login();
		return { radio, gateway };
	}
	afterEach(async () => {
		for (const gateway of gateways.splice(0)) await gateway.stop();
	});

	const stateOf = async (gateway: VirtualGateway): Promise<JSONObject> => gateway.read("zigbee/config");
	const until = async (gateway: VirtualGateway, state: string, limitMs = 120_000): Promise<JSONObject> => {
		for (let passedMs = 0; ; passedMs += 500) {
			const now = await stateOf(gateway);
			if (now.state === state) return now;
			assert.ok(passedMs < limitMs, `${state} wanted: ${JSON.stringify(now)}`);
			await gateway.pass(500);
		}
	};
	const eventsOf = async (gateway: VirtualGateway): Promise<string[]> =>
		(await gateway.read("system/log")).events
			.map(({ event }: JSONObject) => event)
			.filter((event: string) => event.startsWith("zigbee"));
	const join = async (gateway: VirtualGateway, radio: VirtualRadio) => {
		radio.coordinator.isOpen = true;
		assert.equal((await gateway.post("zigbee/reset")).status, 200);
		const joined = await until(gateway, "joined");
		radio.coordinator.isOpen = false;
		return joined;
	};

	/** A gateway that has joined the network. */
	const beginJoined = async () => {
		const unit = await begin();
		await join(unit.gateway, unit.radio);
		return unit;
	};

	it("starts the coprocessor, and joins no network by itself", async () => {
		const { gateway, radio } = await begin();
		radio.coordinator.isOpen = true;
		const { enabled, joined, channel, role, ieee_address, coprocessor } = await until(gateway, "not_joined");
		assert.deepEqual([enabled, joined, channel, role, ieee_address], [true, false, 11, "router", "EEDDCCBBAA00124B"]);
		assert.match(coprocessor, /^Z-Stack 3\.x\.0/);
		const status = await gateway.read("system/status");
		assert.deepEqual([status.zigbee_channel, status.zigbee_pan_id], [undefined, undefined]);
		await gateway.pass(600_000);
		assert.equal((await stateOf(gateway)).state, "not_joined");
		assert.deepEqual(await eventsOf(gateway), []);
	});

	it("joins on request, reports readouts, and is in the network again after a restart", async () => {
		const { gateway, radio } = await begin();
		const joined = await join(gateway, radio);
		const { channel, pan_id, extended_pan_id, short_address, joining_secs } = joined;
		assert.deepEqual([channel, pan_id, extended_pan_id, joining_secs], [15, 0x1a62, "DD11223344556677", 0]);
		assert.ok(short_address > 0 && short_address < 0xfff8);
		assert.deepEqual(await eventsOf(gateway), ["zigbee_joined"]);
		await gateway.connectMeter({ telegram: VECTOR.telegram });
		await gateway.read("iec62056/read");
		await gateway.pass(5000);
		assert.ok(radio.coordinator.reports(METERING).length > 0);
		const { reported } = await stateOf(gateway);
		const energy = reported.find(({ mapping_id }: JSONObject) => mapping_id === "07020000");
		assert.ok(energy.value > 0 && energy.timestamp > Date.UTC(2026, 10, 22) / 1000, JSON.stringify(reported));
		const { zigbee_state, zigbee_sent, zigbee_enabled, ...status } = await gateway.read("system/status");
		assert.deepEqual([zigbee_state, zigbee_enabled, zigbee_sent >= energy.timestamp], ["joined", true, true]);
		assert.deepEqual([status.zigbee_channel, status.zigbee_pan_id], [15, 0x1a62]);
		await gateway.restartAndLogin();
		const { short_address: after } = await until(gateway, "joined");
		assert.equal(after, short_address);
		assert.deepEqual(
			(await eventsOf(gateway)).filter((event) => event !== "zigbee_joined"),
			[],
		);
	});

	it("has OTA Upgrade only if updates are accepted, so that no coordinator waits in vain for an answer", async () => {
		for (const [slots, expected] of [
			[undefined, [TIME]],
			[makeSlots({ keys: [] }), [TIME]],
			[makeSlots(), [TIME, OTA]],
		] as const) {
			const { gateway, radio } = await begin({}, slots === undefined ? {} : { slots });
			await until(gateway, "not_joined");
			assert.deepEqual([...radio.chip.endpoints.get(1)!.outputs], expected);
		}
	});

	it("searches for five minutes, and shows the time left", async () => {
		const { gateway } = await begin();
		await until(gateway, "not_joined");
		await gateway.post("zigbee/reset");
		await gateway.pass(10_000);
		const { state, joining_secs } = await stateOf(gateway);
		assert.equal(state, "joining");
		assert.ok(joining_secs > 280 && joining_secs <= 290, `${joining_secs}`);
		await gateway.pass(350_000);
		assert.deepEqual(await stateOf(gateway).then(({ state, joining_secs }) => [state, joining_secs]), [
			"not_joined",
			0,
		]);
	});

	it("holds the coprocessor in reset while Zigbee is turned off, and can't join then; turning it off restarts the gateway", async () => {
		const { gateway, radio } = await beginJoined();
		const reply = await gateway.post("zigbee/config", { enabled: false });
		assert.deepEqual([reply.status, reply.text], [200, ""]);
		await gateway.loginAfterReboot();
		await gateway.pass(60_000);
		assert.equal(radio.lines.at(-1), 1);
		const { enabled, state, joined, short_address } = await stateOf(gateway);
		assert.deepEqual([enabled, state, joined, short_address], [false, "off", false, 65535]);
		isError(await gateway.post("zigbee/reset"), 409, "zigbee_disabled");
		assert.equal((await gateway.post("zigbee/config", { enabled: true })).status, 200);
		await gateway.loginAfterReboot();
		await until(gateway, "joined");
	});

	it("stops a coprocessor without a wired reset line", async () => {
		const { gateway, radio } = await begin({ hasLines: false });
		await join(gateway, radio);
		await gateway.post("zigbee/config", { enabled: false });
		await gateway.rebooted();
		await gateway.pass(10_000);
		await gateway.login();
		assert.equal((await stateOf(gateway)).state, "off");
		assert.equal(radio.chip.network, undefined);
	});

	it("needs no restart when a backup turns it off and on", async () => {
		const { gateway, radio } = await beginJoined();
		const backup = (enabled: boolean) => ({
			backup: 1,
			product: "smart-meter-gw",
			settings: { "zigbee/config": { enabled } },
		});
		await gateway.write("system/backup", backup(false));
		assert.equal((await stateOf(gateway)).state, "off");
		assert.equal(radio.lines.at(-1), 1);
		await gateway.write("system/backup", backup(true));
		await until(gateway, "joined");
	});

	it("logs each time that the coprocessor falls silent and comes back", async () => {
		const { gateway, radio } = await beginJoined();
		for (let times = 0; times < 2; times++) {
			radio.chip.faults.silent = true;
			assert.equal((await until(gateway, "silent", 400_000)).joined, false);
			radio.chip.faults.silent = false;
			await until(gateway, "joined", 400_000);
		}
		assert.deepEqual(new Set(await eventsOf(gateway)), new Set(["zigbee_joined", "zigbee_silent", "zigbee_back"]));
		const { events } = await gateway.read("system/log");
		for (const name of ["zigbee_silent", "zigbee_back"]) {
			const counts: number[] = events.flatMap(({ event, count }: JSONObject) => (event === name ? count : []));
			assert.equal(
				counts.reduce((sum, count) => sum + count, 0),
				2,
				name,
			);
		}
	});

	it("finds its port again after it was missing, also at the start", async () => {
		const { gateway, radio } = await beginJoined();
		radio.plug(false);
		await gateway.pass(10);
		assert.equal((await stateOf(gateway)).state, "silent");
		await gateway.pass(600_000);
		radio.plug(true);
		await until(gateway, "joined");
		radio.plug(false);
		await gateway.restartAndLogin();
		assert.equal((await until(gateway, "silent")).joined, false);
		assert.equal((await gateway.post("zigbee/reset")).status, 200);
		assert.ok((await stateOf(gateway)).joining_secs > 290);
		radio.coordinator.isOpen = true;
		radio.plug(true);
		await until(gateway, "joined");
		assert.ok((await eventsOf(gateway)).includes("zigbee_silent"));
	});

	it("uses a map that was changed while its port was missing", async () => {
		const { gateway, radio } = await beginJoined();
		const served = () => radio.chip.endpoints.get(1)!.inputs.includes(ELECTRICAL);
		assert.ok(served());
		radio.plug(false);
		await gateway.pass(10);
		const mapping = [{ obis: "1.8.0", mapping_id: "07020000" }];
		assert.equal((await gateway.post("zigbee/map", { mapping })).status, 200);
		await gateway.pass(1000);
		radio.plug(true);
		await until(gateway, "joined");
		assert.ok(!served());
	});

	it("leaves when the coordinator removes it", async () => {
		const { gateway, radio } = await beginJoined();
		await gateway.pass(1000);
		// ZDO Leave (Zigbee specification, 2.4.3.3.5), from the coordinator.
		const { network, ieee } = radio.chip;
		radio.chip.hear({
			...{
				source: 0,
				sourceEndpoint: 0,
				destination: network!.shortAddress,
				destinationEndpoint: 0,
				profile: 0,
				cluster: 0x34,
			},
			payload: Buffer.concat([Buffer.of(9), ieee, Buffer.of(0)]),
			wantsAck: false,
		});
		await until(gateway, "not_joined");
		assert.deepEqual((await eventsOf(gateway)).sort(), ["zigbee_joined", "zigbee_left"]);
		await gateway.restartAndLogin();
		await until(gateway, "not_joined");
	});

	describe("at a factory reset", () => {
		const reset = async (gateway: VirtualGateway) => {
			await gateway.post("system/factory_reset");
			await gateway.loginAfterReboot();
		};

		it("leaves the network, forgets it, and joins no other", async () => {
			const { gateway, radio } = await beginJoined();
			radio.coordinator.isOpen = true;
			await reset(gateway);
			await until(gateway, "not_joined");
			assert.deepEqual(radio.coordinator.members, ["4b1200aabbccddee", "-4b1200aabbccddee"]);
			await gateway.pass(10_000);
			assert.equal(gateway.world.storage.get("zb_leave"), undefined);
			await gateway.restartAndLogin();
			assert.equal((await until(gateway, "not_joined")).enabled, true);
		});

		for (const hasLines of [true, false]) {
			const chip = hasLines ? "a coprocessor" : "a coprocessor without a reset line";
			it(`leaves for good although a join is in progress, with ${chip}`, async () => {
				for (const delayMs of [0, 1, 2, 5, 10, 20, 50, 100, 500, 1000, 5000]) {
					for (const wasJoined of [false, true]) {
						const { gateway, radio } = await begin({ hasLines });
						if (wasJoined) await join(gateway, radio);
						radio.coordinator.isOpen = true;
						assert.equal((await gateway.post("zigbee/reset")).status, 200);
						await gateway.pass(delayMs);
						await reset(gateway);
						await until(gateway, "not_joined");
						await gateway.pass(20_000);
						const where = `${delayMs} ms after the join, ${wasJoined ? "joined" : "not joined"} before`;
						assert.equal((await stateOf(gateway)).state, "not_joined", where);
						const { members } = radio.coordinator;
						assert.ok(members.length === 0 || members.at(-1)!.startsWith("-"), `${where}: ${members}`);
						const keys = gateway.world.storage.keys().filter((key) => key.startsWith("zb_"));
						assert.deepEqual(keys, [], where);
					}
				}
			});
		}

		it("leaves later when the coprocessor is back, even after other restarts", async () => {
			const { gateway, radio } = await beginJoined();
			radio.plug(false);
			await reset(gateway);
			await gateway.pass(30_000);
			await gateway.restartAndLogin();
			await until(gateway, "silent");
			assert.deepEqual(radio.coordinator.members, ["4b1200aabbccddee"]);
			radio.plug(true);
			await until(gateway, "not_joined");
			assert.deepEqual(radio.coordinator.members, ["4b1200aabbccddee", "-4b1200aabbccddee"]);
			assert.equal(gateway.world.storage.get("zb_leave"), undefined);
		});
	});

	it("holds the coprocessor in reset in safe mode", async () => {
		const { gateway, radio } = await beginJoined();
		for (let times = 0; times < 3; times++) await gateway.restart(undefined, { cause: "panic", isFault: true });
		await gateway.login();
		await gateway.pass(60_000);
		assert.notEqual((await gateway.read("system/status")).safe_mode, undefined);
		assert.deepEqual([(await stateOf(gateway)).state, radio.lines.at(-1)], ["off", 1]);
		isError(await gateway.post("zigbee/reset"), 501, "unsupported");
	});
});
