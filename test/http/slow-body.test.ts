/**
 * Slow consumption of bodies (`rest` of BodySink): one piece per event-loop pass, separate time limits, and reading to
 * the end after an early reply.
 */
import assert from "node:assert/strict";
import type { BodySink } from "../../modules/http/handler.js";
import type { HTTPResponse } from "../../modules/http/response.js";
import { Bed, get, request, TOKEN } from "./bed.js";
import { replies } from "./fake.js";

/** A sink that accepts up to `appetite` bytes a call. */
class Slow implements BodySink {
	readonly limit = 100_000;
	readonly #response: HTTPResponse;
	readonly #appetite: number;
	rest = 0;
	body = "";
	/** For each piece, the number of its event-loop pass. */
	readonly ticks: number[] = [];
	ended = 0;
	aborted = 0;
	/** Replies 500 after that many bytes. */
	refuseAt = Number.POSITIVE_INFINITY;

	constructor(response: HTTPResponse, appetite: number) {
		this.#response = response;
		this.#appetite = appetite;
	}

	write(bytes: Uint8Array, start: number, end: number): void {
		assert.ok(start < end && this.ended + this.aborted === 0);
		const taken = Math.min(this.#appetite, end - start);
		this.body += String.fromCharCode(...bytes.subarray(start, start + taken));
		this.rest = end - start - taken;
		this.ticks.push(tick);
		if (this.body.length >= this.refuseAt) this.#response.sendText(500, "refused");
	}

	end(): void {
		this.ended++;
		this.#response.sendText(200, `${this.body.length}`);
	}

	abort(): void {
		this.aborted++;
	}
}

let tick = 0;

function setUp(appetite = 1000): { bed: Bed; sinks: Slow[] } {
	const bed = new Bed();
	const sinks: Slow[] = [];
	bed.route = (one, response) => {
		if (one.path !== "/slow") {
			response.sendText(200, "hello");
			return undefined;
		}
		const sink = new Slow(response, appetite);
		sinks.push(sink);
		return sink;
	};
	// Each timer callback is a pass.
	const { set } = bed.loop.timers;
	bed.loop.timers.set = (callback, delayMs) =>
		set(() => {
			tick++;
			callback();
		}, delayMs);
	return { bed, sinks };
}

const LETTERS = Array.from({ length: 10_000 }, (_, i) => String.fromCharCode(0x61 + (i % 26))).join("");

describe("HTTP server: slow bodies", () => {
	it("are passed on one piece per event-loop pass; the unused rest of a piece is passed again, and nothing else twice", () => {
		for (const chunked of [false, true]) {
			const { bed, sinks } = setUp(700);
			const client = bed.connect();
			const framing = chunked ? "Transfer-Encoding: chunked" : `Content-Length: ${LETTERS.length}`;
			const body = chunked
				? `1388\r\n${LETTERS.slice(0, 5000)}\r\n1388\r\n${LETTERS.slice(5000)}\r\n0\r\n\r\n`
				: LETTERS;
			client.send(request("POST", "/slow", framing, TOKEN) + body + get("/text"));
			bed.loop.advance(1000);
			const [sink] = sinks;
			assert.equal(sink.body, LETTERS);
			assert.equal(new Set(sink.ticks).size, sink.ticks.length, "two pieces in one pass");
			assert.deepEqual([sink.ended, sink.aborted], [1, 0]);
			const received = replies(client.takeBytes());
			assert.deepEqual(
				received.map(({ body }) => body),
				["10000", "hello"],
				"the next request waits in the same buffer",
			);
		}
	});

	it("do not block other connections", () => {
		const { bed, sinks } = setUp(100);
		const client = bed.connect();
		client.send(request("POST", "/slow", `Content-Length: ${LETTERS.length}`, TOKEN) + LETTERS);
		bed.loop.settle();
		bed.probe();
		assert.ok(sinks[0].body.length < 1000);
		bed.loop.advance(1000);
		assert.equal(sinks[0].ended, 1);
	});

	it("may be silent for 30 s, and take 15 minutes as a whole", () => {
		const { bed, sinks } = setUp();
		const silent = bed.connect();
		silent.send(request("POST", "/slow", "Content-Length: 9000", TOKEN) + LETTERS.slice(0, 100));
		bed.loop.advance(29_000);
		assert.equal(sinks[0].aborted, 0);
		bed.loop.advance(1001);
		assert.equal(replies(silent.takeBytes())[0].status, 408);
		assert.equal(sinks[0].aborted, 1);
		const slow = bed.connect();
		slow.send(request("POST", "/slow", "Content-Length: 9000", TOKEN));
		for (let i = 0; i < 36; i++) {
			slow.send("x");
			bed.loop.advance(25_000);
			assert.equal(sinks[1].aborted, Number(i === 35));
		}
		assert.equal(replies(slow.takeBytes())[0].status, 408);
	});

	it("end if the client disconnects or the server closes between two pieces", () => {
		for (const end of ["client", "server"]) {
			const { bed, sinks } = setUp(100);
			const client = bed.connect();
			client.send(request("POST", "/slow", `Content-Length: ${LETTERS.length}`, TOKEN) + LETTERS);
			bed.loop.settle();
			if (end === "client") client.leave();
			else bed.server.close();
			bed.loop.advance(60_000);
			if (end === "server") assert.deepEqual([sinks[0].ended, sinks[0].aborted], [0, 1]);
			else assert.equal(sinks[0].ended + sinks[0].aborted, 1);
			assert.equal(bed.server.connectionCount, 0);
		}
	});

	it("are read to the end after an early reply if the request has a token, so that a client that reads late gets the reply", () => {
		const long = LETTERS.repeat(9);
		for (const isKnown of [true, false]) {
			const bed = new Bed();
			bed.route = (_, response) => {
				response.sendText(500, "refused");
				return undefined;
			};
			const client = bed.connect();
			client.reading = false;
			const fields = [`Content-Length: ${long.length}`, ...(isKnown ? [TOKEN] : [])];
			client.send(request("POST", "/slow", ...fields));
			for (let at = 0; at < long.length; at += 10_000) {
				client.send(long.slice(at, at + 10_000));
				bed.loop.advance(1900);
			}
			assert.equal(client.toServer.length === 0, isKnown, "all was read");
			client.reading = true;
			bed.loop.advance(1900);
			if (isKnown) assert.equal(replies(client.takeBytes())[0].body, "refused");
			bed.loop.advance(10_000);
			assert.ok(client.closed);
		}
	});

	it("may be rejected in the middle of a piece", () => {
		const { bed, sinks } = setUp(500);
		const client = bed.connect();
		client.send(request("POST", "/slow", `Content-Length: ${LETTERS.length}`, TOKEN));
		bed.loop.settle();
		sinks[0].refuseAt = 1000;
		client.send(LETTERS);
		bed.loop.advance(100);
		const [reply] = replies(client.takeBytes());
		assert.deepEqual([reply.status, reply.body, reply.fields.get("connection")], [500, "refused", "close"]);
		assert.deepEqual([sinks[0].ended, sinks[0].aborted], [0, 0]);
		assert.equal(client.toServer.length, 0);
		bed.loop.advance(5000);
		assert.ok(client.closed);
	});
});
