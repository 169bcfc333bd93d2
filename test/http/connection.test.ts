/** The HTTP server over time: deferred replies, cancellation, time-outs, slow readers, the connection limit. */
import assert from "node:assert/strict";
import { expectFaults } from "../faults.js";
import { Bed, get, Letters, post, request, TOKEN } from "./bed.js";
import { type FakeClient, replies } from "./fake.js";

describe("HTTP server: deferred replies", () => {
	it("waits for the handler without a time limit", () => {
		const { bed, client } = Bed.connected();
		bed.exchange(client, get("/later"));
		bed.loop.advance(24 * 3600_000);
		assert.equal(client.closed, false);
		assert.equal(bed.later[0].isOpen, true);
		bed.later[0].header("X-Late", "yes").send(200, new Letters(3000));
		assert.equal(bed.later[0].isOpen, false);
		bed.loop.settle();
		const [reply] = replies(client.takeBytes());
		assert.equal(reply.body, Letters.text(3000));
		assert.equal(reply.fields.get("x-late"), "yes");
		assert.equal(bed.exchange(client, get("/text"))[0].body, "hello");
		assert.equal(bed.cancelled, 0);
	});

	it("notifies the handler when the client disconnects, and ignores a late reply", () => {
		const { bed, client } = Bed.connected();
		bed.exchange(client, get("/later"));
		client.leave();
		bed.loop.settle();
		assert.equal(bed.cancelled, 1);
		assert.ok(client.closed);
		assert.equal(bed.later[0].isOpen, false);
		const source = new Letters(5);
		bed.later[0].header("X", "y").send(200, source);
		bed.later[0].sendText(200, "late");
		assert.equal(source.closed, 1);
		assert.equal(source.reads, 0);
		assert.equal(bed.cancelled, 1);
		assert.equal(bed.server.connectionCount, 0);
	});

	it("ignores a second reply, without harm to the next request", () => {
		const { bed, client } = Bed.connected();
		bed.exchange(client, get("/later"));
		bed.later[0].send(200);
		bed.exchange(client, get("/later"));
		bed.later[0].sendText(500, "again");
		bed.loop.settle();
		assert.equal(client.receivedLength, 0);
		bed.later[1].sendText(200, "second");
		bed.loop.settle();
		assert.equal(replies(client.takeBytes())[0].body, "second");
	});

	it("closes a body that is being sent when the client disconnects", () => {
		const { bed, client } = Bed.connected(500);
		client.reading = false;
		bed.exchange(client, get("/later"));
		const source = new Letters(100_000);
		bed.later[0].send(200, source);
		bed.loop.settle();
		assert.equal(source.closed, 0);
		client.leave();
		bed.loop.settle();
		assert.equal(source.closed, 1);
		assert.equal(bed.cancelled, 0);
	});

	it("discards a body that arrives while the handler is busy", () => {
		const { bed, client } = Bed.connected();
		bed.exchange(client, post("/later", "x".repeat(3000)));
		bed.later[0].sendText(200, "done");
		bed.loop.settle();
		assert.equal(replies(client.takeBytes())[0].fields.get("connection"), undefined);
		bed.exchange(client, request("POST", "/later", "Content-Length: 9000") + "x".repeat(8000));
		bed.later[1].sendText(200, "done");
		bed.loop.settle();
		assert.equal(replies(client.takeBytes())[0].fields.get("connection"), "close");
	});

	it("replies even if the unwanted body never arrives", () => {
		const { bed, client } = Bed.connected();
		bed.exchange(client, request("POST", "/later", "Content-Length: 10"));
		bed.loop.advance(60_000);
		assert.equal(client.closed, false);
		bed.later[0].sendText(200, "done");
		bed.loop.settle();
		assert.equal(replies(client.takeBytes())[0].fields.get("connection"), "close");
		bed.loop.advance(2000);
		assert.ok(client.closed);
	});

	it("replies 500 in place of a reply with an invalid length", () => {
		expectFaults(/^fault: http: RangeError/);
		const bed = new Bed();
		for (const length of [Number.NaN, -1]) {
			const client = bed.connect();
			bed.route = (_request, response) => {
				response.send(200, { read: () => 0 }, length);
				return undefined;
			};
			client.send(get("/"));
			bed.loop.settle();
			assert.equal(replies(client.takeBytes())[0].status, 500);
			client.leave();
			bed.loop.settle();
			assert.equal(bed.server.connectionCount, 0);
		}
	});

	it("passes an exception in a late reply to the caller, and replies 500", () => {
		const { bed, client } = Bed.connected();
		bed.exchange(client, get("/later"));
		const broken = {
			read: () => {
				throw new Error("source");
			},
		};
		assert.throws(() => bed.later[0].send(200, broken), /source/);
		bed.loop.settle();
		assert.equal(replies(client.takeBytes())[0].status, 500);
		bed.loop.advance(2000);
		assert.ok(client.closed);
	});

	it("replies 500 with the `sentence` of the exception, if it has one", () => {
		for (const [thrown, message] of [
			[Object.assign(new Error("flash: full"), { sentence: "The flash refuses." }), "The flash refuses."],
			[new Error("flash: full"), "Internal error while answering the request."],
		] as const) {
			const { bed, client } = Bed.connected();
			bed.exchange(client, get("/later"));
			const broken = {
				read: () => {
					throw thrown;
				},
			};
			assert.throws(() => bed.later[0].send(200, broken));
			bed.loop.settle();
			const text = Buffer.from(client.takeBytes()).toString();
			assert.deepEqual(JSON.parse(text.slice(text.indexOf("{"))), { error: "internal", message });
		}
	});
});

