/**
 * All outputs and other load at once, in XS on Linux with the device's memory: the hub by TLS with the longest
 * certificate and a slow server; MQTT by TLS; an event stream; readouts with keys; long bodies and replies. The
 * firmware does not restart, and the outputs work at the end.
 */

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Server } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { createServer as createTLSServer, type Server as TLSServer } from "node:tls";
import { Aedes } from "aedes";
import { HUB_CERTIFICATE_LIMIT } from "../../modules/parts/hub/fields.js";
import { type Memory, ProcessGateway, RESTARTED } from "../api/process-gateway.js";
import { lastingPair } from "../api/server-identity.js";
import { ANY, connectDLMS, STACK_RESERVE } from "./memory-limits.js";

const LONG_BODY = 16_384;
const REPLY_MS = 60;
const ROUNDS = 12;
const LIMIT_MS = 120_000;

describe("All outputs during readouts, long bodies and long replies", function () {
	this.timeout(600_000);
	let gateway: ProcessGateway;
	let server: Server;
	let taken = 0;
	let broker: Aedes;
	let brokerServer: TLSServer;
	const brokerSockets = new Set<Socket>();
	let published = 0;

	const pair = lastingPair("127.0.0.1");

	before(async () => {
		const identity = { cert: Buffer.from(pair.certificate), key: Buffer.from(pair.key) };
		server = createServer(identity, (request, response) => {
			request.resume();
			request.on("end", () => {
				taken++;
				setTimeout(() => response.writeHead(200).end("{}"), REPLY_MS);
			});
		});
		server.listen(0, "127.0.0.1");
		await once(server, "listening");
		broker = await Aedes.createBroker();
		broker.on("publish", ({ topic }) => {
			if (topic.endsWith("/state")) published++;
		});
		brokerServer = createTLSServer(identity, (socket) => {
			brokerSockets.add(socket);
			socket.on("error", () => {});
			broker.handle(socket);
		});
		brokerServer.listen(0, "127.0.0.1");
		await once(brokerServer, "listening");
		gateway = await ProcessGateway.loggedIn("linux");
		await connectDLMS(gateway);
	});
	after(async () => {
		await gateway?.stop();
		server.closeAllConnections();
		server.close();
		brokerServer.close();
		for (const socket of brokerSockets) socket.destroy();
		broker.close();
	});

	it("keep to the device's memory, never restart the firmware, and work at the end", async function () {
		const own = `\n${Buffer.from(pair.certificate).toString("latin1")}`;
		const cert = own.padStart(HUB_CERTIFICATE_LIMIT, "#");
		const mqtt = `mqtts://127.0.0.1:${(brokerServer.address() as AddressInfo).port}`;
		await gateway.write("mqtt", { enabled: true, url: mqtt, topics: "both", cert: own });
		const follower = gateway.follow();
		const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
		const objects = JSON.stringify({
			entries: Array.from({ length: 32 }, (_, i) => ({ code: [1, 0, 1, 8, i, 255], class_id: 3, attribute: 2 })),
		}).padEnd(LONG_BODY);
		let highest: Memory = { slots: 0, chunks: 0, stack: 0, stackLimit: 0 };
		const measure = async () => {
			const memory = await gateway.memory();
			highest = {
				...memory,
				slots: Math.max(highest.slots, memory.slots),
				chunks: Math.max(highest.chunks, memory.chunks),
			};
		};
		for (let round = 0; round < ROUNDS; round++) {
			// Saving the settings makes the gateway send at once.
			await gateway.write("hub", { enabled: true, url, token: "t".repeat(512), cert });
			const reading = gateway.get("iec62056/read");
			const from = taken;
			const endMs = Date.now() + LIMIT_MS;
			while (taken === from && Date.now() < endMs) {
				await measure();
				await sleep(100);
			}
			for (const path of ["metrics", "meter/history?period=months", "iec62056/last", "system/log"]) {
				assert.ok([200, 503].includes((await gateway.get(path)).status), path);
				await measure();
			}
			const body = await gateway.post("dlms/obis", objects);
			assert.ok([200, 503].includes(body.status), body.text);
			await measure();
			const { status } = await reading;
			assert.ok([200, 500, 503].includes(status), `${status}`);
			await measure();
			assert.doesNotMatch(gateway.diagnosis, RESTARTED);
		}
		const endMs = Date.now() + LIMIT_MS;
		for (;;) {
			const { hub_state, mqtt_state } = await gateway.read("system/status");
			if (hub_state === "ok" && mqtt_state === "ok") break;
			assert.ok(Date.now() < endMs, `readouts do not arrive: hub ${hub_state}, MQTT ${mqtt_state}`);
			await sleep(500);
		}
		follower.leave();
		assert.ok(published > 0, "nothing was published");
		const { slots, chunks, stack, stackLimit } = highest;
		this.test!.title +=
			` (${taken} states, ${published} messages; ${slots} slots, ${chunks} bytes, stack ${stack} of ${stackLimit})`;
		assert.ok(taken >= ROUNDS, `${taken} states`);
		assert.ok(slots <= ANY.slots && chunks <= ANY.chunks, `${slots} slots, ${chunks} bytes`);
		assert.ok(stack <= stackLimit - STACK_RESERVE, `${stack} slots of stack, of ${stackLimit}`);
	});
});
