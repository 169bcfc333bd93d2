/**
 * SNTP, the access point's name server and mDNS over real UDP, against Node (dns, dgram) and servers of this file. In
 * XS only, since both engines of `npm start` use the host's sockets.
 */
import assert from "node:assert/strict";
import { createSocket, type Socket } from "node:dgram";
import type { RecordWithTtl } from "node:dns";
import { Resolver } from "node:dns/promises";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { leaseOfComputer } from "../../hosts/node/lease.js";
import { byRun } from "../runs.js";
import { ProcessGateway } from "./process-gateway.js";
import { serveTime } from "./time-server.js";

const MDNS_GROUP = "224.0.0.251";
const MDNS_PORT = 5353;
const LOOPBACK = "127.0.0.1";
const TRIES = 10;
const RETRY_MS = 500;

/** Retries `run` a few times, because the computer may be busy. */
async function retried<T>(run: () => Promise<T>): Promise<T> {
	for (let tries = 1; ; tries++) {
		try {
			return await run();
		} catch (error) {
			if (tries === TRIES) throw error;
		}
		await sleep(RETRY_MS);
	}
}

/**
 * Looks the name up, with retries, since the gateway may print the port that it uses in place of port 53 only after it
 * is ready.
 */
function lookUp(resolver: Resolver, gateway: ProcessGateway, name: string): Promise<RecordWithTtl[]> {
	return retried(() => {
		const port = /udp port 53 of the access point is 127\.0\.0\.1:(\d+) here/.exec(gateway.diagnosis)?.[1] ?? "53";
		resolver.setServers([`${LOOPBACK}:${port}`]);
		return resolver.resolve4(name, { ttl: true });
	});
}

/** Sends a multicast query on this computer only, as a legacy resolver (RFC 6762, 6.7); returns the addresses. */
async function queryMulticast(socket: Socket, name: string): Promise<string[]> {
	const labels = name.split(".").map((label) => Buffer.concat([Buffer.of(label.length), Buffer.from(label)]));
	const head = Buffer.of(0x12, 0x34, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0);
	socket.send(Buffer.concat([head, ...labels, Buffer.of(0, 0, 1, 0, 1)]), MDNS_PORT, MDNS_GROUP);
	const [reply] = (await once(socket, "message", { signal: AbortSignal.timeout(2000) })) as [Buffer];
	assert.equal(reply.readUInt16BE(0), 0x1234);
	// A record: the end of a name, A, IN, time to live, four bytes.
	const records = reply.toString("latin1").matchAll(/\0\0\x01\0\x01.{4}\0\x04(.{4})/gs);
	return [...records].map(([, address]) => [...Buffer.from(address, "latin1")].join("."));
}

/** Returns the addresses that the gateway announces over mDNS, once it has claimed its name. */
async function announcedAddresses(gateway: ProcessGateway): Promise<string[]> {
	const socket = createSocket("udp4");
	socket.bind(0);
	await once(socket, "listening");
	socket.setMulticastInterface(LOOPBACK);
	try {
		for (let tries = 0; !gateway.diagnosis.includes("mdns: found as"); tries++) {
			assert.ok(tries < 100, "the gateway does not claim its name");
			await gateway.pass(100);
		}
		return await retried(() => queryMulticast(socket, `${gateway.hostname}.local`));
	} finally {
		socket.close();
	}
}

