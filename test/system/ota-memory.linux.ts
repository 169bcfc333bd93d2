/**
 * An upload of a firmware as large as the slot, in XS on Linux with the device's memory, while the longest capture is
 * stored, a connectDLMS, DLMS meter is read with keys, events are followed, and the page is loaded. All succeeds, and the firmware
 * restarts into the new one. The titles show the most memory in use.
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { type ClientRequest, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { SLOT_SIZE } from "../../hosts/simulated/boot-loader.js";
import { IMAGE_CHIP, IMAGE_DEVICE_ID } from "../../hosts/simulated/image.js";
import { publicKeyOf } from "../../tools/ota/keys.js";
import { type Memory, ProcessGateway } from "../api/process-gateway.js";
import { makeFile, makeImage, SIGNER, VERSION } from "../update/firmware-files.js";
import { iecVectors } from "../vectors.js";
import { ANY, connectDLMS, higher, probe } from "./memory-limits.js";

/** Size of a piece before each pause, bytes: small enough that a readout ends before the upload. */
const PIECE = 65_536;
const SLOW_PIECE = 16_384;
const PAUSE_MS = 150;

const longest = iecVectors().reduce((a, b) => (a.telegram.length < b.telegram.length ? b : a));

describe("An upload of a full-size firmware on Linux", function () {
	this.timeout(600_000);
	let folder = "";
	let gateway: ProcessGateway;
	let highest: Memory = { slots: 0, chunks: 0, stack: 0, stackLimit: 0 };

	before(async () => {
		folder = mkdtempSync(join(tmpdir(), "update-"));
		const key = join(folder, "key.pem");
		writeFileSync(key, publicKeyOf(SIGNER.point).export({ type: "spki", format: "pem" }));
		gateway = await ProcessGateway.start("linux", { mode: "ap", args: ["--update-key", key] });
	});
	after(async () => {
		await gateway?.stop();
		rmSync(folder, { recursive: true });
	});

	function begin(length: number): ClientRequest {
		const [host, port] = gateway.authority(false).split(":");
		const headers = { Authorization: `Bearer ${gateway.token}`, "Content-Length": length };
		return request({ host, port, method: "POST", path: "/api/v1/system/ota", headers, agent: false });
	}

	const answerTo = (upload: ClientRequest): Promise<[number | undefined, string]> =>
		new Promise((resolve, reject) => {
			upload.on("error", reject);
			upload.on("response", (response) => {
				let body = "";
				response.on("data", (data: Buffer) => {
					body += data.toString();
				});
				response.on("end", () => resolve([response.statusCode, body]));
			});
		});

	async function recordMemory(): Promise<void> {
		highest = higher(highest, await gateway.memory());
	}

	for (const packed of [true, false]) {
		const name = packed ? "packed" : "plain";
		it(`continues during readouts, event streams and page loads, ${name}`, async function () {
			highest = { slots: 0, chunks: 0, stack: 0, stackLimit: 0 };
			await gateway.login();
			await gateway.write("meter/protocol", { protocol: "iec62056" });
			await gateway.connectMeter({ telegram: longest.telegram });
			await gateway.read("iec62056/read");
			await connectDLMS(gateway);
			const file = makeFile(makeImage(SLOT_SIZE), { packed, chip: IMAGE_CHIP, deviceId: IMAGE_DEVICE_ID });
			const follower = gateway.follow({ secure: false });
			const upload = begin(file.length);
			const answer = answerTo(upload);
			let at = 0;
			const send = (count: number) => {
				upload.write(file.subarray(at, at + count));
				at += count;
			};
			send(PIECE);
			await sleep(500);
			assert.equal((await gateway.read("system/status")).ota_state, "receiving");
			let isRead = false;
			const reading = gateway.request("GET", "iec62056/read", { secure: false }).then(({ status, text }) => {
				assert.equal(status, 200, text);
				isRead = true;
			});
			// The last piece waits for the readout, which the restart would end.
			while (!isRead) {
				send(file.length - at > 2 * PIECE ? SLOW_PIECE : 1);
				await sleep(PAUSE_MS);
				await recordMemory();
				assert.equal((await gateway.request("GET", "/", { secure: false })).status, 200);
			}
			await reading;
			send(file.length - at);
			upload.end();
			assert.deepEqual(await answer, [200, ""]);
			await recordMemory();
			follower.leave();
			this.test!.title +=
				` (${highest.slots} slots, ${highest.chunks} bytes, stack ${highest.stack} of ${highest.stackLimit})`;
			assert.ok(highest.slots <= ANY.slots && highest.chunks <= ANY.chunks);
			await gateway.loginAfterReboot();
			const { firmware } = await gateway.read("system/version");
			assert.equal(firmware.version, VERSION);
			assert.equal((await gateway.read("system/status")).ota_state, "trial");
			await probe(gateway, this, ANY);
			// A requested restart confirms the firmware.
			await gateway.post("system/reboot");
			await gateway.rebooted();
		});
	}
});
