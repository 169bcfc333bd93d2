/** Security updates that install themselves: only those, only at night, a day later, only with the owner's permission. */

import assert from "node:assert/strict";
import type { VirtualClient } from "../../hosts/node/virtual-network.js";
import { SECURITY_UPDATE_HOURS, SECURITY_UPDATES } from "../../modules/product/product.js";
import { FRONT_LENGTH } from "../../modules/update/front.js";
import type { JSONObject } from "../api/gateway.js";
import { lastingPair } from "../api/server-identity.js";
import { type GatewayOptions, START_UTC_MS, VirtualGateway } from "../api/virtual-gateway.js";
import { makeFile, makeImage, makeSlots, newSigner } from "./firmware-files.js";

const ADDRESS = "192.0.2.9";
const HOST = "firmware.example";
const SETTINGS = { upgrade_url: `https://${HOST}/{board}.ota`, security_updates: true };
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const image = makeImage();
const SECURITY = makeFile(image, { securityLevel: 1 });
const { certificate } = lastingPair("any");

describe("Security updates by themselves", () => {
	let gateway: VirtualGateway;
	let file: Uint8Array;
	/** Times of requests for the whole file, ms since the start. */
	let downloads: number[];

	async function start(options: GatewayOptions = {}): Promise<void> {
		file = SECURITY;
		downloads = [];
		gateway = new VirtualGateway("client", {
			utcMs: START_UTC_MS,
			slots: makeSlots(),
			radio: false,
			...options,
		});
		gateway.onWorld = (world) => {
			world.names.set(HOST, ADDRESS);
			const onConnection = (peer: VirtualClient) => {
				peer.onReceived = () => {
					const text = Buffer.from(peer.received).toString("latin1");
					if (peer.isClosed || !text.endsWith("\r\n\r\n")) return;
					const isFront = text.includes("bytes=0-287");
					if (!isFront) downloads.push((world.clock.utcMs() ?? 0) - START_UTC_MS);
					const body = isFront ? file.subarray(0, FRONT_LENGTH) : file;
					const status = isFront ? "206 Partial Content" : "200 OK";
					peer.send(Buffer.concat([Buffer.from(`HTTP/1.1 ${status}\r\nContent-Length: ${body.length}\r\n\r\n`), body]));
				};
			};
			world.servers.serve(ADDRESS, 443, { certificate, onConnection });
		};
		gateway.onWorld(gateway.world);
		await gateway.login();
	}
	afterEach(() => gateway.stop());

	const set = (body: JSONObject) => gateway.write("system/upgrade", body);
	const versionOf = async () => {
		await gateway.login();
		return (await gateway.read("system/version")).firmware.version;
	};
	const nightOf = (ms: number) => (START_UTC_MS + ms) % DAY_MS;

	it("are off at first in this build", async () => {
		await start();
		assert.equal(SECURITY_UPDATES, false);
		assert.equal((await gateway.read("system/upgrade")).security_updates, false);
		await set({ ...SETTINGS, security_updates: false });
		await gateway.pass(4 * DAY_MS);
		assert.deepEqual(downloads, []);
	});

	it("are installed in the night after the waiting time", async () => {
		await start();
		await set(SETTINGS);
		await gateway.pass(SECURITY_UPDATE_HOURS * HOUR_MS);
		assert.deepEqual(downloads, []);
		for (let hours = 0; hours < 24 && downloads.length === 0; hours++) await gateway.pass(HOUR_MS);
		assert.equal(downloads.length, 1);
		await gateway.rebooted();
		assert.ok(nightOf(downloads[0]) >= 2 * HOUR_MS && nightOf(downloads[0]) < 5 * HOUR_MS, String(downloads));
		assert.equal(await versionOf(), "1.2.3-test");
		await gateway.pass(2 * DAY_MS);
		assert.equal(downloads.length, 1);
	});

	it("wait the same time if the gateway restarts meanwhile", async () => {
		await start();
		await set(SETTINGS);
		await gateway.pass(10_000);
		await gateway.restart();
		await gateway.pass(2 * DAY_MS);
		assert.equal(downloads.length, 1);
	});

	it("do not include other updates", async () => {
		await start();
		file = makeFile(image);
		await set(SETTINGS);
		await gateway.pass(4 * DAY_MS);
		await gateway.login();
		assert.equal((await gateway.read("system/status")).upgrade_version, "1.2.3-test");
		assert.deepEqual(downloads, []);
	});

	it("are not installed after the owner has turned them off", async () => {
		await start();
		await set(SETTINGS);
		await gateway.pass(10 * HOUR_MS);
		await gateway.login();
		await set({ security_updates: false });
		await gateway.pass(2 * DAY_MS);
		assert.deepEqual(downloads, []);
	});

	it("pass every check of an upload, and are tried again at night after a failure", async () => {
		await start();
		await set(SETTINGS);
		await gateway.pass(10_000);
		file = makeFile(image, { securityLevel: 1, signer: newSigner() });
		await gateway.pass(2 * DAY_MS);
		assert.equal(downloads.length, 3);
		assert.ok(downloads.every((ms) => nightOf(ms) >= 2 * HOUR_MS && nightOf(ms) < 5 * HOUR_MS));
		await gateway.login();
		assert.equal((await gateway.read("system/status")).ota_last_error, "ota_bad_signature");
		assert.equal(await versionOf(), "0.0.0");
	});
});