for (const engine of byRun({ test: ["xs"], linux: ["linux"] })) {
	describe(`Network services besides HTTP, engine ${engine}`, function () {
		this.timeout(60_000);
		let gateway: ProcessGateway | undefined;

		afterEach(async function () {
			if (this.currentTest?.state === "failed") console.error(gateway?.diagnosis);
			await gateway?.stop();
			gateway = undefined;
		});

		it("transition of the clock: invalid, by synchronisation, to valid", async () => {
			const startMs = Date.UTC(2031, 5, 7, 8, 9, 10) - Date.now();
			let release = () => {};
			const released = new Promise<void>((resolve) => {
				release = resolve;
			});
			const server = await serveTime(() => Date.now() + startMs, released);
			try {
				gateway = await ProcessGateway.loggedIn(engine, {
					// A name that the gateway must look up.
					args: ["--time", "none", "--ntp", `localhost:${server.port}`],
				});
				assert.equal((await gateway.read("system/status")).clock_valid, false);
				release();
				const status = await gateway.untilNetwork(({ ntp_last_sync }) => ntp_last_sync > 0);
				assert.deepEqual([status.ntp_server, status.ntp_last_error], ["localhost", null]);
				const clock = await gateway.read("system/clock");
				assert.equal(clock.is_valid, true);
				assert.match(clock.utc, /^2031-06-07T08:/);
				assert.equal((await gateway.read("system/status")).clock_valid, true);
				assert.ok(server.requests >= 1);
			} finally {
				server.close();
			}
		});

		for (const [what, options, shown] of [
			["in its network", { mode: "client" }, [true, false]],
			["an access point", { mode: "ap" }, [false, true]],
			["without its network", { mode: "client", air: "elsewhere -60 1\n" }, [false, false]],
		] as const) {
			it(`is ${what} when it says that it is ready`, async () => {
				gateway = await ProcessGateway.loggedIn(engine, options);
				const { connected, ap_mode } = await gateway.read("network/status");
				assert.deepEqual([connected, ap_mode], shown);
			});
		}

		it("reports that the time server does not reply, and keeps working", async () => {
			const server = await serveTime(() => 0);
			const { port } = server;
			server.close();
			gateway = await ProcessGateway.loggedIn(engine, { args: ["--ntp", `${LOOPBACK}:${port}`] });
			const status = await gateway.untilNetwork(({ ntp_last_error }) => ntp_last_error !== null);
			assert.deepEqual([status.ntp_last_error, status.ntp_last_sync], ["time/no-reply", 0]);
			assert.equal((await gateway.read("system/clock")).is_valid, true);
		});

		it("resolves every name to the device in the access point's network, and its own name over mDNS", async () => {
			gateway = await ProcessGateway.start(engine, { mode: "ap" });
			const resolver = new Resolver({ timeout: 2000, tries: 5 });
			for (const name of ["connectivitycheck.gstatic.com", "captive.apple.com", "x.example"])
				assert.deepEqual(await lookUp(resolver, gateway, name), [{ address: "192.168.4.1", ttl: 0 }]);
			await assert.rejects(resolver.resolve6("x.example"), { code: "ENODATA" });

			assert.deepEqual(await announcedAddresses(gateway), ["192.168.4.1"]);
		});

		if (engine === "linux") {
			it("announces its name with the loopback address; with --announce it has the computer's address", async () => {
				gateway = await ProcessGateway.start(engine);
				assert.deepEqual(await announcedAddresses(gateway), [LOOPBACK]);
				await gateway.login();
				assert.equal((await gateway.read("network/status")).ip, LOOPBACK);
				await gateway.stop();
				gateway = await ProcessGateway.loggedIn(engine, { args: ["--announce"] });
				const { ip } = await gateway.untilNetwork(({ connected }) => connected);
				assert.equal(ip, leaseOfComputer().ip);
			});
		}

		it("turns the access point on at a press of the button, and counts the press once", async () => {
			gateway = await ProcessGateway.loggedIn(engine);
			await gateway.untilNetwork(({ connected }) => connected);
			assert.equal((await gateway.write("network/wifi-enabled", { wifi_enabled: false })).wifi_enabled, false);
			await gateway.untilNetwork(({ connected, ap_mode }) => !connected && !ap_mode);
			gateway.pressButton();
			const up = await gateway.untilNetwork(({ ap_mode }) => ap_mode);
			assert.deepEqual([up.wifi_enabled, up.wifi_temporary], [false, true]);
			assert.equal((await gateway.untilNetwork(({ connected }) => connected)).wifi_temporary, true);
		});
	});
}
