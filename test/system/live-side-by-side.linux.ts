/**
 * Live values beside every pair of the heaviest requests, in XS on Linux with the device's memory: a client over UDP asks
 * each 300 ms, two over HTTP and one by Modbus each second, and one follows by WebSocket. Meanwhile the gateway reads a
 * DLMS meter again and again, with authentication and encryption. Requests may be refused, and the
 * WebSocket is closed when connections are short, but the firmware never restarts, and each client gets values again.
 */
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { type Memory, ProcessGateway, RESTARTED } from "../api/process-gateway.js";
import { CLIENT, RPCSocket, readModbus, requestByUDP } from "../live-meter/dialect-clients.js";
import { groupsOf, heavyRequests, prepare } from "./heavy-requests.js";
import { ANY, STACK_RESERVE } from "./memory-limits.js";

const UDP_PORT = 2220;
const UDP_EACH_MS = 300;
const EACH_MS = 1000;
/** Time from the start of a pair to the measurement of memory, ms. */
const MEMORY_MS = 30;
/** Time for the clients alone at the end, and pause before each readout in it, ms. A readout takes three seconds. */
const REST_MS = 20_000;
const READOUT_PAUSE_MS = 5000;
const POWER_REGISTER = 40_097;

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
			sunspec: true,
			shelly_udp_port: UDP_PORT,
			max_age_secs: 70,
		});
		assert.equal((await gateway.get("iec62056/read")).status, 200);
	});
	after(() => gateway?.stop());

	it(`keep to the device's memory, and go on, in ${pairs.length} pairs`, async function () {
		const modbusPort = Number(/tcp port 502 is localhost:(\d+) here/.exec(gateway.diagnosis)?.[1] ?? 502);
		const sockets: RPCSocket[] = [];
		const plain = async (method: string, path: string, body?: object) =>
			(await gateway.begin(method, path, { secure: false, token: null, body }).reply()).status === 200;
		let isAlone = false;
		let isOver = false;
		const counts = { udp: 0, ecotracker: 0, shelly: 0, sunspec: 0, websocket: 0, readouts: 0 };
		const client = async (name: keyof typeof counts, eachMs: number, ask: () => Promise<boolean>) => {
			while (!isOver) {
				const pause = sleep(eachMs);
				if (await ask().catch(() => false)) counts[name]++;
				await pause;
			}
		};
		const request = { id: 1, src: "battery", method: "EM.GetStatus" };
		const clients = [
			client("udp", UDP_EACH_MS, async () => (await requestByUDP(request, UDP_PORT)) !== undefined),
			client("ecotracker", EACH_MS, () => plain("GET", "/v1/json")),
			client("shelly", EACH_MS, () => plain("POST", "/rpc", { ...request, method: "Shelly.GetStatus" })),
			client("sunspec", EACH_MS, async () => (await readModbus(modbusPort, POWER_REGISTER, 2)).length > 9),
			client("websocket", EACH_MS, async () => {
				if (sockets.at(-1)?.isClosed !== false) sockets.push(new RPCSocket(gateway.authority(false)));
				return sockets
					.at(-1)!
					.messages.splice(0)
					.some(({ method }) => method === "NotifyStatus");
			}),
			client("readouts", 0, async () => {
				if (isAlone) await sleep(READOUT_PAUSE_MS);
				return (await whole("GET", "iec62056/read")) === 200;
			}),
		];
		let [slots, chunks, stack] = [0, 0, 0];
		const look = async (): Promise<Memory> => {
			const memory = await gateway.memory();
			slots = Math.max(slots, memory.slots);
			chunks = Math.max(chunks, memory.chunks);
			stack = Math.max(stack, memory.stack);
			return memory;
		};
		const statuses = new Map<number, number>();
		for (const pair of pairs) {
			const running = pair.map((name) => operations[name]());
			await sleep(MEMORY_MS);
			await look();
			for (const status of await Promise.all(running)) statuses.set(status, (statuses.get(status) ?? 0) + 1);
			assert.doesNotMatch(gateway.diagnosis, RESTARTED, `restarted by ${pair.join(", ")}`);
		}
		const before = { ...counts };
		// A request with a body may be refused during a readout with keys, so there are pauses between the readouts now.
		isAlone = true;
		await sleep(REST_MS);
		isOver = true;
		await Promise.all(clients);
		const { stackLimit } = await look();
		for (const socket of sockets) socket.end();
		this.test!.title +=
			` (${slots} slots, ${chunks} bytes, stack ${stack} of ${stackLimit}; replies` +
			` ${JSON.stringify(Object.fromEntries(statuses))}, values ${JSON.stringify(counts)})`;
		for (const name of Object.keys(counts) as (keyof typeof counts)[])
			assert.ok(counts[name] > before[name], `${name}: ${before[name]}, then ${counts[name]}\n${gateway.diagnosis}`);
		assert.ok(slots <= ANY.slots && chunks <= ANY.chunks, `${slots} slots, ${chunks} bytes`);
		assert.ok(stack <= stackLimit - STACK_RESERVE, `${stack} slots of stack, of ${stackLimit}`);
	});
});
