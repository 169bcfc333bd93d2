/** Behaviour of all outputs: permit and memory, pauses, and the test of an output by the user. */
import assert from "node:assert/strict";
import { VirtualWorld } from "../../hosts/node/virtual.js";
import { NO_MEMORY } from "../../modules/config/blob.js";
import { CLIENT_OUT_OF_MEMORY, CLIENT_UNREACHABLE, CLIENT_UNTRUSTED } from "../../modules/io/client.js";
import { MemoryLedger } from "../../modules/io/memory.js";
import { TLSPermit } from "../../modules/io/tls-permit.js";
import { HUB_COST } from "../../modules/parts/hub/hub.js";
import { outputFailure, RETCODE_MEMORY } from "../../modules/publish/connect-failures.js";
import { LACK_MS, Output, type OutputOptions, TEST_PAUSE_MS } from "../../modules/publish/output.js";

const BROKEN = outputFailure("broken", 3, "It broke.");
const DULL = outputFailure("dull", 3, "It is dull.");
const NARROW = outputFailure("narrow", RETCODE_MEMORY, "There is no memory.");

function makeOutput({
	testLeastMs = 0,
	suffices = (_slots: number): boolean => true,
	heapBytes = (): number => 100_000,
} = {}) {
	const world = new VirtualWorld({ seed: 1 });
	const reports: string[] = [];
	const tlsPermit = new TLSPermit();
	const { clock, crypto, network } = world;
	const free = () => ({ slots: 1000, chunkBytes: 10_000, heapBytes: heapBytes() });
	const options: OutputOptions = { cost: HUB_COST, testLimitMs: 45_000, testLeastMs };
	const access = {
		certificates: { isSet: true, lend: <Result>(use: (pem: Uint8Array) => Result) => use(new Uint8Array(1)) },
		outputChanged: (failure?: { code: string }) => reports.push(failure?.code ?? "works"),
	};
	const shared = { clock, crypto, ports: network, ledger: new MemoryLedger({ suffices, free }), tlsPermit };
	const output = new Output(shared as never, access, { permitted: () => reports.push("permitted") }, options);
	return { access, network, output, tlsPermit, reports };
}

/** A test that records its results; `drained` drains the output and returns them. */
function tester(output: Output) {
	const reports: string[] = [];
	const test = {
		finished: (failure?: { code: string }, status = 0) => reports.push(`${failure?.code ?? "ok"} ${status}`),
	};
	const drained = (nowMs: number) => {
		output.drain(nowMs);
		return reports.splice(0);
	};
	return { drained, test };
}

