/** The HTTP server as seen by a client: replies, bodies, errors, keep-alive, pipelining, 100-continue. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { BytesSource } from "../../modules/http/response.js";
import { expectFaults } from "../faults.js";
import { Bed, get, Letters, post, request } from "./bed.js";
import { replies } from "./fake.js";

const errorCode = (body: string) => (JSON.parse(body) as { error: string; message: string }).error;

describe("HTTP server: replies", () => {
	it("answers and keeps the connection open", () => {
		const { bed, client } = Bed.connected();
		for (let i = 0; i < 3; i++) {
			const [reply] = bed.exchange(client, get("/text"));
			assert.equal(reply.status, 200);
			assert.equal(reply.body, "hello");
			assert.deepEqual(
				[...reply.fields],
				[
					["content-type", "text/plain"],
					["content-length", "5"],
				],
			);
		}
		assert.equal(client.closed, false);
		assert.deepEqual(client.writes.length, 3, "a small reply leaves in one write");
		assert.equal(bed.server.connectionCount, 1);
		assert.equal(bed.server.listener(0)?.port, 8080);
	});

	it("streams bodies of known length and in chunks, of every size around that of the buffer", () => {
		const bed = new Bed();
		for (const window of [1536, 100, 1]) {
			const client = bed.connect(window);
			for (const size of [0, 1, 5, 900, 930, 950, 1000, 1011, 1012, 1013, 1019, 1024, 1025, 2100, 5000]) {
				for (const [path, chunked] of [
					["/known", false],
					["/stream", true],
				] as const) {
					const [reply, other] = bed.exchange(client, get(`${path}?size=${size}&piece=300`));
					assert.equal(reply.body, Letters.text(size), `${path} ${size}`);
					assert.equal(reply.chunked, chunked);
					assert.equal(other, undefined);
					assert.equal(bed.source?.closed, 1);
				}
			}
		}
	});

	it("sends a short stream in one write, including its end", () => {
		const { bed, client } = Bed.connected();
		bed.exchange(client, get("/stream?size=500"));
		assert.equal(client.writes.length, 1);
	});

	it("sends no body for HEAD, but the same fields as for GET", () => {
		const { bed, client } = Bed.connected();
		const [known] = bed.exchange(client, request("HEAD", "/known?size=77"), true);
		assert.equal(known.fields.get("content-length"), "77");
		assert.equal(bed.source?.reads, 0);
		assert.equal(bed.source?.closed, 1);
		const [chunked] = bed.exchange(client, request("HEAD", "/stream"), true);
		assert.equal(chunked.fields.get("transfer-encoding"), "chunked");
		const [missing] = bed.exchange(client, request("HEAD", "/missing"), true);
		assert.equal(missing.status, 404);
		assert.equal(bed.exchange(client, get("/text"))[0].body, "hello");
	});

	it("sends neither body nor length with 204 and 304", () => {
		const { bed, client } = Bed.connected();
		bed.route = (_, response) => {
			response.send(bed.requests % 2 === 0 ? 304 : 204, new BytesSource(Uint8Array.of(1)), 1);
			return undefined;
		};
		for (const status of [204, 304]) {
			const [reply] = bed.exchange(client, get("/"));
			assert.equal(reply.status, status);
			assert.equal(reply.fields.size, 0);
		}
	});

	it("sends an empty body with its length", () => {
		const bed = new Bed();
		bed.route = (_, response) => {
			response.send(200);
			return undefined;
		};
		assert.equal(bed.exchange(bed.connect(), get("/"))[0].fields.get("content-length"), "0");
	});

	it("supports HTTP/1.0: closes unless keep-alive is requested, and sends no chunks", () => {
		const bed = new Bed();
		const old = (target: string, fields = "") => `GET ${target} HTTP/1.0\r\n${fields}\r\n`;
		let client = bed.connect();
		const [reply] = bed.exchange(client, old("/text"));
		assert.equal(reply.fields.get("connection"), "close");
		assert.ok(client.closed);
		client = bed.connect();
		const [keepAliveReply] = bed.exchange(client, old("/text", "Connection: keep-alive\r\n"));
		assert.equal(keepAliveReply.fields.get("connection"), "keep-alive");
		assert.equal(client.closed, false);
		const [streamed] = bed.exchange(client, old("/stream?size=3000", "Connection: keep-alive\r\n"));
		assert.equal(streamed.body, Letters.text(3000));
		assert.equal(streamed.fields.get("connection"), "close");
		assert.equal(streamed.chunked, false);
		assert.ok(client.closed);
	});

	it("closes if the client or the handler requests it", () => {
		const bed = new Bed();
		let client = bed.connect();
		assert.equal(bed.exchange(client, get("/text", "Connection: close"))[0].fields.get("connection"), "close");
		assert.ok(client.closed);
		bed.route = (_, response) => {
			response.closing = true;
			response.send(200);
			return undefined;
		};
		client = bed.connect();
		assert.equal(bed.exchange(client, get("/text"))[0].fields.get("connection"), "close");
		assert.ok(client.closed);
		assert.equal(bed.server.connectionCount, 0);
	});

	it("rejects CR, LF and other such characters in the head of a reply", () => {
		expectFaults(/^fault: http: RangeError/);
		for (const value of ["a\r\nX: y", "a\nb", "\0", "é", "\x7f"]) {
			const bed = new Bed();
			bed.route = (_, response) => {
				response.header("X", value).send(200);
				return undefined;
			};
			const [reply] = bed.exchange(bed.connect(), get("/"));
			assert.equal(reply.status, 500);
		}
	});

	it("replies 500 if the head of a reply does not fit", () => {
		const faults = expectFaults(/^fault: http: RangeError/);
		const bed = new Bed();
		const source = new Letters(5);
		bed.route = (_, response) => {
			response.header("X", "x".repeat(1000)).send(200, source, 5);
			return undefined;
		};
		const client = bed.connect();
		const [reply] = bed.exchange(client, get("/"));
		assert.equal(reply.status, 500);
		assert.equal(faults.length, 1);
		assert.equal(source.closed, 1);
	});
});

describe("HTTP server: bodies of requests", () => {
	it("passes a body to its sink, of known length or in chunks, in any split", () => {
		const body = Letters.text(4500);
		const chunked = `${request("POST", "/echo", "Transfer-Encoding: chunked")}3\r\nabc\r\n5dc;x=y\r\n${Letters.text(1500)}\r\n0\r\nT: u\r\n\r\n`;
		for (const step of [1 << 20, 1000, 17, 1]) {
			const { bed, client } = Bed.connected();
			for (const [wire, expected] of [
				[post("/echo", body), body],
				[chunked, `abc${Letters.text(1500)}`],
				[post("/echo", ""), ""],
			] as const) {
				for (let at = 0; at < wire.length; at += step) {
					client.send(wire.slice(at, at + step));
					bed.loop.settle();
				}
				const [reply] = replies(client.takeBytes());
				assert.equal(reply.status, 200);
				assert.equal(bed.sink?.body, expected);
				assert.equal(bed.sink?.ended, 1);
			}
			assert.equal(client.closed, false);
		}
	});

	it("accepts a body as long as the limit, and rejects a longer one with 413 before it is sent", () => {
		const bed = new Bed();
		for (const length of [4999, 5000]) {
			assert.equal(bed.exchange(bed.connect(), post("/echo", "x".repeat(length)))[0].status, 200);
		}
		const client = bed.connect();
		const [reply] = bed.exchange(client, request("POST", "/echo", "Content-Length: 5001", "Expect: 100-continue"));
		assert.equal(reply.status, 413);
		assert.equal(errorCode(reply.body), "too_large");
		assert.equal(reply.fields.get("cache-control"), "no-store");
		assert.equal(reply.fields.get("connection"), "close");
		assert.equal(bed.sink?.body, "");
		assert.equal(bed.sink?.aborted, 1);
	});

	it("rejects chunks beyond the limit with 413 when they arrive", () => {
		const { bed, client } = Bed.connected();
		const head = request("POST", "/echo", "Transfer-Encoding: chunked");
		const chunk = `3e8\r\n${"x".repeat(1000)}\r\n`;
		assert.deepEqual(bed.exchange(client, head + chunk.repeat(5)), []);
		assert.equal(bed.sink?.body.length, 5000);
		const [reply] = bed.exchange(client, "1\r\nx\r\n0\r\n\r\n");
		assert.equal(reply.status, 413);
		assert.equal(bed.sink?.aborted, 1);
		assert.equal(bed.sink?.body.length, 5000);
	});

	it("sends 100 Continue only to a client that waits, and only if the server needs the body", () => {
		const { bed, client } = Bed.connected();
		const [go] = bed.exchange(client, request("POST", "/echo", "Content-Length: 3", "Expect: 100-continue"));
		assert.equal(go.status, 100);
		assert.equal(bed.exchange(client, "abc")[0].status, 200);
		assert.deepEqual(
			bed.exchange(client, post("/echo", "abc", "Expect: 100-continue")).map((r) => r.status),
			[200],
		);
		assert.deepEqual(
			bed.exchange(client, request("POST", "/echo", "Content-Length: 0", "Expect: 100-continue")).map((r) => r.status),
			[200],
		);
		const [refused] = bed.exchange(client, request("POST", "/missing", "Content-Length: 3", "Expect: 100-continue"));
		assert.equal(refused.status, 404);
		assert.equal(refused.fields.get("connection"), "close");
	});

	it("discards a short unwanted body, and keeps the connection open", () => {
		const { bed, client } = Bed.connected();
		const [first, second] = bed.exchange(client, post("/missing", "x".repeat(4096)) + get("/text"));
		assert.equal(first.status, 404);
		assert.equal(second.body, "hello");
		// The body may also arrive after the reply.
		assert.equal(bed.exchange(client, request("POST", "/missing", "Content-Length: 10"))[0].status, 404);
		assert.deepEqual(bed.exchange(client, "01234"), []);
		assert.equal(bed.exchange(client, `56789${get("/text")}`)[0].body, "hello");
		assert.equal(bed.requests, 4);
	});

	it("keeps reading after it rejected a long body, so that the reply survives, then closes", () => {
		const { bed, client } = Bed.connected();
		const [reply] = bed.exchange(client, request("POST", "/missing", "Content-Length: 1000000") + "x".repeat(3000));
		assert.equal(reply.status, 404);
		assert.equal(reply.fields.get("connection"), "close");
		assert.equal(client.closed, false);
		for (let i = 0; i < 10; i++) bed.exchange(client, "x".repeat(3000));
		assert.equal(client.toServer.length, 0);
		assert.equal(client.closed, false);
		bed.loop.advance(1999);
		assert.equal(client.closed, false);
		bed.loop.advance(1);
		assert.equal(client.closed, true);
		const flood = bed.connect();
		bed.exchange(flood, request("POST", "/missing", "Content-Length: 1000000") + "x".repeat(70000));
		assert.equal(flood.closed, true);
	});

	it("closes at once when the client has closed after the rejection", () => {
		const { bed, client } = Bed.connected();
		bed.exchange(client, request("POST", "/missing", "Content-Length: 1000000"));
		client.leave();
		bed.loop.settle();
		assert.equal(client.closed, true);
	});

	it("rejects broken chunks with 400", () => {
		const { bed, client } = Bed.connected();
		const [reply] = bed.exchange(client, `${request("POST", "/echo", "Transfer-Encoding: chunked")}3\r\nabcd`);
		assert.equal(reply.status, 400);
		assert.equal(bed.sink?.aborted, 1);
	});

	it("lets a handler reply in the middle of a body", () => {
		const { bed, client } = Bed.connected();
		bed.route = (_, response) => ({
			limit: 100,
			write: () => response.sendText(400, "no"),
			end: () => assert.fail("answered already"),
			abort: () => assert.fail("answered already"),
		});
		const [reply] = bed.exchange(client, `${request("POST", "/", "Content-Length: 10")}abc`);
		assert.equal(reply.body, "no");
		bed.route = undefined;
		assert.equal(bed.exchange(client, `defghij${get("/text")}`)[0].body, "hello");
	});

	it("keeps the fields readable in begin, and drops them when the body needs the room", () => {
		const bed = new Bed();
		let later: (() => string | undefined) | undefined;
		bed.route = (incoming, response) => {
			assert.equal(incoming.header("authorization"), "Bearer x");
			later = () => incoming.header("authorization");
			return { limit: 5000, write: () => {}, end: () => response.sendText(200, incoming.path) };
		};
		const client = bed.connect();
		const [reply] = bed.exchange(client, post("/p?q", "x".repeat(4000), "Authorization: Bearer x"));
		assert.equal(reply.body, "/p");
		assert.equal(later?.(), undefined);
	});
});

describe("HTTP server: errors", () => {
	for (const [status, code, data] of [
		[400, "bad_request", "GET / HTTP/1.1\r\n\r\n"],
		[413, "too_large", request("POST", "/echo", "Content-Length: 99999999999999999999")],
		[414, "too_large", get(`/${"x".repeat(600)}`)],
		[431, "too_large", get("/", `X: ${"x".repeat(2048)}`)],
		[501, "unsupported", request("POST", "/echo", "Transfer-Encoding: br")],
		[505, "unsupported", "GET / HTTP/3.0\r\n\r\n"],
	] as const) {
		it(`replies ${status} ${code} without calling the handler, and closes the connection`, () => {
			const { bed, client } = Bed.connected();
			const [reply, other] = bed.exchange(client, data + get("/text"));
			assert.equal(reply.status, status);
			assert.equal(errorCode(reply.body), code);
			assert.equal(reply.fields.get("content-type"), "application/json");
			assert.equal(reply.fields.get("connection"), "close");
			assert.equal(other, undefined);
			assert.equal(bed.requests, 0);
			bed.loop.advance(3000);
			assert.ok(client.closed);
			bed.probe();
		});
	}

	it("replies 500 to an exception in a handler, logs it once, and continues", () => {
		const faults = expectFaults(/^fault: http: /);
		const { bed, client } = Bed.connected();
		const [reply] = bed.exchange(client, get("/bad"));
		assert.equal(reply.status, 500);
		assert.equal(errorCode(reply.body), "internal");
		assert.equal(faults.length, 1);
		bed.loop.advance(3000);
		assert.ok(client.closed);
		bed.probe();
	});

	it("replies 500 to an exception in a sink, in write or end", () => {
		expectFaults(/^fault: http: /);
		for (const where of ["write", "end"]) {
			const bed = new Bed();
			const fail = () => {
				throw new Error(where);
			};
			bed.route = () => ({ limit: 100, write: where === "write" ? fail : () => {}, end: fail });
			const [reply] = bed.exchange(bed.connect(), post("/", "abc"));
			assert.equal(reply.status, 500);
		}
	});

	it("replies 500 if a source throws before its first bytes, and only closes if it throws later", () => {
		expectFaults(/^fault: http: /);
		for (const [good, status] of [
			[0, 500],
			[3000, 200],
		] as const) {
			const bed = new Bed();
			let left = good;
			bed.route = (_, response) => {
				response.send(200, {
					read: (into, start, end) => {
						if (left <= 0) throw new Error("source");
						const count = Math.min(left, end - start);
						left -= count;
						into.fill(0x78, start, start + count);
						return count;
					},
				});
				return undefined;
			};
			const client = bed.connect();
			client.send(get("/"));
			bed.loop.settle();
			assert.match(client.take(), new RegExp(`^HTTP/1.1 ${status} `));
			bed.loop.advance(3000);
			assert.ok(client.closed);
			assert.equal(bed.server.connectionCount, 0);
			bed.route = undefined;
			bed.probe();
		}
	});

	it("closes the connection if a body is shorter than its length, and never sends more than that", () => {
		const faults = expectFaults(/^fault: http: /);
		const bed = new Bed();
		bed.route = (incoming, response) => {
			response.send(200, new Letters(2000), incoming.path === "/short" ? 2001 : 1999);
			return undefined;
		};
		let client = bed.connect();
		assert.equal(bed.exchange(client, get("/long"))[0].body, Letters.text(1999));
		assert.equal(client.closed, false);
		client = bed.connect();
		client.send(get("/short"));
		bed.loop.settle();
		assert.ok(client.closed);
		assert.equal(faults.length, 1);
	});

	it("can be closed from within a handler", () => {
		const bed = new Bed();
		bed.route = (_, response) => {
			bed.server.close();
			response.sendText(200, "too late");
			return undefined;
		};
		const client = bed.connect();
		assert.deepEqual(bed.exchange(client, get("/") + get("/")), []);
		assert.ok(client.closed);
		assert.equal(bed.requests, 1);
		assert.equal(bed.loop.timerCount, 0);
	});

	it("traces errors of the listener", () => {
		const bed = new Bed();
		bed.port.fail("gone");
		assert.deepEqual(bed.traced, ["http: listener: gone"]);
	});
});

describe("HTTP server: pipelining", () => {
	it("answers requests in order, in any split", () => {
		const wire =
			get("/text") +
			post("/echo", "abc") +
			get("/stream?size=2000") +
			request("HEAD", "/text") +
			get("/known?size=3") +
			get("/missing");
		fc.assert(
			fc.property(fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 6 }), (sizes) => {
				const { bed, client } = Bed.connected(700);
				for (let at = 0, i = 0; at < wire.length; i++) {
					const size = sizes[i % sizes.length];
					client.send(wire.slice(at, at + size));
					bed.loop.settle();
					at += size;
				}
				const list = replies(client.takeBytes(), (index) => index === 3);
				assert.deepEqual(
					list.map((reply) => reply.status),
					[200, 200, 200, 200, 200, 404],
				);
				assert.deepEqual(
					list.map((reply) => reply.body.length),
					[5, 0, 2000, 0, 3, 21],
				);
			}),
			{ numRuns: 100 },
		);
	});

	it("leaves the bytes of the next request in the socket while one is being answered", () => {
		const { bed, client } = Bed.connected();
		bed.exchange(client, get("/later"));
		bed.exchange(client, get("/text").repeat(200));
		assert.equal(bed.requests, 1);
		assert.equal(client.toServer.length, get("/text").length * 200);
		bed.later[0].send(200);
		bed.loop.settle();
		assert.equal(bed.requests, 201);
		assert.equal(replies(client.takeBytes()).length, 201);
	});
});
