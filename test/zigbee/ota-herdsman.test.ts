/** A firmware update over the simulated network by zigbee-herdsman, Zigbee2MQTT's library. */
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { makeSimulatorImage } from "../../hosts/node/simulator-image.js";
import { SLOTS } from "../../hosts/simulated/boot-loader.js";
import { publicKeyOf } from "../../tools/ota/keys.js";
import { Air } from "../../tools/zigbee/air.js";
import { Coordinator, type CoordinatorEvent } from "../../tools/zigbee/coordinator.js";
import { NETWORK } from "../../tools/zigbee/coordinator-network.js";
import { SimulatedCoprocessor, START_WATCHDOG } from "../../tools/zigbee/coprocessor.js";
import { formedCoordinator, NVMemory } from "../../tools/zigbee/nvram.js";
import { serveTCP, type TCPPort } from "../../tools/zigbee/tcp-port.js";
import { ProcessGateway } from "../api/process-gateway.js";
import { makeFile, SIGNER } from "../update/firmware-files.js";

const VERSION = "9.9.45-zigbee";
const BUILD = 45;
/** An image of two pieces. */
const IMAGE = makeSimulatorImage({ version: VERSION, build: BUILD, size: 85_000 });
/** Identity of the simulator (`npm start`). */
const BENCH = Object.freeze({ deviceId: 0, chip: "pc" });
const FILE = makeFile(IMAGE, { ...BENCH, version: VERSION, buildNumber: BUILD });
const LIMIT_MS = 60_000;

describe("A firmware file sent by zigbee-herdsman", function () {
	this.timeout(LIMIT_MS);
	const folder = mkdtempSync(join(tmpdir(), "gateway-zigbee-"));
	const ports: TCPPort[] = [];
	let gateway: ProcessGateway;
	let chip: SimulatedCoprocessor;
	let coordinator: Coordinator;
	let result = "";
	let blocks = 0;

	before(async () => {
		const air = new Air();
		const [ours, theirs] = ["020b0000004b1200", "010a0000004b1200"].map((hex) => Buffer.from(hex, "hex"));
		chip = new SimulatedCoprocessor({ air, ieee: ours, nv: new NVMemory() });
		chip.onFrame = (isFromHost, { subsystem, command, data }) => {
			// AF_DATA_REQUEST with an Image Block Request: the cluster is at 4, the frame follows a header of 10 bytes.
			const isOTA = isFromHost && subsystem === 4 && command === 1 && data.readUInt16LE(4) === 0x0019;
			if (isOTA && data[12] === 3) blocks++;
		};
		const stick = new SimulatedCoprocessor({ air, ieee: theirs, nv: formedCoordinator(theirs, NETWORK) });
		for (const one of [chip, stick]) ports.push(await serveTCP(one, 0));
		const key = join(folder, "key.pem");
		writeFileSync(key, publicKeyOf(SIGNER.point).export({ type: "spki", format: "pem" }));
		const args = ["--update-key", key, "--zigbee", `tcp://127.0.0.1:${ports[0].port}`];
		gateway = await ProcessGateway.start("node", { args });
		const onEvent = (event: CoordinatorEvent) => {
			if (event.event === "updated") result = event.problem || event.versions;
		};
		coordinator = new Coordinator({ port: `tcp://127.0.0.1:${ports[1].port}`, folder, onEvent });
		await coordinator.start();
		await gateway.login();
		await coordinator.permitJoin(254);
		assert.equal((await gateway.post("zigbee/reset")).status, 200);
		await until(() => coordinator.devices.some(({ interviewState }) => interviewState === "SUCCESSFUL"));
	});

	after(async () => {
		await coordinator?.stop();
		await gateway?.stop();
		for (const port of ports) await port.close();
		rmSync(folder, { recursive: true, force: true });
	});

	async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
		for (let waitedMs = 0; !(await condition()); waitedMs += 50) {
			assert.ok(waitedMs < LIMIT_MS, gateway.diagnosis);
			await sleep(50);
		}
	}

	const status = () => gateway.read("system/status");

	/** Result of an update with this file. */
	async function update(file: Uint8Array): Promise<string> {
		const path = join(folder, "file.ota");
		writeFileSync(path, file);
		await coordinator.update(path);
		return result;
	}

	it("is rejected, as an upload over HTTP would be, if it is for another chip, and the coordinator is informed", async () => {
		const file = makeFile(IMAGE, { ...BENCH, buildNumber: BUILD, chip: "esp32" });
		assert.match(await update(file), /INVALID_IMAGE/);
		const { ota_last_error, ota_state } = await status();
		assert.deepEqual([ota_state, ota_last_error], ["idle", "ota_wrong_device"]);
	});

	it("is in the slot byte for byte, and runs, although chip and gateway restarted in the middle", async () => {
		const updated = update(FILE);
		const reached = (bytes: number) => until(async () => ((await status()).ota_received as number) >= bytes);
		await reached(5000);
		chip.restart(START_WATCHDOG);
		await reached(FILE.length * 0.84);
		blocks = 0;
		await gateway.killed();
		await gateway.login();
		await gateway.rebooted();
		assert.ok(blocks > 0 && blocks < (FILE.length / 50) * 0.4, `${blocks} blocks after the restart`);
		// zigbee-herdsman waits two minutes for an announcement, which a rejoining router does not send.
		const [device] = coordinator.devices;
		device.emit("deviceAnnounce", { device });
		assert.match(await updated, /^\d+ to 45$/);
		await gateway.login();
		const version = await gateway.read("system/version");
		assert.deepEqual([(version.firmware as { version: string }).version, version.build_number], [VERSION, BUILD]);
		assert.equal((await status()).ota_state, "trial");
		const slot = readFileSync(join(gateway.stateFolder, "partitions", `${SLOTS[1]}.bin`));
		assert.equal(Buffer.compare(slot.subarray(0, IMAGE.length), IMAGE), 0);
		const endpoint = device.getEndpoint(1)!;
		await until(async () => (await status()).zigbee_state === "joined");
		const names = ["currentFileVersion", "imageUpgradeStatus", "manufacturerId"] as const;
		// These are attributes of an OTA client, so the request has the direction from server to client.
		const read = await endpoint.read("genOta", [...names], { direction: 1 });
		assert.deepEqual(read, { currentFileVersion: BUILD, imageUpgradeStatus: 0, manufacturerId: 0xfff1 });
	});
});
