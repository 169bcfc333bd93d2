/** Signed settings files on an engine. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FETCH_COST } from "../../modules/parts/provision/file-source.js";
import { publicKeyOf } from "../../tools/ota/keys.js";
import { isError, type Reply } from "../api/gateway.js";
import { type EngineName, ProcessGateway } from "../api/process-gateway.js";
import { serverIdentity } from "../api/server-identity.js";
import { OWN_CERTIFICATE } from "../hub/bed.js";
import { ANY, probe } from "../system/memory-limits.js";
import { largestSettings, newSigner, SIGNER, signed } from "./signed.js";

const HOST = "127.0.0.1";
export const CERTIFICATE = Buffer.from(OWN_CERTIFICATE.certificate).toString();

/** Writes the public key of SIGNER into this folder, for `--settings-key`. */
export function settingsKeyFile(folder: string): string {
	const path = join(folder, "settings.pub");
	writeFileSync(path, publicKeyOf(SIGNER.point).export({ type: "spki", format: "pem" }));
	return path;
}

/** Sends a file until memory suffices. */
export async function sendFile(gateway: ProcessGateway, file: Uint8Array): Promise<Reply> {
	for (let i = 0; ; i++) {
		const reply = await gateway.post("provision/file", file);
		if (reply.status !== 503 || i === 20) return reply;
		await gateway.pass(500);
	}
}

export function provisionOn(engine: EngineName): void {
	describe(`Signed settings files on ${engine}`, function () {
		this.timeout(120_000);
		let folder = "";
		let gateway: ProcessGateway;

		before(async () => {
			folder = mkdtempSync(join(tmpdir(), "settings-"));
			gateway = await ProcessGateway.loggedIn(engine, { args: ["--settings-key", settingsKeyFile(folder)] });
		});
		after(async () => {
			await gateway?.stop();
			rmSync(folder, { recursive: true });
		});

		it("are applied at their greatest length, once, and stay after a restart", async function () {
			const file = signed(largestSettings(CERTIFICATE), 3);
			assert.equal(file.length, 4500);
			const reply = await sendFile(gateway, file);
			assert.equal(reply.status, 200, reply.text);
			const { enter_again, ignored } = JSON.parse(reply.text);
			assert.deepEqual([enter_again, ignored], [[], ["later"]]);
			if (engine === "linux") await probe(gateway, this, ANY);
			isError(await sendFile(gateway, file), 409, "provision_replay");
			isError(await sendFile(gateway, signed({}, 4, "", newSigner())), 400, "provision_bad_signature");
			await gateway.restartAndLogin();
			const { entries } = await gateway.read("dlms/obis");
			const { enabled, cert_set } = await gateway.read("mqtt");
			const { counter, state } = await gateway.read("provision");
			assert.deepEqual([entries.length, enabled, cert_set, counter, state], [24, true, true, 3, "applied"]);
		});

		it("are fetched over TLS from a server", async function () {
			const identity = serverIdentity(HOST);
			const server = createServer(identity).listen(0, HOST);
			try {
				await once(server, "listening");
				await gateway.write("mqtt", { enabled: false });
				await gateway.pass(3000);
				const before = engine === "linux" ? await gateway.memory() : undefined;
				const url = `https://${HOST}:${(server.address() as AddressInfo).port}/x.smgs`;
				const asked = once(server, "request");
				await gateway.write("provision", { url, cert: identity.cert });
				const [, response] = await asked;
				if (before !== undefined) {
					const { slots, chunks } = await probe(gateway, this, ANY);
					const [more, bytes] = [slots - before.slots, chunks - before.chunks];
					this.test!.title += ` (a fetch: ${more} slots, ${bytes} bytes)`;
					assert.ok(more <= FETCH_COST.slots && bytes <= FETCH_COST.chunkBytes, `${more} slots, ${bytes} bytes`);
				}
				response.end(signed(largestSettings(CERTIFICATE), 5));
				for (let i = 0; i < 20 && (await gateway.read("provision")).counter !== 5; i++) await gateway.pass(500);
				const { counter, state, url_state } = await gateway.read("provision");
				assert.deepEqual([counter, state, url_state], [5, "applied", "ok"]);
			} finally {
				server.closeAllConnections();
				server.close();
			}
		});
	});
}
