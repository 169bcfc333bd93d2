/** The HTTP server over time: deferred replies, cancellation, time-outs, slow readers, the connection limit. */
import assert from "node:assert/strict";
import { Bench, get, Letters, post, request, TOKEN } from "./bench.js";
import { type FakeClient, replies } from "./fake.js";

describe("HTTP server: deferred replies", () => {
	it("waits for the handler without a time limit", () => {
		const bench = new Bench();
		const client = bench.connect();
		bench.exchange(client, get("/later"));
		bench.world.advance(24 * 3600_000);
		assert.equal(client.closed, false);
		assert.equal(bench.later[0].isOpen, true);
		bench.later[0].header("X-Late", "yes").send(200, new Letters(3000));
		assert.equal(bench.later[0].isOpen, false);
		bench.world.settle();
		const [reply] = replies(client.takeBytes());
		assert.equal(reply.body, Letters.text(3000));
		assert.equal(reply.fields.get("x-late"), "yes");
		assert.equal(bench.exchange(client, get("/text"))[0].body, "hello");
		assert.equal(bench.cancelled, 0);
	});

	it("notifies the handler when the client disconnects, and ignores a late reply", () => {
		const bench = new Bench();
		const client = bench.connect();
		bench.exchange(client, get("/later"));
		client.leave();
		bench.world.settle();
		assert.equal(bench.cancelled, 1);
		assert.ok(client.closed);
		assert.equal(bench.later[0].isOpen, false);
		const source = new Letters(5);
		bench.later[0].header("X", "y").send(200, source);
		bench.later[0].sendText(200, "late");
		assert.equal(source.closed, 1);
		assert.equal(source.reads, 0);
		assert.equal(bench.cancelled, 1);
		assert.equal(bench.server.connectionCount, 0);
	});

	it("ignores a second reply, without harm to the next request", () => {
		const bench = new Bench();
		const client = bench.connect();
		bench.exchange(client, get("/later"));
		bench.later[0].send(200);
		bench.exchange(client, get("/later"));
		bench.later[0].sendText(500, "again");
		bench.world.settle();
		assert.equal(client.receivedLength, 0);
		bench.later[1].sendText(200, "second");
		bench.world.settle();
		assert.equal(replies(client.takeBytes())[0].body, "second");
	});

	it("closes a body that is being sent when the client disconnects", () => {
		const bench = new Bench();
		const client = bench.connect(500);
		client.reading = false;
		bench.exchange(client, get("/later"));
		const source = new Letters(100_000);
		bench.later[0].send(200, source);
		bench.world.settle();
		assert.equal(source.closed, 0);
		client.leave();
		bench.world.settle();
		assert.equal(source.closed, 1);
		assert.equal(bench.cancelled, 0);
	});

	it("discards a body that arrives while the handler is busy", () => {
		const bench = new Bench();
		const client = bench.connect();
		bench.exchange(client, post("/later", "x".repeat(3000)));
		bench.later[0].sendText(200, "done");
		bench.world.settle();
		assert.equal(replies(client.takeBytes())[0].fields.get("connection"), undefined);
		bench.exchange(client, request("POST", "/later", "Content-Length: 9000") + "x".repeat(8000));
		bench.later[1].sendText(200, "done");
		bench.world.settle();
		assert.equal(replies(client.takeBytes())[0].fields.get("connection"), "close");
	});

	it("replies even if the unwanted body never arrives", () => {
		const bench = new Bench();
		const client = bench.connect();
		bench.exchange(client, request("POST", "/later", "Content-Length: 10"));
		bench.world.advance(60_000);
		assert.equal(client.closed, false);
		bench.later[0].sendText(200, "done");
		bench.world.settle();
		assert.equal(replies(client.takeBytes())[0].fields.get("connection"), "close");
		bench.world.advance(2000);
		assert.ok(client.closed);
	});

	it("replies 500 in place of a reply with an invalid length", () => {
		const bench = new Bench();
		for (const length of [Number.NaN, -1]) {
			const client = bench.connect();
			bench.route = (_request, response) => {
				response.send(200, { read: () => 0 }, length);
				return undefined;
			};
			client.send(get("/"));
			bench.world.settle();
			assert.equal(replies(client.takeBytes())[0].status, 500);
			assert.ok(bench.mistakes.pop() instanceof RangeError);
			client.leave();
			bench.world.settle();
			assert.equal(bench.server.connectionCount, 0);
		}
	});

	it("passes an exception in a late reply to the caller, and replies 500", () => {
		const bench = new Bench();
		const client = bench.connect();
		bench.exchange(client, get("/later"));
		const broken = {
			read: () => {
				throw new Error("source");
			},
		};
		assert.throws(() => bench.later[0].send(200, broken), /source/);
		bench.world.settle();
		assert.equal(replies(client.takeBytes())[0].status, 500);
		bench.world.advance(2000);
		assert.ok(client.closed);
	});

	it("replies 500 with the `sentence` of the exception, if it has one", () => {
		for (const [thrown, message] of [
			[Object.assign(new Error("flash: full"), { sentence: "The flash refuses." }), "The flash refuses."],
			[new Error("flash: full"), "Internal error while answering the request."],
		] as const) {
			const bench = new Bench();
			const client = bench.connect();
			bench.exchange(client, get("/later"));
			const broken = {
				read: () => {
					throw thrown;
				},
			};
			assert.throws(() => bench.later[0].send(200, broken));
			bench.world.settle();
			const text = Buffer.from(client.takeBytes()).toString();
			assert.deepEqual(JSON.parse(text.slice(text.indexOf("{"))), { error: "internal", message });
		}
	});
});

