/**
 * Updates of the simulator or the firmware on Linux, in processes that are really killed: update, trial, confirmation,
 * rollback.
 */
import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { keySigner } from "../../tools/ota/keys.js";
import { makeSimulatorFile, type SimulatorFile } from "../../tools/ota/simulator-file.js";
import { ProcessGateway } from "../api/process-gateway.js";
import { byRun } from "../runs.js";

for (const engine of byRun({ test: ["node"], long: ["xs"], linux: ["linux"] })) {
	describe(`Updates of ${engine === "linux" ? "npm run linux" : `npm start -- --engine ${engine}`}`, function () {
		this.timeout(60_000);
		const folder = mkdtempSync(join(tmpdir(), "update-"));
		const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
		const signer = keySigner(privateKey);
		let gateway: ProcessGateway;

		before(async () => {
			const key = join(folder, "key.pem");
			writeFileSync(key, publicKey.export({ format: "pem", type: "spki" }));
			gateway = await ProcessGateway.start(engine, { args: ["--update-key", key] });
		});
		after(async function () {
			if (this.currentTest?.state === "failed") console.error(gateway?.diagnosis);
			await gateway?.stop();
			rmSync(folder, { recursive: true });
		});

		const fileOf = (version: string, more: Partial<SimulatorFile> = {}) =>
			makeSimulatorFile({ version, buildNumber: 1, securityLevel: 0, size: 300_000, signer, packed: true, ...more });

		/** Sends the first `length` bytes of the file; returns the reply's status if the file is complete. */
		function upload(file: Buffer, length = file.length): Promise<number> {
			return new Promise((resolve, reject) => {
				const sending = request(
					{
						...{ host: "127.0.0.1", port: gateway.httpsPort, path: "/api/v1/system/ota", method: "POST" },
						...{ rejectUnauthorized: false, agent: false },
						headers: { Authorization: `Bearer ${gateway.token}`, "Content-Length": String(file.length) },
					},
					(reply) => resolve(reply.resume().statusCode ?? 0),
				);
				sending.on("error", reject);
				sending.write(file.subarray(0, length));
				if (length === file.length) sending.end();
			});
		}

		/** Running version, state of updates, and their events since the last start. */
		async function state() {
			await gateway.login();
			const { firmware } = await gateway.read("system/version");
			const { ota_state, ota_last_error } = await gateway.read("system/status");
			return [firmware.version, ota_state, ota_last_error];
		}

		async function events(): Promise<string[]> {
			const log = await gateway.read("system/log");
			const logged: { event: string; detail: string }[] = log.events;
			return logged.filter(({ event }) => event.startsWith("update_")).map(({ event }) => event);
		}

		async function install(file: Buffer): Promise<void> {
			assert.equal(await upload(file), 200, gateway.diagnosis);
			await gateway.rebooted();
		}

		it("a new firmware starts on trial, and is confirmed when a user logs in and restarts it", async () => {
			await gateway.login();
			await install(fileOf("9.0.0-first"));
			assert.deepEqual(await state(), ["9.0.0-first", "trial", ""]);
			await gateway.untilNetwork(({ connected }) => connected);
			assert.equal(await upload(fileOf("9.0.1-too-soon")), 503);
			await gateway.post("system/reboot");
			await gateway.rebooted();
			assert.deepEqual(await state(), ["9.0.0-first", "idle", ""]);
			assert.deepEqual((await events()).slice(-1), ["update_confirmed"]);
		});

		it("killed during an upload, the gateway starts the old firmware", async () => {
			const file = fileOf("9.1.0-half", { size: 1_000_000 });
			const sent = upload(file, file.length >> 1).catch(() => "broken off");
			while ((await gateway.read("system/status")).ota_received < 100_000) await gateway.pass(20);
			await gateway.killed();
			assert.equal(await sent, "broken off");
			assert.deepEqual(await state(), ["9.0.0-first", "idle", ""]);
		});

		it("killed on trial, the gateway rolls back, and reports that until the next upload", async () => {
			await install(fileOf("9.2.0-killed"));
			assert.deepEqual(await state(), ["9.2.0-killed", "trial", ""]);
			await gateway.killed();
			assert.deepEqual(await state(), ["9.0.0-first", "idle", "rolled_back"]);
			assert.deepEqual((await events()).slice(-1), ["update_rolled_back"]);
		});

		it("a firmware that fails as soon as it starts is rolled back at once", async () => {
			await gateway.login();
			await install(fileOf("9.3.0-bad", { fault: "fails" }));
			assert.deepEqual(await state(), ["9.0.0-first", "idle", "rolled_back"]);
			await install(fileOf("9.4.0-good"));
			assert.deepEqual(await state(), ["9.4.0-good", "trial", ""]);
		});
	});
}
