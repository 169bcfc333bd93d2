/**
 * Power cuts of the whole gateway during an update: which version runs afterwards, its settings, and the next update.
 */
import assert from "node:assert/strict";
import { SeededRandom } from "../../hosts/node/random.js";
import { encodeRequest } from "../../hosts/node/virtual-request.js";
import { LAN_CLIENT, START_UTC_MS, VirtualGateway } from "../api/virtual-gateway.js";
import { makeFile, makeImage, makeSlots, VERSION } from "./firmware-files.js";

const FILE = makeFile(makeImage(18_000));
const SEGMENT = 1460;
/** Pause that lets the gateway process the bytes, ms. */
const PAUSE_MS = 50;
/** Time within which a new firmware is confirmed, ms. */
const TRIAL_MS = 70_000;
const SETTING = 2400;

/**
 * Runs the update once for each number in `operations`, and cuts the power in the flash operation with that number.
 * Returns how many cuts interrupted the update. Throws an Error that names the cut if a check fails.
 */
export async function cutGateway(seed: number, operations: readonly number[]): Promise<number> {
	const random = new SeededRandom(seed);
	let cuts = 0;
	for (const operation of operations) {
		const bytes = random.below(4096);
		try {
			if (await cutOnce(operation, bytes)) cuts++;
		} catch (error) {
			throw new Error(`SEED=${seed}: the power was cut in operation ${operation}, ${bytes} bytes`, { cause: error });
		}
	}
	return cuts;
}

/** Returns false if the update had finished before the cut. */
async function cutOnce(operation: number, bytes: number): Promise<boolean> {
	const slots = makeSlots();
	const gateway = new VirtualGateway("client", { utcMs: START_UTC_MS, slots });
	try {
		await gateway.login();
		await gateway.write("iec62056/config", { baudrate_max: SETTING });
		const { firmwareVersion } = gateway.world.info;
		slots.flash.cutPowerAt(operation, bytes);
		send(gateway, () => !slots.flash.hasPower);
		const isCut = !slots.flash.hasPower;
		slots.powerUp();
		await gateway.losePower(1000);
		assert.equal(gateway.world.info.firmwareVersion, isCut ? firmwareVersion : VERSION);
		await gateway.login();
		assert.equal((await gateway.read("iec62056/config")).baudrate_max, SETTING);
		if (!isCut) return false;
		assert.equal((await gateway.read("system/status")).ota_state, "idle");
		assert.equal((await gateway.request("POST", "system/ota", { body: FILE })).status, 200);
		await gateway.rebooted();
		await gateway.pass(TRIAL_MS);
		await gateway.login();
		assert.equal((await gateway.read("system/status")).ota_state, "idle");
		await gateway.losePower(1000);
		assert.equal(gateway.world.info.firmwareVersion, VERSION);
		await gateway.login();
		assert.equal((await gateway.read("iec62056/config")).baudrate_max, SETTING);
		assert.deepEqual(slots.flash.mistakes, []);
		return true;
	} finally {
		await gateway.stop();
	}
}

/** Sends the file until the power is cut. */
function send(gateway: VirtualGateway, isOver: () => boolean): void {
	const { world, token } = gateway;
	const client = world.connect(true, LAN_CLIENT);
	const headers = { Authorization: `Bearer ${token}`, "Content-Length": String(FILE.length) };
	client.send(encodeRequest("/api/v1/system/ota", { method: "POST", headers }));
	for (let at = 0; at < FILE.length + SEGMENT && !isOver(); at += SEGMENT) {
		client.send(FILE.slice(at, at + SEGMENT));
		world.advance(PAUSE_MS);
	}
}