describe("HTTP server: time limits", () => {
	it("gives a head 10 s from its first byte, then replies 408", () => {
		const { bed, client } = Bed.connected();
		bed.loop.advance(9000);
		const slow = get("/text", "X: slowloris");
		for (let i = 0; i < 9; i++) {
			client.send(slow[i]);
			bed.loop.advance(1000);
		}
		bed.loop.advance(999);
		assert.equal(client.receivedLength, 0);
		bed.loop.advance(1);
		const [reply] = replies(client.takeBytes());
		assert.equal(reply.status, 408);
		assert.equal((JSON.parse(reply.body) as { error: string }).error, "timeout");
		bed.loop.advance(2000);
		assert.ok(client.closed);
	});

	it("accepts a head that is complete just in time", () => {
		const { bed, client } = Bed.connected();
		const slow = get("/text");
		client.send(slow.slice(0, 10));
		bed.loop.advance(9999);
		assert.equal(bed.exchange(client, slow.slice(10))[0].status, 200);
	});

	it("closes a new connection without data after 10 s, and an idle one after 30 s, without a reply", () => {
		const bed = new Bed();
		const silent = bed.connect();
		const idle = bed.connect();
		bed.exchange(idle, get("/text"));
		bed.loop.advance(9999);
		assert.equal(silent.closed, false);
		bed.loop.advance(1);
		assert.equal(silent.closed, true);
		assert.equal(silent.receivedLength, 0);
		bed.loop.advance(19_999);
		assert.equal(idle.closed, false);
		bed.loop.advance(1);
		assert.equal(idle.closed, true);
		assert.equal(idle.receivedLength, 0);
	});

	it("replies 408 after 10 s without a byte of the body, and aborts the sink", () => {
		const { bed, client } = Bed.connected();
		bed.exchange(client, request("POST", "/echo", "Content-Length: 1000", TOKEN));
		for (let i = 0; i < 5; i++) {
			bed.loop.advance(9999);
			bed.exchange(client, "x");
		}
		bed.loop.advance(9999);
		assert.equal(bed.sink?.aborted, 0);
		bed.loop.advance(1);
		assert.equal(replies(client.takeBytes())[0].status, 408);
		assert.equal(bed.sink?.aborted, 1);
	});

	it("limits a body without a token to 10 s as a whole, even if an earlier request of the connection had a token", () => {
		const { bed, client } = Bed.connected();
		bed.exchange(client, post("/echo", "x", TOKEN));
		bed.exchange(client, request("POST", "/echo", "Content-Length: 1000"));
		for (let i = 0; i < 9; i++) {
			bed.loop.advance(1000);
			assert.deepEqual(bed.exchange(client, "x"), []);
		}
		bed.loop.advance(999);
		assert.equal(client.receivedLength, 0);
		bed.loop.advance(1);
		assert.equal(replies(client.takeBytes())[0].status, 408);
	});

	it("replies 408 even if the sink throws an exception in abort", () => {
		const faults = expectFaults(/^fault: http: /);
		const { bed, client } = Bed.connected();
		bed.route = () => ({
			limit: 100,
			write: () => {},
			end: () => {},
			abort: () => {
				throw new Error("abort");
			},
		});
		bed.exchange(client, request("POST", "/", "Content-Length: 10"));
		bed.loop.advance(10_000);
		assert.equal(replies(client.takeBytes())[0].status, 408);
		assert.equal(faults.length, 1);
		bed.loop.advance(2000);
		assert.ok(client.closed);
	});

	it("limits a body with a token to 5 minutes as a whole, however steadily it arrives", () => {
		const { bed, client } = Bed.connected();
		bed.exchange(client, request("POST", "/echo", "Content-Length: 1000", TOKEN));
		for (let i = 0; i < 59; i++) {
			bed.loop.advance(5000);
			bed.exchange(client, "x");
		}
		bed.loop.advance(4999);
		assert.equal(client.receivedLength, 0);
		bed.loop.advance(1);
		assert.equal(replies(client.takeBytes())[0].status, 408);
	});

	it("closes when the client reads nothing of the reply for 20 s, or a byte now and then for 5 minutes", () => {
		for (const [stepMs, steps] of [
			[20_000, 1],
			[10_000, 30],
		] as const) {
			const { bed, client } = Bed.connected(100);
			client.reading = false;
			client.send(get("/stream?size=1000000"));
			bed.loop.settle();
			for (let i = 0; i < steps; i++) {
				bed.loop.advance(stepMs - 1);
				assert.equal(client.closed, false, `${i}`);
				if (i < steps - 1) {
					client.drain(1);
					bed.loop.settle();
				}
				bed.loop.advance(1);
			}
			assert.equal(client.closed, true);
			assert.equal(bed.source?.closed, 1);
		}
	});

	it("has one timer, and none when it is closed", () => {
		const bed = new Bed(4);
		const clients = [bed.connect(), bed.connect(), bed.connect()];
		for (let i = 0; i < 50; i++) for (const client of clients) bed.exchange(client, get("/text"));
		assert.equal(bed.loop.timerCount, 1);
		assert.ok(bed.loop.timersSet < 10, `${bed.loop.timersSet} timers for 150 requests`);
		bed.server.close();
		bed.server.close();
		assert.equal(bed.loop.timerCount, 0);
		assert.ok(clients.every((client) => client.closed));
		assert.equal(bed.port.listening, false);
	});
});

