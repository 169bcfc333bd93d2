import assert from "node:assert/strict";
import { Checks, type Peer } from "./checks.js";
import { PeerMissing } from "./peer.js";

const forever = () => new Promise<never>(() => {});

/** Runs a peer with short limits; returns all lines, without the list of programs, and the counts. */
async function linesOf<T>(peer: Peer<T>) {
	const lines: string[] = [];
	const checks = new Checks((line) => lines.push(line), { prepare: 20, run: 20, end: 20 });
	await checks.run(peer);
	return { lines: lines.filter((line) => !line.startsWith("\t")), counts: checks.counts };
}

describe("checks of peers", () => {
	it("reports cases that pass, fail, and can't run", async () => {
		let ended = 0;
		const { lines, counts } = await linesOf({
			name: "peer",
			prepare: async () => 7,
			cases: [
				{ name: "a", run: async (seven) => assert.equal(seven, 7) },
				{ name: "b", run: async () => Promise.reject(new Error("wrong")) },
				{ name: "c", run: async () => Promise.reject(new PeerMissing("not installed")) },
			],
			end: async () => void ended++,
		});
		assert.deepEqual(lines, [
			"passed  peer: a",
			"second attempt: peer: b\nwrong",
			"skipped  peer: c: not installed",
			"failed  peer: b\nwrong",
		]);
		assert.deepEqual(counts, { passed: 1, failed: 1, skipped: 1 });
		assert.equal(ended, 2);
	});

	it("reports a case that fails only once as passed, after a line that names it", async () => {
		let attempts = 0;
		const { lines, counts } = await linesOf({
			name: "peer",
			prepare: async () => ++attempts,
			cases: [
				{ name: "a", run: async (attempt) => (attempt > 1 ? undefined : Promise.reject(new Error("late"))) },
				{ name: "b", run: async () => {} },
			],
		});
		assert.deepEqual(lines, ["second attempt: peer: a\nlate", "passed  peer: b", "passed  peer: a"]);
		assert.deepEqual(counts, { passed: 2, failed: 0, skipped: 0 });
	});

	it("fails for a peer with a failed case that can't be prepared again", async () => {
		let attempts = 0;
		const { lines, counts } = await linesOf({
			name: "peer",
			prepare: async () => {
				if (++attempts > 1) throw new PeerMissing("port 2001 is in use");
			},
			cases: [{ name: "a", run: () => Promise.reject(new Error("wrong")) }],
		});
		assert.equal(lines.at(-1), "failed  peer could not be prepared: port 2001 is in use");
		assert.deepEqual(counts, { passed: 0, failed: 1, skipped: 0 });
	});

	it("prepares a peer again if a case hangs, and reports each case once", async () => {
		let prepared = 0;
		let ended = 0;
		const { lines, counts } = await linesOf({
			name: "peer",
			prepare: async () => ++prepared,
			cases: [
				{ name: "a", run: async () => {} },
				{ name: "b", run: async (time) => (time === 1 ? forever() : undefined) },
			],
			end: async () => void ended++,
		});
		assert.deepEqual(lines, [
			"passed  peer: a",
			"peer: b: not done in 0.02 s. It is tried once more. These programs run:",
			"passed  peer: b",
		]);
		assert.deepEqual(counts, { passed: 2, failed: 0, skipped: 0 });
		assert.equal(ended, 2);
	});

	for (const [what, hanging] of Object.entries({
		"peer, its preparation": { prepare: forever, cases: [] },
		"peer: a": { prepare: async () => {}, cases: [{ name: "a", run: forever }], end: forever },
	})) {
		it(`fails for a peer that hangs twice: ${what}`, async () => {
			const { lines, counts } = await linesOf({ name: "peer", ...hanging });
			assert.equal(lines.at(-1), `failed  ${what}: not done in 0.02 s`);
			assert.equal(counts.failed, 1);
		});
	}

	it("reports a peer that can't be ended", async () => {
		const { lines } = await linesOf({
			name: "peer",
			prepare: async () => {},
			cases: [],
			end: async () => Promise.reject(new Error("exit code 1")),
		});
		const text = "peer could not be ended: exit code 1";
		assert.deepEqual(lines, [`second attempt: ${text}`, `failed  ${text}`]);
	});

	it("reports a peer that can't be prepared", async () => {
		const cases = [{ name: "a", run: async () => {} }];
		const lines = async (error: Error) =>
			(await linesOf({ name: "peer", prepare: () => Promise.reject(error), cases })).lines;
		const text = "peer could not be prepared: no port";
		assert.deepEqual(await lines(new Error("no port")), [`second attempt: ${text}`, `failed  ${text}`]);
		assert.deepEqual(await lines(new PeerMissing("no Java")), ["skipped  peer, 1 cases: no Java"]);
	});
});
