/**
 * The Zigbee bridge in XS on Linux with the device's memory, joined to a coordinator like Zigbee2MQTT: it reports while
 * the longest capture is stored, a connectDLMS, DLMS meter is read with keys, events are followed, the page is loaded, and a
 * firmware is uploaded. The titles show the most memory in use.
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { IMAGE_CHIP, IMAGE_DEVICE_ID } from "../../hosts/simulated/image.js";
import { publicKeyOf } from "../../tools/ota/keys.js";
import type { CoordinatorEvent } from "../../tools/zigbee/coordinator.js";
import { type Memory, ProcessGateway } from "../api/process-gateway.js";
import { makeFile, makeImage, SIGNER } from "../update/firmware-files.js";
import { iecVectors } from "../vectors.js";
import { ANY, BOOT_ZIGBEE, connectDLMS, JOINED_ZIGBEE, probe } from "./memory-limits.js";
import { ZigbeeNetwork } from "./zigbee-network.js";

const longest = iecVectors().reduce((a, b) => (a.telegram.length < b.telegram.length ? b : a));
const WAIT_MS = 60_000;
const IMAGE_SIZE = 400_000;
const PIECE = 16_384;

describe("The Zigbee bridge on Linux", function () {
	this.timeout(600_000);
	const folder = mkdtempSync(join(tmpdir(), "zigbee-"));
	const network = new ZigbeeNetwork();
	let events: CoordinatorEvent[];
	let gateway: ProcessGateway;

	const until = async (what: string, condition: () => boolean | Promise<boolean>): Promise<void> => {
		const limitMs = Date.now() + WAIT_MS;
		while (!(await condition())) {
			assert.ok(Date.now() < limitMs, `${what}; so far: ${JSON.stringify(events)}`);
			await sleep(100);
		}
	};
	const stateOf = async () => (await gateway.read("zigbee/config")).state;

	before(async () => {
		const key = join(folder, "key.pem");
		writeFileSync(key, publicKeyOf(SIGNER.point).export({ type: "spki", format: "pem" }));
		await network.start();
		({ events } = network.watched);
		const args = ["--zigbee", network.path, "--update-key", key];
		gateway = await ProcessGateway.start("linux", { mode: "ap", args });
	});
	after(async () => {
		await gateway?.stop();
		await network.stop();
		rmSync(folder, { recursive: true });
	});

	it("takes little memory after boot, with a coprocessor that is in no network", async function () {
		await sleep(2000);
		await probe(gateway, this, BOOT_ZIGBEE);
	});

	it("takes little memory after joining a network", async function () {
		await gateway.login();
		await network.watched.coordinator.permitJoin(200);
		assert.equal((await gateway.post("zigbee/reset")).status, 200);
		await until("joined", async () => (await stateOf()) === "joined");
		await until("configured", () => events.some(({ event }) => event === "configured"));
		assert.deepEqual(
			events.filter((event) => event.event === "configured").map((event) => event.problem),
			[""],
		);
		await sleep(2000);
		await probe(gateway, this, JOINED_ZIGBEE);
	});

	it("reports during readouts, event streams, page loads and an upload", async function () {
		let highest: Memory = { slots: 0, chunks: 0, stack: 0, stackLimit: 0 };
		const recordMemory = async () => {
			const { slots, chunks, stack, stackLimit } = await gateway.memory();
			highest = {
				slots: Math.max(highest.slots, slots),
				chunks: Math.max(highest.chunks, chunks),
				stack: Math.max(highest.stack, stack),
				stackLimit,
			};
		};
		await gateway.connectMeter({ telegram: longest.telegram });
		await gateway.read("iec62056/read");
		await until("values", () => events.some(({ event }) => event === "values"));
		await connectDLMS(gateway);
		const follower = gateway.follow({ secure: false });
		const file = makeFile(makeImage(IMAGE_SIZE), { packed: false, chip: IMAGE_CHIP, deviceId: IMAGE_DEVICE_ID });
		const [host, port] = gateway.authority(false).split(":");
		const headers = { Authorization: `Bearer ${gateway.token}`, "Content-Length": file.length };
		const upload = request({ host, port, method: "POST", path: "/api/v1/system/ota", headers, agent: false });
		upload.on("error", () => {});
		events.length = 0;
		let isRead = false;
		const reading = gateway.request("GET", "iec62056/read", { secure: false }).then(({ status, text }) => {
			assert.equal(status, 200, text);
			isRead = true;
		});
		for (let at = 0; !isRead; at += PIECE) {
			if (at + 2 * PIECE < file.length) upload.write(file.subarray(at, at + PIECE));
			await sleep(150);
			await recordMemory();
			assert.equal((await gateway.request("GET", "/", { secure: false })).status, 200);
		}
		await reading;
		await until("values of the other meter", () => events.some(({ event }) => event === "values"));
		await recordMemory();
		upload.destroy();
		follower.leave();
		this.test!.title +=
			` (${highest.slots} slots, ${highest.chunks} bytes, stack ${highest.stack} of ${highest.stackLimit})`;
		assert.ok(highest.slots <= ANY.slots && highest.chunks <= ANY.chunks);
		assert.equal(await stateOf(), "joined");
	});

	it("recovers after its coprocessor was unplugged, within the memory limit", async function () {
		await network.pull();
		await until("silent", async () => (await stateOf()) === "silent");
		await network.plugIn();
		await until("joined", async () => (await stateOf()) === "joined");
		await probe(gateway, this, ANY);
	});
});