describe("HTTP server: time limits", () => {
	it("gives a head 10 s from its first byte, then replies 408", () => {
		const bench = new Bench();
		const client = bench.connect();
		bench.world.advance(9000);
		const slow = get("/text", "X: slowloris");
		for (let i = 0; i < 9; i++) {
			client.send(slow[i]);
			bench.world.advance(1000);
		}
		bench.world.advance(999);
		assert.equal(client.receivedLength, 0);
		bench.world.advance(1);
		const [reply] = replies(client.takeBytes());
		assert.equal(reply.status, 408);
		assert.equal((JSON.parse(reply.body) as { error: string }).error, "timeout");
		bench.world.advance(2000);
		assert.ok(client.closed);
	});

	it("accepts a head that is complete just in time", () => {
		const bench = new Bench();
		const client = bench.connect();
		const slow = get("/text");
		client.send(slow.slice(0, 10));
		bench.world.advance(9999);
		assert.equal(bench.exchange(client, slow.slice(10))[0].status, 200);
	});

	it("closes a new connection without data after 10 s, and an idle one after 30 s, without a reply", () => {
		const bench = new Bench();
		const silent = bench.connect();
		const idle = bench.connect();
		bench.exchange(idle, get("/text"));
		bench.world.advance(9999);
		assert.equal(silent.closed, false);
		bench.world.advance(1);
		assert.equal(silent.closed, true);
		assert.equal(silent.receivedLength, 0);
		bench.world.advance(19_999);
		assert.equal(idle.closed, false);
		bench.world.advance(1);
		assert.equal(idle.closed, true);
		assert.equal(idle.receivedLength, 0);
	});

	it("replies 408 after 10 s without a byte of the body, and aborts the sink", () => {
		const bench = new Bench();
		const client = bench.connect();
		bench.exchange(client, request("POST", "/echo", "Content-Length: 1000", TOKEN));
		for (let i = 0; i < 5; i++) {
			bench.world.advance(9999);
			bench.exchange(client, "x");
		}
		bench.world.advance(9999);
		assert.equal(bench.sink?.aborted, 0);
		bench.world.advance(1);
		assert.equal(replies(client.takeBytes())[0].status, 408);
		assert.equal(bench.sink?.aborted, 1);
	});

	it("limits a body without a token to 10 s as a whole, even if an earlier request of the connection had a token", () => {
		const bench = new Bench();
		const client = bench.connect();
		bench.exchange(client, post("/echo", "x", TOKEN));
		bench.exchange(client, request("POST", "/echo", "Content-Length: 1000"));
		for (let i = 0; i < 9; i++) {
			bench.world.advance(1000);
			assert.deepEqual(bench.exchange(client, "x"), []);
		}
		bench.world.advance(999);
		assert.equal(client.receivedLength, 0);
		bench.world.advance(1);
		assert.equal(replies(client.takeBytes())[0].status, 408);
	});

	it("replies 408 even if the sink throws an exception in abort", () => {
		const bench = new Bench();
		const client = bench.connect();
		bench.route = () => ({
			limit: 100,
			write: () => {},
			end: () => {},
			abort: () => {
				throw new Error("abort");
			},
		});
		bench.exchange(client, request("POST", "/", "Content-Length: 10"));
		bench.world.advance(10_000);
		assert.equal(replies(client.takeBytes())[0].status, 408);
		assert.equal(bench.mistakes.length, 1);
		bench.world.advance(2000);
		assert.ok(client.closed);
	});

	it("limits a body with a token to 5 minutes as a whole, however steadily it arrives", () => {
		const bench = new Bench();
		const client = bench.connect();
		bench.exchange(client, request("POST", "/echo", "Content-Length: 1000", TOKEN));
		for (let i = 0; i < 59; i++) {
			bench.world.advance(5000);
			bench.exchange(client, "x");
		}
		bench.world.advance(4999);
		assert.equal(client.receivedLength, 0);
		bench.world.advance(1);
		assert.equal(replies(client.takeBytes())[0].status, 408);
	});

	it("closes when the client reads nothing of the reply for 20 s, or a byte now and then for 5 minutes", () => {
		for (const [stepMs, steps] of [
			[20_000, 1],
			[10_000, 30],
		] as const) {
			const bench = new Bench();
			const client = bench.connect(100);
			client.reading = false;
			client.send(get("/stream?size=1000000"));
			bench.world.settle();
			for (let i = 0; i < steps; i++) {
				bench.world.advance(stepMs - 1);
				assert.equal(client.closed, false, `${i}`);
				if (i < steps - 1) {
					client.drain(1);
					bench.world.settle();
				}
				bench.world.advance(1);
			}
			assert.equal(client.closed, true);
			assert.equal(bench.source?.closed, 1);
		}
	});

	it("has one timer, and none when it is closed", () => {
		const bench = new Bench(4);
		const clients = [bench.connect(), bench.connect(), bench.connect()];
		for (let i = 0; i < 50; i++) for (const client of clients) bench.exchange(client, get("/text"));
		assert.equal(bench.world.timerCount, 1);
		assert.ok(bench.world.timersSet < 10, `${bench.world.timersSet} timers for 150 requests`);
		bench.server.close();
		bench.server.close();
		assert.equal(bench.world.timerCount, 0);
		assert.ok(clients.every((client) => client.closed));
		assert.equal(bench.port.listening, false);
	});
});

