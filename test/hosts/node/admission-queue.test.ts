import assert from "node:assert/strict";
import { AdmissionQueue } from "../../../hosts/node/admission-queue.js";
import { SeededRandom } from "../../../hosts/node/random.js";
import { ADMISSION_RULES } from "../admission-rules.js";
import { PendingConnection, runScript } from "./admission-script.js";

const PLACES = 6;
const OWNER = "192.168.0.200";
const hostile = (index: number) => `192.168.${1 + (index >> 8)}.${index & 0xff}`;

const newQueue = (limit: number, seed: number) =>
	new AdmissionQueue<PendingConnection>({ limit, seed, nowMs: () => 0 });

describe("The admission queue of the simulator", () => {
	for (const { title, places, commands, admitted, dropped = "" } of ADMISSION_RULES)
		it(title, () => {
			assert.deepEqual(runScript(places, 1, commands.split(",")), { admitted, dropped });
		});

	it("never drops the address that has had the fewest turns, and admits it next, after any seven arrivals and turns", () => {
		const names = ["a", "b", "c"];
		const actions = [...names, "admit"];
		let checked = 0;
		for (let code = 0; code < actions.length ** 7; code++) {
			const queue = newQueue(2, 1);
			const turns = new Map(names.map((name) => [name, 0]));
			let waiting: PendingConnection[] = [];
			for (let rest = code, step = 0; step < 7; step++, rest = Math.floor(rest / actions.length)) {
				const action = actions[rest % actions.length];
				const least = (list: readonly PendingConnection[]) =>
					Math.min(...list.map((one) => turns.get(one.remoteAddress)!));
				if (action === "admit") {
					const expected = least(waiting);
					const taken = queue.take();
					if (taken === undefined) continue;
					const { remoteAddress } = taken;
					assert.equal(turns.get(remoteAddress), expected);
					turns.set(remoteAddress, expected + 1);
					waiting = waiting.filter((one) => one !== taken);
					continue;
				}
				const all = [...waiting, new PendingConnection(action)];
				queue.add(all.at(-1)!);
				waiting = all.filter(({ isClosed }) => !isClosed);
				const lost = all.find(({ isClosed }) => isClosed);
				if (lost === undefined) continue;
				const count = (list: readonly PendingConnection[]) =>
					list.filter(({ remoteAddress }) => remoteAddress === lost.remoteAddress).length;
				const isOnlyOne = count(all) === 1 && new Set(all.map((one) => one.remoteAddress)).size === all.length;
				if (!isOnlyOne) assert.ok(count(all) > 1, "an address with one connection lost it to one with several");
				else assert.ok(turns.get(lost.remoteAddress) === Math.max(...all.map((one) => turns.get(one.remoteAddress)!)));
				checked++;
			}
		}
		assert.ok(checked > 1000);
	});

	/**
	 * Number of turns of others until the owner has one. All hostile addresses knock again and again, the owner once
	 * between two turns. `before`: turns that each hostile address has had.
	 */
	function turnsUntilOwner(before: readonly number[], random: SeededRandom): number {
		const queue = newQueue(PLACES, random.below(2 ** 31));
		const knock = (address: string) => {
			const connection = new PendingConnection(address);
			queue.add(connection);
			return connection;
		};
		for (const [index, turns] of before.entries())
			for (let turn = 0; turn < turns; turn++) {
				knock(hostile(index));
				queue.take();
			}
		let owner: PendingConnection | undefined;
		for (let count = 0; ; count++) {
			const attempt = random.below(4 * PLACES);
			for (let arrival = 0; arrival < 4 * PLACES; arrival++) {
				if (arrival === attempt && (owner === undefined || owner.isClosed)) owner = knock(OWNER);
				knock(hostile(random.below(before.length)));
			}
			if (queue.take() === owner) return count;
		}
	}

	it("lets an owner wait only for addresses that are as new, of any of up to eight", () => {
		for (let count = 1; count <= 8; count++)
			for (let set = 0; set < 2 ** count; set++) {
				const before = Array.from({ length: count }, (_, index) => (set >> index) & 1);
				const fresh = before.filter((turns) => turns === 0).length;
				for (let seed = 1; seed <= 4; seed++)
					assert.ok(turnsUntilOwner(before, new SeededRandom(seed)) <= fresh, `${before} with seed ${seed}`);
			}
	});

	it("lets an owner wait only for addresses that are as new, of 20 to 240", () => {
		for (const count of [20, 60, 240])
			for (let seed = 1; seed <= 30; seed++) {
				const random = new SeededRandom(seed);
				const share = random.below(4);
				const before = Array.from({ length: count }, () => (random.below(4) < share ? 0 : 1 + random.below(3)));
				const fresh = before.filter((turns) => turns === 0).length;
				assert.ok(turnsUntilOwner(before, random) <= fresh, `seed ${seed}`);
			}
	});

	it("drops any of equals with about the same probability", () => {
		const dropped = new Map<string, number>();
		for (let seed = 1; seed <= 700; seed++) {
			const queue = newQueue(PLACES, Math.imul(seed, 0x9e3779b1) >>> 0);
			const all = Array.from({ length: PLACES + 1 }, (_, index) => new PendingConnection(hostile(index)));
			for (const one of all) queue.add(one);
			const { remoteAddress } = all.find(({ isClosed }) => isClosed)!;
			dropped.set(remoteAddress, (dropped.get(remoteAddress) ?? 0) + 1);
		}
		assert.equal(dropped.size, PLACES + 1);
		for (const count of dropped.values()) assert.ok(count > 60 && count < 150, `${[...dropped.values()]}`);
	});

	it("drops a connection that its client has closed, and closes all waiting ones when the queue itself is closed", () => {
		const queue = newQueue(4, 1);
		const connections = ["a", "b", "c"].map((address) => new PendingConnection(address));
		for (const connection of connections) queue.add(connection);
		queue.remove(connections[0]);
		assert.equal(queue.take(), connections[1]);
		queue.close();
		assert.equal(queue.count, 0);
		assert.deepEqual(
			connections.map(({ isClosed }) => isClosed),
			[false, false, true],
		);
	});
});
