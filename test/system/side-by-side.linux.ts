/**
 * Tests every pair and triple of the heaviest requests. The requests of a group run in parallel; some are slow or are
 * aborted. Meanwhile the gateway reads a DLMS meter again and again, with authentication and encryption.
 *
 * The firmware runs in XS on Linux with the device's memory. It may refuse requests with 503, but must never restart.
 */
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { type Memory, ProcessGateway, RESTARTED } from "../api/process-gateway.js";
import { groupsOf, HALF_MS, heavyRequests, prepare } from "./heavy-requests.js";
import { ANY, higher } from "./memory-limits.js";

/** Delays between the starts of two requests, ms. With two values, the requests overlap in different stages. */
const OFFSETS_MS = [0, 20];

/** Longest wait for a live reading, and time between two checks whether there is one, ms. */
const LIVE_LIMIT_MS = 20_000;
const LIVE_ASK_MS = 500;

describe("The heaviest operations side by side", function () {
	this.timeout(1_200_000);
	let gateway: ProcessGateway;
	let highest: Memory = { slots: 0, chunks: 0, stack: 0, stackLimit: 0 };

	before(async () => {
		gateway = await ProcessGateway.start("linux", { mode: "ap" });
		await prepare(gateway);
	});
	after(() => gateway?.stop());

	const { open, whole, objects, operations } = heavyRequests(() => gateway, false);
	const names = Object.keys(operations);
	const groups = [2, 3].flatMap((size) => groupsOf(names, size));

	/** Asserts that the memory in use is within the limits, and adds the figures to the test's title. */
	const within = (context: Mocha.Context, { slots, chunks, stack, stackLimit }: Memory) => {
		context.test!.title += ` (${slots} slots, ${chunks} bytes, stack ${stack} of ${stackLimit})`;
		assert.ok(slots <= ANY.slots, `${slots} slots, ${ANY.slots} are allowed`);
		assert.ok(chunks <= ANY.chunks, `${chunks} bytes of chunks, ${ANY.chunks} are allowed`);
	};

	/** Reads the meter again and again until `isOver`. Returns the number of successful readouts. */
	const readOn = async (isOver: () => boolean): Promise<number> => {
		let count = 0;
		while (!isOver()) {
			if ((await whole("GET", "iec62056/read")) === 200) count++;
			else await sleep(200);
		}
		return count;
	};

	it("leave enough memory for live mode, whose association with keys stays open", async function () {
		await gateway.write("dlms/config", { live_secs: 1 });
		const events = open("GET", "events", undefined);
		events.on("response", (response) => response.resume());
		events.end();
		/** Returns the time of the first live reading after `since`, Unix s. */
		const readAfter = async (since: number): Promise<number> => {
			for (let waitedMs = 0; waitedMs < LIVE_LIMIT_MS; waitedMs += LIVE_ASK_MS) {
				const { live_timestamp = 0 } = await gateway.read("iec62056/last");
				if (live_timestamp > since) return live_timestamp;
				await sleep(LIVE_ASK_MS);
			}
			const { meter_live } = await gateway.read("system/status");
			throw new Error(`live mode is ${meter_live}, and has read nothing\n${gateway.diagnosis}`);
		};
		assert.equal(await whole("GET", "iec62056/read"), 200);
		const since = await readAfter(0);
		let most: Memory = { slots: 0, chunks: 0, stack: 0, stackLimit: 0 };
		// The object list is left out: changing it would end the association.
		const beside = names.filter((name) => name !== "object list");
		for (let i = 0; i < beside.length; i += 2) {
			const running = beside.slice(i, i + 2).map((name) => operations[name]());
			await sleep(HALF_MS);
			most = higher(most, await gateway.memory());
			await Promise.all(running);
		}
		await readAfter(since);
		events.destroy();
		assert.doesNotMatch(gateway.diagnosis, RESTARTED);
		within(this, most);
		await gateway.write("dlms/config", { live_secs: 0 });
	});

	it(`do not restart the firmware, in ${groups.length} pairs and triples of ${names.length} operations`, async function () {
		const statuses = new Map<number, number>();
		let isOver = false;
		const reading = readOn(() => isOver);
		for (const [index, group] of groups.entries()) {
			{
				const offsetMs = OFFSETS_MS[index % OFFSETS_MS.length];
				const running: Promise<number>[] = [];
				for (const name of group) {
					running.push(operations[name]());
					await sleep(offsetMs);
				}
				await sleep(HALF_MS >> 1);
				const memory = await gateway.memory();
				highest = higher(highest, memory);
				for (const status of await Promise.all(running)) statuses.set(status, (statuses.get(status) ?? 0) + 1);
				assert.doesNotMatch(gateway.diagnosis, RESTARTED, `restarted by ${group.join(", ")}`);
			}
			if (index % 40 === 39) console.log(`      ${index + 1} of ${groups.length}`);
		}
		isOver = true;
		const readouts = await reading;
		this.test!.title += ` (replies ${JSON.stringify(Object.fromEntries(statuses))}; ${readouts} readouts)`;
		assert.ok(readouts > 0, "the meter could not be read");
		within(this, highest);
		// If memory were lost, these requests would fail.
		await sleep(3000);
		assert.equal(await whole("GET", "iec62056/read"), 200);
		assert.equal(await whole("POST", "dlms/obis", objects), 200);
	});
});
