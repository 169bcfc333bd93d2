/** The check for newer firmware over real HTTPS, made by the simulator in XS; the public server is a test server. */
import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { makeCertificate } from "../../hosts/node/self-signed.js";
import { makeSimulatorImage } from "../../hosts/node/simulator-image.js";
import { keySigner } from "../../tools/ota/keys.js";
import { makeFirmwareFile } from "../../tools/ota/make.js";
import { ProcessGateway } from "../api/process-gateway.js";

const LIMIT_MS = 60_000;
const POLL_MS = 100;

const keys = generateKeyPairSync("ec", { namedCurve: "P-256" });
const version = "9.9.999-test";
const image = makeSimulatorImage({ version, build: 999, size: 900_000 });
const file = makeFirmwareFile({
	image,
	version,
	buildNumber: 999,
	chip: "pc",
	deviceId: 0,
	securityLevel: 0,
	signer: keySigner(keys.privateKey),
});

describe("The check for newer firmware over real sockets", function () {
	this.timeout(2 * LIMIT_MS);
	const folder = mkdtempSync(join(tmpdir(), "notice-"));
	let gateway: ProcessGateway;
	let server: Server;
	let origin = "";
	const seen: string[] = [];

	before(async () => {
		const keyFile = join(folder, "key.pem");
		writeFileSync(keyFile, keys.publicKey.export({ type: "spki", format: "pem" }));
		// A certificate that is self-signed, expired, and for another name.
		const pair = makeCertificate({
			names: ["another.example"],
			validFromMs: Date.UTC(2020),
			validToMs: Date.UTC(2021),
		});
		server = createServer({ cert: Buffer.from(pair.certificate), key: Buffer.from(pair.key) }, (request, response) => {
			seen.push(`${request.method} ${request.url} ${request.headers.range} ${request.headers.authorization}`);
			if (request.url === "/latest/bench.ota") response.writeHead(302, { Location: "/signed?for=all" }).end();
			// This server does not support ranges.
			else response.writeHead(200, { "Content-Length": file.length }).end(file);
		});
		server.listen(0, "127.0.0.1");
		await once(server, "listening");
		origin = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
		gateway = await ProcessGateway.loggedIn("xs", { args: ["--update-key", keyFile] });
	});
	after(async () => {
		await gateway?.stop();
		server.closeAllConnections();
		server.close();
		rmSync(folder, { recursive: true });
	});

	it("finds the file after a redirect, on a server that has an untrusted certificate and sends the whole file", async () => {
		const until = async (isThere: () => Promise<boolean>) => {
			for (const endMs = Date.now() + LIMIT_MS; !(await isThere()); ) {
				assert.ok(Date.now() < endMs, gateway.diagnosis);
				await sleep(POLL_MS);
			}
		};
		await until(async () => (await gateway.read("network/status")).connected);
		await gateway.write("system/upgrade", { upgrade_url: `${origin}/latest/{board}.ota` });
		await until(async () => (await gateway.read("system/status")).upgrade_version === version);
		assert.deepEqual(seen, [
			"GET /latest/bench.ota bytes=0-287 undefined",
			"GET /signed?for=all bytes=0-287 undefined",
		]);
		assert.equal((await gateway.read("system/status")).ota_state, "idle");
	});
});
