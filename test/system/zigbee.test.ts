/**
 * The gateway in a Zigbee network, from joining to leaving, with zigbee-herdsman and zigbee-herdsman-converters: `npm
 * start` on both engines, as a router (USB) and as an end device (cells).
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { START_WATCHDOG } from "../../tools/zigbee/coprocessor.js";
import type { JSONObject } from "../api/gateway.js";
import { type EngineName, ProcessGateway } from "../api/process-gateway.js";
import { NODE, NODE_ADDRESS, until, untilState, type WatchedCoordinator, ZigbeeNetwork } from "./zigbee-network.js";

interface Way {
	readonly engine: EngineName;
	readonly role: "router" | "end_device";
	/** The coordinator's name for the device type. */
	readonly type: string;
	readonly args: readonly string[];
	readonly shown: readonly string[];
	/** How the gateway leaves the network. Leaving takes long, so each way is tested with one gateway only. */
	readonly leaves: "by its coordinator" | "by a factory reset";
}

const SHOWN = ["current", "energy", "identify", "power", "voltage"];
const WAYS: readonly Way[] = [
	{ engine: "xs", role: "router", type: "Router", args: [], shown: SHOWN, leaves: "by a factory reset" },
	{
		engine: "node",
		role: "end_device",
		type: "EndDevice",
		args: ["--supply", "battery:4.5"],
		shown: ["battery", ...SHOWN],
		leaves: "by its coordinator",
	},
];

/** Opens the network and lets the gateway join. */
async function join(gateway: ProcessGateway, { coordinator }: WatchedCoordinator): Promise<JSONObject> {
	// Both in parallel. Otherwise the gateway could join by itself before its reset, and would have to join again.
	const [, reply] = await Promise.all([coordinator.permitJoin(60), gateway.post("zigbee/reset")]);
	assert.equal(reply.status, 200);
	const config = await untilState(gateway, "joined");
	await coordinator.permitJoin(0);
	return config;
}

/** The values that a coordinator shows for this readout, rounded as the coordinator rounds them. */
function expectedOf({ readings }: JSONObject): Record<string, number> {
	const value = (obis: string) => Number(readings.find((one: JSONObject) => one.obis === obis)?.value1);
	return {
		energy: Math.round(value("1.8.0") * 100) / 100,
		power: Math.round(1000 * value("16.7.0")),
		voltage: value("32.7.0"),
		current: value("31.7.0"),
	};
}

