/** Installations of newer firmware over real HTTPS; the server has an untrusted certificate. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { makeCertificate } from "../../hosts/node/self-signed.js";
import { SLOT_SIZE } from "../../hosts/simulated/boot-loader.js";
import { IMAGE_CHIP, IMAGE_DEVICE_ID } from "../../hosts/simulated/image.js";
import { publicKeyOf } from "../../tools/ota/keys.js";
import { type Memory, ProcessGateway } from "../api/process-gateway.js";
import { byRun } from "../runs.js";
import { ANY, higher } from "../system/memory-limits.js";
import { damaged, makeFile, makeImage, newSigner, SIGNER, VERSION } from "./firmware-files.js";

const LIMIT_MS = 120_000;
const POLL_MS = 100;
const OURS = { chip: IMAGE_CHIP, deviceId: IMAGE_DEVICE_ID };

const small = makeFile(makeImage(300_000), OURS);
/** A file with an image as large as the slot, and not packed, so that 1.9 MB are transferred. */
const large = makeFile(makeImage(SLOT_SIZE), { ...OURS, packed: false });

type Reply = (request: IncomingMessage, response: ServerResponse, from: number) => void;

/** Sends the requested part of a file. */
const whole =
	(file: Uint8Array): Reply =>
	(_request, response, from) => {
		response.writeHead(from > 0 ? 206 : 200, { "Content-Length": file.length - from }).end(file.subarray(from));
	};

for (const engine of byRun({ test: ["xs"], linux: ["linux"] })) {
	describe(`An installation from a server over HTTPS (${engine})`, function () {
		this.timeout(4 * LIMIT_MS);
		const folder = mkdtempSync(join(tmpdir(), "download-"));
		let gateway: ProcessGateway;
		let server: Server;
		let origin = "";
		let reply: Reply = whole(small);
		let requests = 0;

		before(async () => {
			const keyFile = join(folder, "key.pem");
			writeFileSync(keyFile, publicKeyOf(SIGNER.point).export({ type: "spki", format: "pem" }));
			const pair = makeCertificate({
				names: ["another.example"],
				validFromMs: Date.UTC(2020),
				validToMs: Date.UTC(2021),
			});
			server = createServer(
				{ cert: Buffer.from(pair.certificate), key: Buffer.from(pair.key) },
				(request, response) => {
					const [, first, last] = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range!)!;
					// The check for newer firmware requests only the front of the file.
					if (last !== "") whole(small)(request, response, 0);
					else {
						requests++;
						reply(request, response, Number(first));
					}
				},
			);
			server.listen(0, "127.0.0.1");
			await once(server, "listening");
			origin = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
			gateway = await ProcessGateway.loggedIn(engine, { args: ["--update-key", keyFile] });
			await until(async () => (await gateway.read("network/status")).connected);
			await gateway.write("system/upgrade", { upgrade_url: `${origin}/{board}.ota` });
			await until(async () => (await gateway.read("system/status")).upgrade_version === VERSION);
		});
		after(async () => {
			await gateway?.stop();
			server.closeAllConnections();
			server.close();
			rmSync(folder, { recursive: true });
		});

		async function until(isThere: () => Promise<boolean>): Promise<void> {
			for (const endMs = Date.now() + LIMIT_MS; !(await isThere()); ) {
				assert.ok(Date.now() < endMs, gateway.diagnosis);
				await sleep(POLL_MS);
			}
		}

		/** Starts an installation; returns `ota_last_error` of its failure. */
		async function failure(given: Reply): Promise<string> {
			reply = given;
			requests = 0;
			assert.equal((await gateway.post("system/upgrade/install")).status, 200);
			await until(async () => (await gateway.read("system/status")).ota_state === "idle");
			return (await gateway.read("system/status")).ota_last_error;
		}

		for (const [what, given, code] of [
			["for another board", whole(makeFile(makeImage(), { ...OURS, deviceId: 77 })), "ota_wrong_device"],
			["with a foreign signature", whole(makeFile(makeImage(), { ...OURS, signer: newSigner() })), "ota_bad_signature"],
			["that is damaged", whole(damaged(small, small.length - 5000)), "ota_invalid_image"],
			["that is truncated", whole(small.subarray(0, small.length - 5000)), "ota_invalid_image"],
			[
				"that moved to plain HTTP",
				(_: IncomingMessage, response: ServerResponse) =>
					void response.writeHead(302, { Location: "http://127.0.0.1/x.ota" }).end(),
				"ota_not_found",
			],
			[
				"that is missing",
				(_: IncomingMessage, response: ServerResponse) => void response.writeHead(404).end("nothing"),
				"ota_not_found",
			],
		] as const) {
			it(`refuses a file ${what}`, async () => {
				assert.equal(await failure(given), code);
			});
		}

		it("gives up when the server disappears in the middle of each reply", async () => {
			const code = await failure((request, response, from) => {
				response.writeHead(from > 0 ? 206 : 200, { "Content-Length": small.length - from });
				response.write(small.subarray(from, from + 20_000), () => setTimeout(() => request.socket.destroy(), 200));
			});
			assert.deepEqual([code, requests], ["ota_interrupted", 4]);
		});

		it("installs 1.9 MB from a slow server that breaks off once, with no more memory than an upload takes", async function () {
			let highest: Memory = { slots: 0, chunks: 0, stack: 0, stackLimit: 0 };
			reply = (request, response, from) => {
				response.writeHead(from > 0 ? 206 : 200, { "Content-Length": large.length - from });
				if (from > 0) {
					response.end(large.subarray(from));
					return;
				}
				let at = 0;
				const next = () => {
					if (at >= 600_000) {
						request.socket.destroy();
						return;
					}
					response.write(large.subarray(at, at + 20_000));
					at += 20_000;
					setTimeout(next, 50);
				};
				next();
			};
			requests = 0;
			assert.equal((await gateway.post("system/upgrade/install")).status, 200);
			let received = 0;
			let state = "";
			const states = new Set<string>();
			while (state !== "restarting") {
				const status = await gateway.read("system/status");
				state = status.ota_state;
				states.add(state);
				assert.equal(status.ota_last_error, "", gateway.diagnosis);
				if (state === "receiving") {
					assert.ok(status.ota_received >= received, `${status.ota_received} after ${received}`);
					received = status.ota_received;
				}
				if (engine === "linux") highest = higher(highest, await gateway.memory());
				await sleep(20);
			}
			assert.equal(requests, 2);
			assert.ok(received > 600_000, String(received));
			assert.ok(states.has("receiving"), [...states].join());
			if (engine === "linux") {
				this.test!.title += ` (${highest.slots} slots, ${highest.chunks} bytes, stack ${highest.stack})`;
				assert.ok(highest.slots <= ANY.slots && highest.chunks <= ANY.chunks);
			}
			await gateway.loginAfterReboot();
			const { firmware } = await gateway.read("system/version");
			assert.equal(firmware.version, VERSION);
			assert.equal((await gateway.read("system/status")).ota_state, "trial");
		});
	});
}
