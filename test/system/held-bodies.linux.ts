/**
 * The last byte of long bodies is held back until all bodies have claimed memory, with other requests meanwhile. The
 * firmware runs in XS on Linux with the device's memory and stores the longest readout. All accepted requests complete,
 * and the firmware does not restart.
 */
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { HUB_CERTIFICATE_LIMIT } from "../../modules/parts/hub/fields.js";
import { ProcessGateway, RESTARTED } from "../api/process-gateway.js";
import { iecVectors } from "../vectors.js";
import { LoadClient } from "./load-client.js";
import { MAP, OBJECTS } from "./load-operations.js";
import { longCertificate } from "./load-peers.js";
import { ANY, DLMS, STACK_RESERVE } from "./memory-limits.js";

const ROUNDS = 12;
const LONG_BODY = 16_384;
/** How long the last bytes are held back, ms; a slow client waits longer before it reads its reply. */
const HELD_MS = 700;
const SLOW_MS = 1000;

const longest = iecVectors().reduce((a, b) => (a.telegram.length < b.telegram.length ? b : a));

/** Sets of held bodies, with the requests sent meanwhile. */
const SETS = [
	{ bodies: ["hub", "system/backup"], others: ["read", "last"] },
	{ bodies: ["hub", "dlms/obis"], others: ["read", "last", "pipelined"] },
	{ bodies: ["hub", "system/backup", "dlms/obis"], others: ["read", "last", "half a head", "pipelined"] },
	{ bodies: ["hub", "dlms/obis", "zigbee/map"], others: ["probe", "sessionLog", "scan", "last"] },
] as const;

describe("Long bodies whose last byte is held back", function () {
	this.timeout(600_000);
	let gateway: ProcessGateway;
	let client: LoadClient;
	const bodies = new Map([
		["dlms/obis", OBJECTS],
		["zigbee/map", MAP],
	]);

	before(async () => {
		gateway = await ProcessGateway.start("linux", { mode: "ap" });
		client = new LoadClient(gateway);
		await gateway.login();
		const cert = longCertificate(HUB_CERTIFICATE_LIMIT);
		const settings = { enabled: true, url: "https://127.0.0.1:9", token: "t".repeat(512), cert };
		bodies.set("hub", JSON.stringify(settings).padEnd(LONG_BODY));
		await gateway.write("iec62056/control", { log_en: true });
		await gateway.write("hub", settings);
		await gateway.write("dlms/obis", OBJECTS);
		await gateway.write("dlms/config", DLMS);
		bodies.set(
			"system/backup",
			`${JSON.stringify(await gateway.read("system/backup")).slice(0, -1)}${" ".repeat(3000)}}`,
		);
		await gateway.connectMeter({ telegram: longest.telegram });
		assert.equal((await gateway.get("iec62056/read")).status, 200);
	});
	after(() => gateway?.stop());

	const last = `GET /api/v1/iec62056/last?lang=pl HTTP/1.1\r\nHost: localhost\r\n`;
	const others: Readonly<Record<string, () => Promise<number>>> = {
		read: () => client.whole({ secure: false, path: "iec62056/read" }),
		last: () => client.slow({ secure: true, path: "iec62056/last" }, SLOW_MS),
		pipelined: () => client.raw(false, `${last}Authorization: Bearer ${gateway.token}\r\n\r\n`.repeat(12), SLOW_MS),
		"half a head": () => client.raw(false, `${last}${"A: b\r\n".repeat(330)}`.slice(0, 2040), SLOW_MS),
		probe: () => client.whole({ secure: false, method: "POST", path: "meter/probe" }),
		sessionLog: () => client.slow({ secure: true, path: "iec62056/log" }, SLOW_MS),
		scan: () => client.whole({ secure: false, path: "network/scan" }),
	};

	for (const set of SETS) {
		it(`${set.bodies.join(", ")} beside ${set.others.join(", ")}, ${ROUNDS} times`, async function () {
			const statuses = new Map<number, number>();
			let [slots, chunks] = [0, 0];
			for (let round = 0; round < ROUNDS; round++) {
				const running: Promise<number>[] = [];
				for (const [index, path] of set.bodies.entries()) {
					const body = bodies.get(path)!;
					// Two of three with TLS, since each port has three places.
					const request = { secure: index % 3 !== 1, path, body };
					running.push(client.sendHeldBody(request, body.length - 1, HELD_MS));
				}
				await sleep(HELD_MS / 3);
				for (const name of set.others) running.push(others[name]());
				await sleep(HELD_MS / 3);
				const memory = await gateway.memory();
				slots = Math.max(slots, memory.slots);
				chunks = Math.max(chunks, memory.chunks);
				assert.ok(memory.stack <= memory.stackLimit - STACK_RESERVE, `${memory.stack} slots of stack`);
				for (const status of await Promise.all(running)) statuses.set(status, (statuses.get(status) ?? 0) + 1);
				assert.doesNotMatch(gateway.diagnosis, RESTARTED, `round ${round}`);
			}
			this.test!.title += ` (${slots} slots, ${chunks} bytes; replies ${JSON.stringify(Object.fromEntries(statuses))})`;
			assert.ok(slots <= ANY.slots && chunks <= ANY.chunks, `${slots} slots, ${chunks} bytes`);
			assert.ok((statuses.get(200) ?? 0) >= ROUNDS, `replies ${JSON.stringify(Object.fromEntries(statuses))}`);
			// Each request succeeds when it is the only one.
			await gateway.pass(3000);
			for (const path of set.bodies) {
				const request = { secure: true, method: "POST", path, body: bodies.get(path)! } as const;
				let status = await client.whole(request);
				for (let tries = 0; status === 503 && tries < 20; tries++) {
					await gateway.pass(1000);
					status = await client.whole(request);
				}
				assert.equal(status, 200, path);
			}
		});
	}
});
