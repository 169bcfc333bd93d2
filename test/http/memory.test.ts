/** The HTTP server with little memory: which connections are accepted, dropped, or made to wait. */
import assert from "node:assert/strict";
import { MemoryLedger } from "../../modules/io/memory.js";
import { Bed, get, TOKEN } from "./bed.js";

/** A test bed that has no memory for connections while `isShort` is set. */
function shortBed() {
	const memory = {
		isShort: true,
		checks: 0,
		suffices(): boolean {
			memory.checks++;
			return !memory.isShort;
		},
	};
	return { bed: new Bed(4, {}, new MemoryLedger(memory)), memory };
}

describe("HTTP server: short of memory", () => {
	it("accepts two connections without a check, and a third as soon as there is memory", () => {
		const { bed, memory } = shortBed();
		for (let i = 0; i < 2; i++) bed.exchange(bed.connect(), get("/later", TOKEN));
		assert.equal(memory.checks, 0);
		const third = bed.connect();
		third.send(get("/text"));
		bed.loop.advance(1000);
		assert.equal(third.receivedLength, 0);
		assert.ok(memory.checks >= 2 && memory.checks < 10, `${memory.checks} checks in a second`);
		memory.isShort = false;
		bed.loop.advance(250);
		assert.ok(third.receivedLength > 0);
	});

	it("closes an unknown client on either port after its grace period, but no request with a token", () => {
		const { bed } = shortBed();
		const owner = bed.connect();
		bed.exchange(owner, get("/later", TOKEN));
		const stranger = bed.connect(undefined, bed.securePort);
		stranger.send("GET /te");
		bed.loop.settle();
		const newcomer = bed.connect();
		newcomer.send(get("/text"));
		bed.loop.advance(900);
		assert.deepEqual([stranger.closed, newcomer.receivedLength], [false, 0]);
		bed.loop.advance(350);
		assert.deepEqual([owner.closed, stranger.closed], [false, true]);
		assert.ok(newcomer.receivedLength > 0);
	});

	it("accepts a pending connection when another ends", () => {
		const { bed } = shortBed();
		const [first] = [bed.connect(), bed.connect()].map((client) => {
			bed.exchange(client, get("/later", TOKEN));
			return client;
		});
		const third = bed.connect();
		third.send(get("/text"));
		bed.loop.settle();
		assert.equal(third.receivedLength, 0);
		first.leave();
		bed.loop.advance(250);
		assert.ok(third.receivedLength > 0);
	});
});