describe("HTTP server: back-pressure", () => {
	it("reads from the source only what the client accepts", () => {
		const bench = new Bench();
		const client = bench.connect(300);
		client.reading = false;
		client.send(get("/known?size=100000"));
		bench.world.settle();
		assert.equal(client.receivedLength, 300);
		assert.equal(bench.source?.reads, 1);
		for (let i = 0; i < 1000; i++) {
			client.drain(150);
			bench.world.settle();
		}
		const [reply] = replies(client.takeBytes());
		assert.equal(reply.body, Letters.text(100_000));
	});

	it("doesn't read the next request while the reply is stuck", () => {
		const bench = new Bench();
		const client = bench.connect(300);
		client.reading = false;
		client.send(get("/known?size=5000") + get("/text").repeat(100));
		bench.world.settle();
		assert.equal(bench.requests, 1);
		assert.ok(client.toServer.length > 2000);
	});
});

describe("HTTP server: connection limit", () => {
	const refused = (client: FakeClient): void => {
		assert.equal(client.closed, true);
		const [reply] = replies(client.takeBytes());
		assert.equal(reply.status, 503);
		assert.equal((JSON.parse(reply.body) as { error: string }).error, "busy");
		assert.equal(reply.fields.get("retry-after"), "1");
		assert.equal(reply.fields.get("connection"), "close");
	};

	it("closes the longest idle connection for a new one", () => {
		const bench = new Bench(3);
		const first = bench.connect();
		const second = bench.connect();
		bench.exchange(first, get("/text"));
		bench.world.advance(10);
		bench.exchange(second, get("/text"));
		bench.world.advance(10);
		bench.exchange(first, get("/text"));
		const third = bench.connect();
		assert.equal(second.closed, true);
		assert.equal(first.closed, false);
		assert.equal(bench.exchange(third, get("/text"))[0].status, 200);
		assert.equal(third.closed, false);
	});

	it("has a limit of its own for each port", () => {
		const bench = new Bench(3);
		const plain = [1, 2, 3].map(() => bench.connect());
		for (const client of plain) bench.exchange(client, get("/later", TOKEN));
		const secure = [1, 2, 3].map(() => bench.connect(undefined, bench.securePort));
		for (const client of secure) assert.equal(bench.exchange(client, get("/text"))[0].status, 200);
		assert.deepEqual(
			plain.map(({ closed }) => closed),
			[false, false, false],
		);
		assert.equal(bench.server.connectionCount, 5, "the secure connection in the last place was closed");
	});

	it("serves a single request in the last place when all others are busy, and informs the handler", () => {
		const bench = new Bench(3);
		const busy = [bench.connect(), bench.connect()];
		for (const client of busy) bench.exchange(client, get("/later", TOKEN));
		assert.deepEqual(
			bench.later.map(({ isGuest }) => isGuest),
			[false, false],
		);
		for (let i = 0; i < 3; i++) {
			const guest = bench.connect();
			const [reply] = bench.exchange(guest, get("/text", TOKEN));
			assert.equal(reply.status, 200);
			assert.equal(reply.fields.get("connection"), "close");
			assert.equal(guest.closed, true);
		}
		bench.exchange(bench.connect(), get("/later", TOKEN));
		assert.equal(bench.later[2].isGuest, true);
		bench.later[0].sendText(200, "done");
		bench.world.settle();
		assert.equal(bench.exchange(busy[0], get("/text"))[0].status, 200, "the other connections stay open");
	});

	for (const [what, data] of [
		["sends nothing", ""],
		["stops in a head", "GET /te"],
		["stops in a body", request("POST", "/echo", "Content-Length: 100")],
		["waits for a reply without a token", get("/later")],
	] as const)
		it(`closes the oldest connection that ${what}, after a second`, () => {
			const bench = new Bench(3);
			const slow: FakeClient[] = [];
			for (let i = 0; i < 3; i++) {
				const client = bench.connect();
				if (data !== "") client.send(data);
				bench.world.advance(100);
				slow.push(client);
			}
			const newcomer = bench.connect();
			bench.world.advance(699);
			assert.deepEqual(
				slow.map(({ closed }) => closed),
				[false, false, false],
			);
			bench.world.advance(1);
			assert.deepEqual(
				slow.map(({ closed }) => closed),
				[true, false, false],
			);
			if (data === "") assert.equal(slow[0].receivedLength, 0);
			else refused(slow[0]);
			assert.equal(bench.exchange(newcomer, get("/text"))[0].status, 200);
			assert.equal(
				bench.sink?.aborted ?? 1,
				data.startsWith("POST") ? 0 : 1,
				"the body of the last connection goes on",
			);
			assert.deepEqual(bench.mistakes, []);
		});

	it("closes a connection that reads nothing of a reply for a second, or reads it byte by byte for 20 s", () => {
		const bench = new Bench(3);
		const busy = [bench.connect(), bench.connect()];
		for (const client of busy) bench.exchange(client, get("/later", TOKEN));
		const slow = bench.connect(100);
		slow.reading = false;
		slow.send(get("/stream?size=100000"));
		bench.world.settle();
		const newcomer = bench.connect();
		for (let i = 0; i < 21 * 2 - 1; i++) {
			bench.world.advance(500);
			assert.equal(slow.closed, false);
			slow.drain(1);
			bench.world.settle();
		}
		bench.world.advance(500);
		assert.equal(slow.closed, true);
		assert.equal(bench.exchange(newcomer, get("/text"))[0].status, 200);
		const stuck = bench.connect(100);
		stuck.reading = false;
		stuck.send(get("/stream?size=100000"));
		bench.world.settle();
		bench.connect();
		bench.world.advance(999);
		assert.equal(stuck.closed, false);
		bench.world.advance(1);
		assert.equal(stuck.closed, true);
	});

	it("never closes a connection during a request with a token", () => {
		const bench = new Bench(4);
		const thinking = bench.connect();
		bench.exchange(thinking, get("/later", TOKEN));
		const sending = bench.connect();
		bench.exchange(sending, request("POST", "/echo", "Content-Length: 100", TOKEN));
		const taking = bench.connect(100);
		taking.reading = false;
		taking.send(get("/stream?size=100000", TOKEN));
		const known = [thinking, sending, taking];
		for (let second = 0; second < 9; second++) {
			const slow = bench.connect();
			bench.exchange(slow, "GET /te");
			bench.world.advance(1000);
		}
		const newcomer = bench.connect();
		bench.world.advance(1000);
		assert.equal(bench.exchange(newcomer, get("/text"))[0].status, 200);
		assert.deepEqual(
			known.map(({ closed }) => closed),
			[false, false, false],
		);
	});

	it("closes a connection that has shown no token before an idle one that has", () => {
		const bench = new Bench(2);
		const known = bench.connect();
		bench.exchange(known, get("/text", TOKEN));
		bench.world.advance(5000);
		bench.exchange(known, get("/later", TOKEN));
		const slow = bench.connect();
		bench.exchange(slow, "GET /te");
		bench.later[0].sendText(200, "done");
		bench.world.advance(1000);
		const newcomer = bench.connect();
		bench.world.settle();
		assert.equal(slow.closed, true);
		assert.equal(known.closed, false);
		assert.equal(bench.exchange(newcomer, get("/text"))[0].status, 200);
		assert.equal(newcomer.closed, true, "the last place is for one request");
		assert.equal(bench.exchange(known, get("/text", TOKEN))[0].status, 200);
		assert.equal(known.closed, false);
	});

	it("keeps all but one place for clients that have shown a token, and reports each request with a token to the host", () => {
		const bench = new Bench(3);
		const known = [1, 2].map(() => bench.connect());
		for (const client of known) bench.exchange(client, get("/text", TOKEN) + get("/text", TOKEN));
		bench.world.advance(5000);
		const last = bench.connect();
		assert.equal(bench.exchange(last, get("/text", TOKEN))[0].status, 200);
		assert.deepEqual(
			[...known, last].map(({ closed, known }) => [closed, known]),
			[
				[false, 2],
				[false, 2],
				[true, 1],
			],
		);
		const stranger = bench.connect();
		assert.equal(bench.exchange(stranger, get("/text"))[0].fields.get("connection"), "close");
		assert.equal(stranger.known, 0);
		for (const client of known) assert.equal(bench.exchange(client, get("/text", TOKEN))[0].status, 200);
	});

	it("trusts no connection after a token was revoked, until it shows one again, and informs its listeners", () => {
		const bench = new Bench(3);
		const [revoked, other] = [bench.connect(), bench.connect()];
		for (const client of [revoked, other]) bench.exchange(client, get("/text", TOKEN));
		bench.server.forget();
		assert.deepEqual([bench.port.forgotten, bench.securePort.forgotten], [1, 1]);
		assert.equal(bench.exchange(other, get("/text", TOKEN))[0].status, 200);
		bench.world.advance(5000);
		// The last place is kept free of idle connections from unknown clients.
		bench.connect();
		assert.deepEqual([revoked.closed, other.closed], [true, false]);
		assert.equal(other.known, 2);
	});

	it("lets a new connection wait until another ends if all have a token", () => {
		const bench = new Bench(2);
		const busy = [bench.connect(), bench.connect()];
		for (const client of busy) bench.exchange(client, get("/later", TOKEN));
		const newcomer = bench.connect();
		newcomer.send(get("/text"));
		bench.world.advance(60_000);
		assert.equal(newcomer.receivedLength, 0);
		assert.equal(newcomer.closed, false);
		bench.later[1].sendText(200, "done");
		bench.world.settle();
		bench.world.advance(0);
		assert.equal(replies(newcomer.takeBytes())[0]?.status, 200);
	});

	it("closes only one connection for a pending one that the listener reports but does not deliver", () => {
		const bench = new Bench(2);
		const slow = [bench.connect(), bench.connect()];
		bench.exchange(slow[0], "GET /te");
		bench.exchange(slow[1], "GET /te");
		bench.port.press();
		bench.world.advance(999);
		assert.deepEqual([slow[0].closed, slow[1].closed], [false, false]);
		bench.world.advance(1);
		assert.deepEqual([slow[0].closed, slow[1].closed], [true, false], "one connection makes room");
		bench.world.advance(5000);
		assert.equal(slow[1].closed, false, "only one connection makes room");
		bench.probe();
	});
});
