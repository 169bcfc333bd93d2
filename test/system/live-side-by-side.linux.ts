/**
 * Live values beside every pair of the heaviest requests, in XS on Linux with the device's memory: a client over UDP asks
 * each 300 ms, three over HTTP and one by Modbus each second, and one follows by WebSocket. Meanwhile the gateway reads a
 * DLMS meter again and again, with authentication and encryption. Requests may be refused, and the
 * WebSocket is closed when connections are short, but the firmware never restarts, and each client gets values again.
 */
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { type Memory, ProcessGateway, RESTARTED } from "../api/process-gateway.js";
import { CLIENT } from "../live-meter/dialect-clients.js";
import { LiveClients } from "../live-meter/live-clients.js";
import { groupsOf, heavyRequests, prepare } from "./heavy-requests.js";
import { ANY, STACK_RESERVE } from "./memory-limits.js";

const UDP_PORT = 2220;
/** Time from the start of a pair to the measurement of memory, ms. */
const MEMORY_MS = 30;
/** Time for the clients alone at the end, and pause before each readout in it, ms. A readout takes three seconds. */
const REST_MS = 20_000;
const READOUT_PAUSE_MS = 5000;

describe("Live values beside the heaviest operations", function () {
	this.timeout(1_200_000);
	let gateway: ProcessGateway;
	const { operations, whole } = heavyRequests(() => gateway, true);
	const pairs = groupsOf(Object.keys(operations), 2);

	before(async () => {
		gateway = await ProcessGateway.start("linux");
		await prepare(gateway);
		await gateway.untilNetwork(({ connected }) => connected);
		await gateway.write("live-meter/clients", { clients: [{ address: CLIENT }] });
		await gateway.write("live-meter", {
			ecotracker: true,
			shelly: true,
			homewizard: true,
			sunspec: true,
			em24: true,
			shelly_udp_port: UDP_PORT,
			max_age_secs: 70,
		});
		assert.equal((await gateway.get("iec62056/read")).status, 200);
	});
	after(() => gateway?.stop());

	it(`keep to the device's memory, and go on, in ${pairs.length} pairs`, async function () {
		const clients = new LiveClients(gateway, UDP_PORT);
		let readouts = 0;
		let isAlone = false;
		let isOver = false;
		const readOn = async () => {
			while (!isOver) {
				if (isAlone) await sleep(READOUT_PAUSE_MS);
				if ((await whole("GET", "iec62056/read")) === 200) readouts++;
			}
		};
		const reading = readOn();
		const countsNow = (): Record<string, number> => ({ ...clients.counts, readouts });
		let [slots, chunks, stack] = [0, 0, 0];
		const look = async (): Promise<Memory> => {
			const memory = await gateway.memory();
			slots = Math.max(slots, memory.slots);
			chunks = Math.max(chunks, memory.chunks);
			stack = Math.max(stack, memory.stack);
			return memory;
		};
		const statuses = new Map<number, number>();
		for (const [i, pair] of pairs.entries()) {
			// The CT002 takes the UDP port from the Shelly.
			if (i === Math.floor(pairs.length / 2)) await gateway.write("live-meter", { ct002: true });
			const running = pair.map((name) => operations[name]());
			await sleep(MEMORY_MS);
			await look();
			for (const status of await Promise.all(running)) statuses.set(status, (statuses.get(status) ?? 0) + 1);
			assert.doesNotMatch(gateway.diagnosis, RESTARTED, `restarted by ${pair.join(", ")}`);
		}
		const before = countsNow();
		// A request with a body may be refused during a readout with keys, so there are pauses between the readouts now.
		isAlone = true;
		await sleep(REST_MS);
		isOver = true;
		await Promise.all([reading, clients.end()]);
		const { stackLimit } = await look();
		const counts = countsNow();
		this.test!.title +=
			` (${slots} slots, ${chunks} bytes, stack ${stack} of ${stackLimit}; replies` +
			` ${JSON.stringify(Object.fromEntries(statuses))}, values ${JSON.stringify(counts)})`;
		for (const name of Object.keys(counts))
			assert.ok(counts[name] > before[name], `${name}: ${before[name]}, then ${counts[name]}\n${gateway.diagnosis}`);
		assert.ok(slots <= ANY.slots && chunks <= ANY.chunks, `${slots} slots, ${chunks} bytes`);
		assert.ok(stack <= stackLimit - STACK_RESERVE, `${stack} slots of stack, of ${stackLimit}`);
	});
});
