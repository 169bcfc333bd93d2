/** Storing the hub's certificate: two clients at once, disconnecting clients, power cuts, full flash. */

import assert from "node:assert/strict";
import type { VirtualClient } from "../../hosts/node/virtual-network.js";
import { encodeRequest } from "../../hosts/node/virtual-request.js";
import { expectFaults } from "../faults.js";
import { isError, type JSONObject } from "./gateway.js";
import { lastingPair } from "./server-identity.js";
import { LAN_CLIENT, VirtualGateway } from "./virtual-gateway.js";

const pair = lastingPair("hub.lan");
const CERTIFICATE = Buffer.from(pair.certificate).toString("latin1");
const OLD = { enabled: true, url: "https://old.lan", token: "old", lang: "de", cert: `old\n${CERTIFICATE}` };
const NEW = {
	enabled: true,
	url: "https://new.lan",
	token: "new",
	lang: "pl",
	cert: `${"new".repeat(3000)}\n${CERTIFICATE}`,
};

describe("The hub's certificate", () => {
	let gateway: VirtualGateway;

	beforeEach(async () => {
		gateway = await VirtualGateway.loggedIn();
	});
	afterEach(() => gateway.stop());

	const pieces = () => gateway.world.storage.keys().filter((key) => key.startsWith("hub_cert_"));
	const bytesOf = () => Buffer.concat(pieces().map((key) => gateway.world.storage.get(key)!)).toString("latin1");

	/** Sends a POST without its last bytes. */
	function begin(body: JSONObject): { client: VirtualClient; rest: Uint8Array } {
		const client = gateway.world.connect(true, LAN_CLIENT);
		const request = encodeRequest("/api/v1/hub", { headers: { Authorization: `Bearer ${gateway.token}` }, body });
		client.send(request.subarray(0, request.length - 2));
		gateway.world.advance(1);
		return { client, rest: request.subarray(request.length - 2) };
	}

	it("is stored in flash in pieces, unchanged", async () => {
		await gateway.write("hub", NEW);
		assert.equal(bytesOf(), NEW.cert);
		await gateway.write("hub", OLD);
		assert.equal(bytesOf(), OLD.cert);
	});

	it("is accepted from one client at a time; another gets 503 and succeeds later", async () => {
		const { client, rest } = begin(NEW);
		const reply = await gateway.post("hub", OLD);
		isError(reply, 503, "busy");
		assert.equal((await gateway.post("hub", { enabled: false })).status, 200);
		client.send(rest);
		assert.equal(gateway.world.awaitReply(client).status, 200);
		assert.equal(bytesOf(), NEW.cert);
		assert.equal((await gateway.write("hub", OLD)).url, OLD.url);
	});

	it("is not replaced if a client disconnects or falls silent", async () => {
		await gateway.write("hub", OLD);
		begin(NEW).client.close();
		gateway.world.advance(1);
		assert.equal(bytesOf(), OLD.cert);
		begin(NEW);
		gateway.world.advance(10 * 60_000);
		assert.equal(bytesOf(), OLD.cert);
		assert.equal((await gateway.write("hub", NEW)).lang, "pl");
	});

	it("changes together with the settings or not at all, at whatever step power fails", async () => {
		expectFaults(/^fault: flash: \w+: (power cut|no power)/);
		await gateway.write("hub", OLD);
		const start = gateway.world.storage.writes;
		await gateway.write("hub", NEW);
		const steps = gateway.world.storage.writes - start;
		const seen = new Set<string>();
		for (let step = 1; step <= steps; step++) {
			for (const keepsNew of [false, true]) {
				await gateway.write("hub", OLD);
				gateway.world.storage.cutPowerAt(step, keepsNew);
				const { client, rest } = begin(NEW);
				client.send(rest);
				gateway.world.advance(1000);
				gateway.world.storage.powerUp();
				await gateway.restartAndLogin();
				const { url, lang, cert_set } = await gateway.read("hub");
				const expected = url === NEW.url ? NEW : OLD;
				assert.deepEqual(
					{ url, lang, cert_set },
					{ url: expected.url, lang: expected.lang, cert_set: true },
					`step ${step}`,
				);
				assert.equal(bytesOf(), expected.cert, `step ${step}`);
				seen.add(url);
			}
		}
		assert.equal(seen.size, 2);
	});

	it("is not replaced if flash is full, and the reply is 500", async () => {
		await gateway.write("hub", OLD);
		expectFaults(/^fault: flash: \w+: flash is full/);
		gateway.world.storage.capacity = 6000;
		isError(await gateway.post("hub", NEW), 500, "internal");
		assert.equal(bytesOf(), OLD.cert);
		gateway.world.storage.capacity = Number.POSITIVE_INFINITY;
		assert.equal((await gateway.write("hub", NEW)).lang, "pl");
	});
});