for (const { engine, role, type, args, shown, leaves } of WAYS) {
	describe(`The gateway in a Zigbee network: engine ${engine}, ${role}`, function () {
		this.timeout(60_000);
		const network = new ZigbeeNetwork();
		let gateway: ProcessGateway;
		let watched: WatchedCoordinator;

		before(async () => {
			await network.start();
			({ watched } = network);
			// Noise on the line, which may include the beginning of a frame.
			network.chip.faults.garbage = 3;
			gateway = await ProcessGateway.start(engine, { args: ["--zigbee", network.path, ...args], isAhead: true });
			await gateway.connectProgram([]);
			await gateway.login();
		});
		after(async () => {
			await gateway?.stop();
			await network.stop();
		});

		it("is in no network at first", async () => {
			const config = await untilState(gateway, "not_joined");
			assert.deepEqual([config.enabled, config.joined], [true, false]);
			assert.deepEqual([config.role, config.ieee_address], [role, NODE_ADDRESS]);
			assert.match(config.coprocessor, /Z-Stack 3\.x\.0.*2025-03-21/);
		});

		it("cannot join a network that is closed", async () => {
			assert.equal((await gateway.post("zigbee/reset")).status, 200);
			const config = await untilState(gateway, "joining");
			assert.ok(config.joining_secs > 290, JSON.stringify(config));
			assert.equal(config.joined, false);
			assert.deepEqual(
				watched.events.map(({ event }) => event),
				["started"],
			);
		});

		it("joins an open network, and is recognised and configured without a device-specific definition", async () => {
			const config = await join(gateway, watched);
			const { channel, pan_id, extended_pan_id, joined, joining_secs } = config;
			assert.deepEqual([channel, pan_id, extended_pan_id], [15, 0x1a62, "DD11223344556677"]);
			assert.deepEqual([joined, joining_secs], [true, 0]);
			assert.equal((await watched.take("joined")).device, NODE);
			await watched.take("interview", ({ status }) => status === "successful");
			const definition = await watched.take("definition");
			assert.equal(definition.type, type);
			assert.deepEqual([...definition.exposes].sort(), shown);
			assert.equal((await watched.take("configured")).problem, "");
			assert.equal(watched.coordinator.devices[0].networkAddress, config.short_address);
		});

		it("reports what the meter shows", async () => {
			const expected = expectedOf(await gateway.read("iec62056/read"));
			const published = () => watched.coordinator.values.get(NODE) ?? {};
			await until(
				() => Object.entries(expected).every(([name, value]) => published()[name] === value) || undefined,
				() => `${JSON.stringify(expected)}; published ${JSON.stringify(published())}`,
			);
			const { reported } = await gateway.read("zigbee/config");
			assert.equal(reported.length, 5);
		});

		it("is in its network again after a restart, without joining", async () => {
			watched.events.length = 0;
			await gateway.restartAndLogin();
			await untilState(gateway, "joined");
			if (role !== "router") await watched.take("announced");
			assert.ok(watched.events.every(({ event }) => event !== "joined"));
			const { energy } = expectedOf(await gateway.read("iec62056/read"));
			await watched.take("values", ({ values }) => values.energy === energy);
		});

		it("reports that its coprocessor is unplugged, and recovers", async () => {
			await network.pull();
			const config = await untilState(gateway, "silent");
			assert.equal(config.joined, false);
			assert.equal((await gateway.read("system/status")).zigbee_state, "silent");
			await network.plugIn();
			const back = await untilState(gateway, "joined");
			assert.equal(back.joined, true);
		});

		it("follows the coordinator to another channel, and answers there", async () => {
			await watched.coordinator.changeChannel(20);
			await until(
				() => network.chip.network?.channel === 20 || undefined,
				() => "another channel",
			);
			const endpoint = watched.coordinator.devices[0].getEndpoint(1)!;
			assert.deepEqual(await endpoint.read("seMetering", ["divisor"]), { divisor: 1000 });
		});

		it("continues in the present network when its coprocessor restarts by itself", async () => {
			watched.events.length = 0;
			network.chip.restart(START_WATCHDOG);
			await until(
				() => (network.chip.network === undefined ? true : undefined),
				() => "the chip restarts",
			);
			await until(
				async () => (await gateway.read("zigbee/config")).channel === 20 || undefined,
				() => "the other channel is shown",
			);
			const { pan_id } = await untilState(gateway, "joined");
			assert.equal(pan_id, 0x1a62);
		});

		if (leaves === "by its coordinator") {
			it("leaves when the coordinator requests it, and does not join again by itself", async () => {
				await watched.coordinator.removeAll();
				const config = await untilState(gateway, "not_joined");
				assert.deepEqual([config.joined, config.pan_id], [false, 0xffff]);
				assert.equal(network.chip.nv.network, undefined);
			});
			return;
		}

		it("leaves after a factory reset as soon as its unplugged coprocessor is back", async () => {
			await network.pull();
			await untilState(gateway, "silent");
			watched.events.length = 0;
			assert.equal((await gateway.post("system/factory_reset", {})).status, 200);
			await gateway.loginAfterReboot();
			assert.equal((await gateway.read("zigbee/config")).joined, false);
			await network.plugIn();
			await untilState(gateway, "not_joined");
			assert.equal((await watched.take("left")).device, NODE);
			assert.equal(network.chip.nv.network, undefined);
		});
	});
}

describe("The simulated coprocessor of npm start", function () {
	this.timeout(60_000);
	let gateway: ProcessGateway;

	before(async () => {
		gateway = await ProcessGateway.loggedIn("node", { hasZigbee: true });
	});
	after(() => gateway?.stop());

	it("is attached, and is attached again after it was killed", async () => {
		await untilState(gateway, "not_joined");
		const [, port] = /a coordinator connects to (tcp:\/\/127\.0\.0\.1:\d+)/.exec(gateway.diagnosis) ?? [];
		assert.ok(port, gateway.diagnosis);
		const children = readFileSync(`/proc/${gateway.pid}/task/${gateway.pid}/children`, "utf8").trim().split(" ");
		const pid = children.find((child) => readFileSync(`/proc/${child}/cmdline`, "utf8").includes("tools/zigbee.js"));
		process.kill(Number(pid), "SIGKILL");
		assert.equal((await untilState(gateway, "silent")).joined, false);
		await untilState(gateway, "not_joined");
	});
});