describe("publish/output", () => {
	it("reports the first failure and the recovery, and counts all failures", () => {
		const { output, reports } = makeOutput();
		output.fail(BROKEN, 0, 0);
		output.fail(DULL, 0, 1);
		assert.equal(output.failure, DULL);
		output.succeed(0, 2);
		output.succeed(0, 3);
		assert.deepEqual(reports, ["broken", "works"]);
		assert.equal(output.failures, 2);
	});

	it("reports a lack of memory once, when it has lasted for half an hour, and to a test at once", () => {
		const { output, reports } = makeOutput();
		const { drained, test } = tester(output);
		output.test(test, 0);
		output.fail(NARROW, 0, 0);
		assert.deepEqual(drained(0), ["narrow 0"]);
		for (let nowMs = 0; nowMs < LACK_MS; nowMs += 10_000) output.fail(NARROW, 0, nowMs);
		assert.ok(output.pauseMs([10, 600]) <= 15_000, "the pauses do not grow");
		assert.deepEqual([output.failure, output.failures, reports], [undefined, 0, []]);
		for (const laterMs of [0, 1000, 2000]) output.lack(NARROW, LACK_MS + laterMs);
		assert.deepEqual(reports, ["narrow"]);
		output.succeed(0, LACK_MS + 3000);
		output.lack(NARROW, LACK_MS + 4000);
		assert.deepEqual([output.failure, reports], [undefined, ["narrow", "works"]]);
		output.fail(BROKEN, 0, LACK_MS + 5000);
		output.lack(NARROW, 2 * LACK_MS + 4500);
		assert.equal(output.failure, BROKEN, "the lack began anew after the other failure");
	});

	it("pauses longer after each failure in a row, half to one and a half times as long", () => {
		const { output } = makeOutput();
		for (const pauseS of [10, 30, 30, 30]) {
			output.fail(BROKEN, 0, 0);
			const pauseMs = output.pauseMs([10, 30]);
			assert.ok(pauseMs >= pauseS * 500 && pauseMs <= pauseS * 1500, `${pauseMs} ms`);
		}
		output.renew();
		assert.ok(output.pauseMs([10, 30]) <= 15_000);
	});

	it("spreads the first pauses of many gateways evenly over ten seconds", () => {
		const seconds = new Array<number>(15).fill(0);
		const { output } = makeOutput();
		output.fail(BROKEN, 0, 0);
		for (let i = 0; i < 1000; i++) seconds[Math.min(14, Math.floor(output.pauseMs([10]) / 1000))]++;
		assert.deepEqual(seconds.slice(0, 5), [0, 0, 0, 0, 0]);
		assert.ok(Math.max(...seconds) < 150 && Math.min(...seconds.slice(5)) > 60, `${seconds}`);
	});

	it("accepts a permit that is granted during the request, and returns one that is granted too late", () => {
		const { output, tlsPermit, reports } = makeOutput();
		const other = { permitGranted: () => {}, permitRequested: () => tlsPermit.release(other) };
		tlsPermit.request(other);
		assert.equal(output.askPermit(), false);
		assert.deepEqual(reports, ["permitted"]);
		assert.equal(output.askPermit(), true);
		output.giveBack();
		const keeper = { permitGranted: () => {}, permitRequested: () => {} };
		tlsPermit.request(keeper);
		assert.equal(output.askPermit(), false);
		output.giveBack();
		tlsPermit.release(keeper);
		assert.equal(reports.length, 1);
		assert.equal(tlsPermit.request(keeper), true);
	});

	it("claims memory once, and releases it once", () => {
		let free = 1000;
		const { output } = makeOutput({ suffices: (slots: number) => slots <= free });
		assert.equal(output.claim(), true);
		free = 0;
		assert.equal(output.claim(), true, "the memory is already claimed");
		output.release();
		output.release();
		assert.equal(output.claim(), false);
	});

	it("opens no connection while the heap is too short for its thread, but sends over an open one", () => {
		let heap = 39 * 1024 - 1;
		const { output } = makeOutput({ heapBytes: () => heap });
		assert.equal(output.claimConnection(), false);
		heap++;
		assert.equal(output.claimConnection(), true);
		output.release();
		heap = 0;
		assert.equal(output.claim(), true);
	});

	it("reports why no connection can be opened", () => {
		const { access, network, output } = makeOutput();
		const refuse = () => {
			throw new Error("not a certificate");
		};
		assert.equal(output.connect(true, refuse), CLIENT_UNTRUSTED);
		assert.equal(output.connect(false, refuse), CLIENT_UNREACHABLE);
		access.certificates.lend = (() => NO_MEMORY) as never;
		assert.equal(
			output.connect(true, () => ({})),
			CLIENT_OUT_OF_MEMORY,
		);
		access.certificates.lend = (() => undefined) as never;
		assert.equal(
			output.connect(true, () => ({})),
			CLIENT_UNTRUSTED,
		);
		(network as { tlsClient?: unknown }).tlsClient = undefined;
		assert.equal(
			output.connect(true, () => ({})),
			CLIENT_UNREACHABLE,
		);
	});

	it("ends a test once: with its first outcome, or at its time limit", () => {
		const { output } = makeOutput();
		const { drained, test } = tester(output);
		assert.equal(output.test(test, 0), true);
		assert.equal(output.test(test, 1), false, "only one test runs at a time");
		output.answer(BROKEN, 0, 10);
		output.answer(undefined, 200, 11);
		assert.deepEqual(drained(11), ["broken 0"]);
		assert.deepEqual(drained(99_000), []);
		assert.equal(output.test(test, 11 + TEST_PAUSE_MS - 1), false);
		assert.equal(output.test(test, 11 + TEST_PAUSE_MS), true);
		assert.equal(output.deadlineMs, 11 + TEST_PAUSE_MS + 45_000);
		assert.deepEqual(drained(output.deadlineMs), ["timeout 0"]);
	});

	it("reports a failed test only after the minimum time, unless the server has replied", () => {
		const { output } = makeOutput({ testLeastMs: 8000 });
		const { drained, test } = tester(output);
		output.test(test, 0);
		output.answer(BROKEN, 0, 10);
		assert.deepEqual(drained(7999), []);
		assert.deepEqual(drained(8000), ["broken 0"]);
		output.test(test, 20_000);
		output.answer(BROKEN, 401, 20_010);
		assert.deepEqual(drained(20_010), ["broken 401"]);
	});

	it("reports nothing for a cancelled test", () => {
		const { output } = makeOutput();
		const { drained, test } = tester(output);
		output.test(test, 0);
		output.cancel({ finished: () => {} }, 1);
		assert.notEqual(output.testedSinceMs, undefined, "another client can't cancel the test");
		output.cancel(test, 1);
		output.answer(BROKEN, 0, 2);
		assert.deepEqual(drained(60_000), []);
	});
});