describe("HTTP server: back-pressure", () => {
	it("reads from the source only what the client accepts", () => {
		const { bed, client } = Bed.connected(300);
		client.reading = false;
		client.send(get("/known?size=100000"));
		bed.loop.settle();
		assert.equal(client.receivedLength, 300);
		assert.equal(bed.source?.reads, 1);
		for (let i = 0; i < 1000; i++) {
			client.drain(150);
			bed.loop.settle();
		}
		const [reply] = replies(client.takeBytes());
		assert.equal(reply.body, Letters.text(100_000));
	});

	it("doesn't read the next request while the reply is stuck", () => {
		const { bed, client } = Bed.connected(300);
		client.reading = false;
		client.send(get("/known?size=5000") + get("/text").repeat(100));
		bed.loop.settle();
		assert.equal(bed.requests, 1);
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
		const bed = new Bed(3);
		const first = bed.connect();
		const second = bed.connect();
		bed.exchange(first, get("/text"));
		bed.loop.advance(10);
		bed.exchange(second, get("/text"));
		bed.loop.advance(10);
		bed.exchange(first, get("/text"));
		const third = bed.connect();
		assert.equal(second.closed, true);
		assert.equal(first.closed, false);
		assert.equal(bed.exchange(third, get("/text"))[0].status, 200);
		assert.equal(third.closed, false);
	});

	it("has a limit of its own for each port", () => {
		const bed = new Bed(3);
		const plain = [1, 2, 3].map(() => bed.connect());
		for (const client of plain) bed.exchange(client, get("/later", TOKEN));
		const secure = [1, 2, 3].map(() => bed.connect(undefined, bed.securePort));
		for (const client of secure) assert.equal(bed.exchange(client, get("/text"))[0].status, 200);
		assert.deepEqual(
			plain.map(({ closed }) => closed),
			[false, false, false],
		);
		assert.equal(bed.server.connectionCount, 5, "the secure connection in the last place was closed");
	});

	it("serves a single request in the last place when all others are busy, and informs the handler", () => {
		const bed = new Bed(3);
		const busy = [bed.connect(), bed.connect()];
		for (const client of busy) bed.exchange(client, get("/later", TOKEN));
		assert.deepEqual(
			bed.later.map(({ isOnLastPlace }) => isOnLastPlace),
			[false, false],
		);
		for (let i = 0; i < 3; i++) {
			const guest = bed.connect();
			const [reply] = bed.exchange(guest, get("/text", TOKEN));
			assert.equal(reply.status, 200);
			assert.equal(reply.fields.get("connection"), "close");
			assert.equal(guest.closed, true);
		}
		bed.exchange(bed.connect(), get("/later", TOKEN));
		assert.equal(bed.later[2].isOnLastPlace, true);
		bed.later[0].sendText(200, "done");
		bed.loop.settle();
		assert.equal(bed.exchange(busy[0], get("/text"))[0].status, 200, "the other connections stay open");
	});

	for (const [what, data] of [
		["sends nothing", ""],
		["stops in a head", "GET /te"],
		["stops in a body", request("POST", "/echo", "Content-Length: 100")],
		["waits for a reply without a token", get("/later")],
	] as const)
		it(`closes the oldest connection that ${what}, after a second`, () => {
			const bed = new Bed(3);
			const slow: FakeClient[] = [];
			for (let i = 0; i < 3; i++) {
				const client = bed.connect();
				if (data !== "") client.send(data);
				bed.loop.advance(100);
				slow.push(client);
			}
			const newcomer = bed.connect();
			bed.loop.advance(699);
			assert.deepEqual(
				slow.map(({ closed }) => closed),
				[false, false, false],
			);
			bed.loop.advance(1);
			assert.deepEqual(
				slow.map(({ closed }) => closed),
				[true, false, false],
			);
			if (data === "") assert.equal(slow[0].receivedLength, 0);
			else refused(slow[0]);
			assert.equal(bed.exchange(newcomer, get("/text"))[0].status, 200);
			assert.equal(bed.sink?.aborted ?? 1, data.startsWith("POST") ? 0 : 1, "the body of the last connection goes on");
		});

	it("closes a connection that reads nothing of a reply for a second, or reads it byte by byte for 20 s", () => {
		const bed = new Bed(3);
		const busy = [bed.connect(), bed.connect()];
		for (const client of busy) bed.exchange(client, get("/later", TOKEN));
		const slow = bed.connect(100);
		slow.reading = false;
		slow.send(get("/stream?size=100000"));
		bed.loop.settle();
		const newcomer = bed.connect();
		for (let i = 0; i < 21 * 2 - 1; i++) {
			bed.loop.advance(500);
			assert.equal(slow.closed, false);
			slow.drain(1);
			bed.loop.settle();
		}
		bed.loop.advance(500);
		assert.equal(slow.closed, true);
		assert.equal(bed.exchange(newcomer, get("/text"))[0].status, 200);
		const stuck = bed.connect(100);
		stuck.reading = false;
		stuck.send(get("/stream?size=100000"));
		bed.loop.settle();
		bed.connect();
		bed.loop.advance(999);
		assert.equal(stuck.closed, false);
		bed.loop.advance(1);
		assert.equal(stuck.closed, true);
	});

	it("never closes a connection during a request with a token", () => {
		const bed = new Bed(4);
		const thinking = bed.connect();
		bed.exchange(thinking, get("/later", TOKEN));
		const sending = bed.connect();
		bed.exchange(sending, request("POST", "/echo", "Content-Length: 100", TOKEN));
		const taking = bed.connect(100);
		taking.reading = false;
		taking.send(get("/stream?size=100000", TOKEN));
		const known = [thinking, sending, taking];
		for (let second = 0; second < 9; second++) {
			const slow = bed.connect();
			bed.exchange(slow, "GET /te");
			bed.loop.advance(1000);
		}
		const newcomer = bed.connect();
		bed.loop.advance(1000);
		assert.equal(bed.exchange(newcomer, get("/text"))[0].status, 200);
		assert.deepEqual(
			known.map(({ closed }) => closed),
			[false, false, false],
		);
	});

	it("closes a connection that has shown no token before an idle one that has", () => {
		const bed = new Bed(2);
		const known = bed.connect();
		bed.exchange(known, get("/text", TOKEN));
		bed.loop.advance(5000);
		bed.exchange(known, get("/later", TOKEN));
		const slow = bed.connect();
		bed.exchange(slow, "GET /te");
		bed.later[0].sendText(200, "done");
		bed.loop.advance(1000);
		const newcomer = bed.connect();
		bed.loop.settle();
		assert.equal(slow.closed, true);
		assert.equal(known.closed, false);
		assert.equal(bed.exchange(newcomer, get("/text"))[0].status, 200);
		assert.equal(newcomer.closed, true, "the last place is for one request");
		assert.equal(bed.exchange(known, get("/text", TOKEN))[0].status, 200);
		assert.equal(known.closed, false);
	});

	it("keeps all but one place for clients that have shown a token, and reports each request with a token to the host", () => {
		const bed = new Bed(3);
		const known = [1, 2].map(() => bed.connect());
		for (const client of known) bed.exchange(client, get("/text", TOKEN) + get("/text", TOKEN));
		bed.loop.advance(5000);
		const last = bed.connect();
		assert.equal(bed.exchange(last, get("/text", TOKEN))[0].status, 200);
		assert.deepEqual(
			[...known, last].map(({ closed, known }) => [closed, known]),
			[
				[false, 2],
				[false, 2],
				[true, 1],
			],
		);
		const stranger = bed.connect();
		assert.equal(bed.exchange(stranger, get("/text"))[0].fields.get("connection"), "close");
		assert.equal(stranger.known, 0);
		for (const client of known) assert.equal(bed.exchange(client, get("/text", TOKEN))[0].status, 200);
	});

	it("trusts no connection after a token was revoked, until it shows one again, and informs its listeners", () => {
		const bed = new Bed(3);
		const [revoked, other] = [bed.connect(), bed.connect()];
		for (const client of [revoked, other]) bed.exchange(client, get("/text", TOKEN));
		bed.server.forget();
		assert.deepEqual([bed.port.forgotten, bed.securePort.forgotten], [1, 1]);
		assert.equal(bed.exchange(other, get("/text", TOKEN))[0].status, 200);
		bed.loop.advance(5000);
		// The last place is kept free of idle connections from unknown clients.
		bed.connect();
		assert.deepEqual([revoked.closed, other.closed], [true, false]);
		assert.equal(other.known, 2);
	});

	it("lets a new connection wait until another ends if all have a token", () => {
		const bed = new Bed(2);
		const busy = [bed.connect(), bed.connect()];
		for (const client of busy) bed.exchange(client, get("/later", TOKEN));
		const newcomer = bed.connect();
		newcomer.send(get("/text"));
		bed.loop.advance(60_000);
		assert.equal(newcomer.receivedLength, 0);
		assert.equal(newcomer.closed, false);
		bed.later[1].sendText(200, "done");
		bed.loop.settle();
		bed.loop.advance(0);
		assert.equal(replies(newcomer.takeBytes())[0]?.status, 200);
	});

	it("closes only one connection for a pending one that the listener reports but does not deliver", () => {
		const bed = new Bed(2);
		const slow = [bed.connect(), bed.connect()];
		bed.exchange(slow[0], "GET /te");
		bed.exchange(slow[1], "GET /te");
		bed.port.press();
		bed.loop.advance(999);
		assert.deepEqual([slow[0].closed, slow[1].closed], [false, false]);
		bed.loop.advance(1);
		assert.deepEqual([slow[0].closed, slow[1].closed], [true, false], "one connection makes room");
		bed.loop.advance(5000);
		assert.equal(slow[1].closed, false, "only one connection makes room");
		bed.probe();
	});
});
