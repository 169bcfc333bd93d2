/** A slowly sent body has no effect if its token is revoked before the end. Runs in virtual time. */
import assert from "node:assert/strict";
import type { VirtualClient } from "../../hosts/node/virtual-network.js";
import { encodeRequest } from "../../hosts/node/virtual-request.js";
import { make } from "../hosts/openssl.js";
import { makeFile, makeImage, makeSlots, VERSION } from "../update/firmware-files.js";
import { PASSWORD, succeeded } from "./gateway.js";
import { LAN_CLIENT, START_UTC_MS, VirtualGateway } from "./virtual-gateway.js";

const FIRMWARE = makeFile(makeImage(300_000));

describe("A request with a token that is revoked before the body is complete", () => {
	let gateway: VirtualGateway;

	beforeEach(async () => {
		gateway = await VirtualGateway.loggedIn("client", { utcMs: START_UTC_MS, slots: makeSlots() });
	});
	afterEach(() => gateway.stop());

	function begin(path: string, body: Uint8Array, count: number, token: string): VirtualClient {
		const client = gateway.world.connect(true, LAN_CLIENT);
		const headers = { Authorization: `Bearer ${token}`, "Content-Length": String(body.length) };
		client.send(encodeRequest(`/api/v1/${path}`, { method: "POST", headers }));
		client.send(body.subarray(0, count));
		gateway.world.advance(2000);
		return client;
	}

	function isRefused(client: VirtualClient, rest: Uint8Array): void {
		client.send(rest);
		const reply = gateway.world.awaitReply(client);
		assert.deepEqual([reply.status, JSON.parse(reply.text).error], [401, "unauthorized"]);
		assert.match(reply.headers.get("www-authenticate") ?? "", /^Bearer /);
		client.close();
		gateway.world.advance(1000);
	}

	/** Ways to revoke a token. Each one makes a token and returns it with a function that revokes it. */
	const WAYS: Record<string, () => Promise<{ token: string; revoke: () => Promise<void> }>> = {
		"deleting the token": async () => {
			const { id, token } = await gateway.write("system/tokens", { name: "long" });
			const revoke = async () => assert.equal((await gateway.request("DELETE", `system/tokens/${id}`)).status, 200);
			return { token, revoke };
		},
		"a logout": async () => {
			const { token } = gateway;
			await gateway.login();
			const revoke = async () => assert.equal((await gateway.post("system/logout", undefined, { token })).status, 200);
			return { token, revoke };
		},
		"ending the session": async () => {
			const { token } = gateway;
			await gateway.login();
			const revoke = async () => {
				const { sessions } = await gateway.read("system/sessions");
				await gateway.request("DELETE", `system/sessions/${sessions[0].id}`);
			};
			return { token, revoke };
		},
		"a change of the password": async () => {
			const { token } = gateway;
			const revoke = async () => {
				const body = { old_password: PASSWORD, new_password: "another password" };
				assert.equal((await gateway.post("system/password", body, { token: null })).status, 200);
				const login = { username: "admin", password: "another password" };
				gateway.token = succeeded(await gateway.post("system/login", login, { token: null })).token;
			};
			return { token, revoke };
		},
	};

	for (const [way, prepare] of Object.entries(WAYS)) {
		it(`installs no firmware after ${way}, and the next file is accepted`, async () => {
			const { token, revoke } = await prepare();
			// The token is revoked in the middle of the file.
			const client = begin("system/ota", FIRMWARE, 100_000, token);
			assert.equal((await gateway.read("system/status")).ota_state, "receiving");
			await revoke();
			isRefused(client, FIRMWARE.subarray(100_000));
			const { ota_state, ota_last_error } = await gateway.read("system/status");
			assert.deepEqual([ota_state, ota_last_error], ["idle", "ota_interrupted"]);
			assert.equal((await gateway.request("POST", "system/ota", { body: FIRMWARE })).status, 200);
			await gateway.rebooted();
			assert.equal(gateway.world.info.firmwareVersion, VERSION);
		});
	}

	it("installs no firmware even if only the last byte or the last chunk was missing", async () => {
		const { token, revoke } = await WAYS["deleting the token"]();
		const running = gateway.world.info.firmwareVersion;
		const client = begin("system/ota", FIRMWARE, FIRMWARE.length - 1, token);
		const chunked = gateway.world.connect(true, LAN_CLIENT);
		await revoke();
		isRefused(client, FIRMWARE.subarray(-1));
		const { token: second } = await gateway.write("system/tokens", { name: "second" });
		const headers = { Authorization: `Bearer ${second}`, "Transfer-Encoding": "chunked" };
		chunked.send(encodeRequest("/api/v1/system/ota", { method: "POST", headers }));
		chunked.send(`${FIRMWARE.length.toString(16)}\r\n`);
		chunked.send(FIRMWARE);
		gateway.world.advance(10_000);
		const { tokens } = await gateway.read("system/tokens");
		await gateway.request("DELETE", `system/tokens/${tokens[0].id}`);
		isRefused(chunked, Buffer.from("\r\n0\r\n\r\n"));
		gateway.world.advance(10_000);
		assert.equal(gateway.world.info.firmwareVersion, running);
		assert.equal((await gateway.read("system/status")).ota_state, "idle");
	});

	it("changes no setting, restores no backup and installs no certificate", async () => {
		await gateway.write("system/timezone", { timezone: "Europe/Berlin" });
		const backup = (await gateway.get("system/backup")).text.replace('"Europe/Berlin"', '"Europe/Rome"');
		assert.match(backup, /Rome/);
		const own = make({ subject: "/CN=gateway" });
		// The gateway renews its certificate when it gets an address.
		await gateway.untilNetwork(({ connected }) => connected);
		await gateway.pass(10_000);
		const before = await gateway.read("system/certificate");
		const stored = () => gateway.world.storage.keys().filter((key) => key !== "tokens");
		const storedBefore = stored();
		for (const [path, body] of [
			["system/timezone", '{"timezone":"Europe/Rome"}'],
			["system/backup", backup],
			["system/certificate", own.certificate + own.key],
			["hub", JSON.stringify({ enabled: true, url: "https://hub.lan", token: "token", cert: own.certificate })],
			["system/reboot", "{}"],
		]) {
			const { token, revoke } = await WAYS["deleting the token"]();
			const bytes = Buffer.from(body);
			const client = begin(path, bytes, bytes.length - 1, token);
			await revoke();
			isRefused(client, bytes.subarray(-1));
		}
		assert.equal((await gateway.read("system/timezone")).timezone, "Europe/Berlin");
		assert.deepEqual(await gateway.read("system/certificate"), before);
		assert.equal((await gateway.read("hub")).enabled, false);
		assert.deepEqual(stored(), storedBefore);
	});
});
