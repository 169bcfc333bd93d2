/** Runs stream-client-hostile.test.ts with many more damaged exchanges. */
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { seedOfRun } from "../../fuzz/mutator.js";
import { AUTHORITY, type Made, make } from "../openssl.js";
import { needNative } from "./compile.js";
import { fuzzClients } from "./hostile-servers.js";
import { ClientPeer, TestServer } from "./stream-client-driver.js";

const seed = seedOfRun();

describe(`The native clients with many damaged servers (SEED=${seed})`, () => {
	let pair: Made;
	let peer: ClientPeer;

	before(function () {
		needNative(this);
		const root = make({ subject: "/CN=root", extensions: AUTHORITY });
		pair = make({ subject: "/CN=server", issuer: root, extensions: ["subjectAltName=IP:127.0.0.1"] });
		peer = new ClientPeer();
		peer.write("root", root.certificate);
	});
	after(() => peer.end());

	it("survive the damage", async () => {
		const server = await TestServer.tls(pair, {}, (socket) => void socket.write("x".repeat(3000)));
		await fuzzClients(peer, server.port, seed, 2000);
		await peer.rests();
		await server.close();
	});

	it("give up a long handshake when another client waits, and complete the handshake of that client", async () => {
		const silent = await TestServer.tcp(() => {});
		const good = await TestServer.tls(pair);
		const tls = { trusted: "root" };
		await peer.open(0, { port: silent.port, timeoutMs: 40_000, tls });
		await sleep(100);
		const begin = Date.now();
		assert.match(await peer.connect(1, { port: good.port, timeoutMs: 20_000, tls }), /connected/);
		assert.ok(Date.now() - begin > 8000);
		assert.match(await peer.line(/^0 over/), /over 5 /);
		await peer.close(0);
		await peer.close(1);
		await silent.close();
		await good.close();
	});
});
