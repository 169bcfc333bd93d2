/** The HTTP server with little memory: which connections are accepted, dropped, or made to wait. */
import assert from "node:assert/strict";
import { MemoryLedger } from "../../modules/io/memory.js";
import { Bench, get, TOKEN } from "./bench.js";

/** A bench that has no memory for connections while `isShort` is set. */
function shortBench() {
	const memory = {
		isShort: true,
		checks: 0,
		suffices(): boolean {
			memory.checks++;
			return !memory.isShort;
		},
	};
	return { bench: new Bench(4, {}, new MemoryLedger(memory)), memory };
}

describe("HTTP server: short of memory", () => {
	it("accepts two connections without a check, and a third as soon as there is memory", () => {
		const { bench, memory } = shortBench();
		for (let i = 0; i < 2; i++) bench.exchange(bench.connect(), get("/later", TOKEN));
		assert.equal(memory.checks, 0);
		const third = bench.connect();
		third.send(get("/text"));
		bench.world.advance(1000);
		assert.equal(third.receivedLength, 0);
		assert.ok(memory.checks >= 2 && memory.checks < 10, `${memory.checks} checks in a second`);
		memory.isShort = false;
		bench.world.advance(250);
		assert.ok(third.receivedLength > 0);
		assert.deepEqual(bench.mistakes, []);
	});

	it("closes an unknown client on either port after its grace period, but no request with a token", () => {
		const { bench } = shortBench();
		const owner = bench.connect();
		bench.exchange(owner, get("/later", TOKEN));
		const stranger = bench.connect(undefined, bench.securePort);
		stranger.send("GET /te");
		bench.world.settle();
		const newcomer = bench.connect();
		newcomer.send(get("/text"));
		bench.world.advance(900);
		assert.deepEqual([stranger.closed, newcomer.receivedLength], [false, 0]);
		bench.world.advance(350);
		assert.deepEqual([owner.closed, stranger.closed], [false, true]);
		assert.ok(newcomer.receivedLength > 0);
		assert.deepEqual(bench.mistakes, []);
	});

	it("accepts a pending connection when another ends", () => {
		const { bench } = shortBench();
		const [first] = [bench.connect(), bench.connect()].map((client) => {
			bench.exchange(client, get("/later", TOKEN));
			return client;
		});
		const third = bench.connect();
		third.send(get("/text"));
		bench.world.settle();
		assert.equal(third.receivedLength, 0);
		first.leave();
		bench.world.advance(250);
		assert.ok(third.receivedLength > 0);
	});
});
