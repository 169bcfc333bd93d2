/**
 * When the server reads bodies of events, and when it closes them: for a new connection, or if the client reads
 * nothing.
 */
import assert from "node:assert/strict";
import { DEFAULT_LIMITS } from "../../modules/http/limits.js";
import { type BodySource, type LiveBody, type LiveReader, NOTHING_YET } from "../../modules/http/response.js";
import { MemoryLedger } from "../../modules/io/memory.js";
import { expectFaults } from "../faults.js";
import { Bed, get, TOKEN } from "./bed.js";
import { type FakeClient, replies, text } from "./fake.js";

const { beatMs, pauseMs, writeMs, graceMs, longIdleMs, idleMs } = DEFAULT_LIMITS;
const HEAD = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n";

/** A source that gives the latest item as a whole. */
class News implements BodySource, LiveBody {
	#reader: LiveReader | undefined;
	latest: string | undefined;
	isOver = false;
	beats = 0;
	reads = 0;
	closed = 0;

	get live(): LiveBody {
		return this;
	}

	opened(reader: LiveReader): void {
		assert.equal(this.#reader, undefined);
		this.#reader = reader;
	}

	beat(): void {
		this.beats++;
		this.latest ??= "beat";
	}

	publish(news: string): void {
		this.latest = news;
		this.#reader?.wake();
	}

	end(): void {
		this.isOver = true;
		this.#reader?.wake();
	}

	read(into: Uint8Array, start: number, end: number): number {
		assert.equal(this.closed, 0, "read after close");
		this.reads++;
		if (this.isOver) return 0;
		if (this.latest === undefined || this.latest.length > end - start) return NOTHING_YET;
		const bytes = text.encode(this.latest);
		into.set(bytes, start);
		this.latest = undefined;
		return bytes.length;
	}

	close(): void {
		this.closed++;
	}
}

/** The item as a chunk. */
const chunk = (news: string) => `${news.length.toString(16).padStart(3, "0")}\r\n${news}\r\n`;

class LiveBed extends Bed {
	readonly news: News[] = [];

	constructor(places?: number, ledger?: MemoryLedger) {
		super(places, {}, ledger);
		this.route = (request, response) => {
			if (request.path !== "/news") {
				if (request.path === "/later") this.later.push(response);
				else response.sendText(200, "hello");
				return undefined;
			}
			const news = new News();
			this.news.push(news);
			response.closing = true;
			response.send(200, news);
			return undefined;
		};
	}

	/** Connects a client that receives events. */
	follow(windowSize?: number, port = this.port): FakeClient {
		const client = this.connect(windowSize, port);
		client.send(get("/news", TOKEN));
		this.loop.settle();
		assert.equal(client.take(), HEAD);
		return client;
	}
}

describe("HTTP server: bodies of events", () => {
	it("with a token are not closed for a connection to the other port while memory is short, which waits instead", () => {
		let isShort = true;
		const bed = new LiveBed(4, new MemoryLedger({ suffices: () => !isShort }));
		const stream = bed.follow(undefined, bed.securePort);
		bed.exchange(bed.connect(), get("/later", TOKEN));
		const battery = bed.connect();
		battery.send(get("/text"));
		bed.loop.advance(10 * graceMs);
		assert.deepEqual([stream.closed, battery.receivedLength], [false, 0]);
		isShort = false;
		bed.loop.advance(250);
		assert.ok(battery.receivedLength > 0);
		isShort = true;
		const other = bed.connect(undefined, bed.securePort);
		other.send(get("/text", TOKEN));
		bed.loop.advance(10 * graceMs);
		assert.deepEqual([stream.closed, other.receivedLength > 0], [true, true]);
	});

	it("send the head at once, and each item in an event-loop pass of its own", () => {
		const bed = new LiveBed();
		const client = bed.follow();
		bed.news[0].publish("first");
		assert.equal(client.take(), "", "not during the call");
		bed.loop.advance(pauseMs);
		assert.equal(client.take(), chunk("first"));
		bed.loop.advance(1000);
		bed.news[0].publish("second");
		bed.loop.advance(0);
		assert.equal(client.take(), chunk("second"), "at once, because nothing was sent for long");
	});

	it("are read at most every pauseMs, however many items there are, and give the latest", () => {
		const bed = new LiveBed();
		const client = bed.follow();
		for (let i = 0; i < 1000; i++) {
			bed.news[0].publish(`news ${i}`);
			bed.loop.advance(1);
		}
		bed.loop.advance(pauseMs);
		const received = client.take();
		assert.ok(received.endsWith(chunk("news 999")));
		assert.ok(client.writes.length <= 2 + 1000 / pauseMs, `${client.writes.length} pieces`);
		assert.ok(bed.news[0].reads < 20, `${bed.news[0].reads} reads`);
		assert.ok(bed.loop.timersSet < 20, `${bed.loop.timersSet} timers`);
	});

	it("send a beat after each beatMs of silence, for longer than other replies may take", () => {
		const bed = new LiveBed();
		const client = bed.follow();
		bed.loop.advance(beatMs - 1);
		assert.equal(client.take(), "");
		bed.loop.advance(1);
		assert.equal(client.take(), chunk("beat"));
		bed.loop.advance(beatMs - 1000);
		bed.news[0].publish("news");
		bed.loop.advance(beatMs - 1);
		assert.equal(client.take(), chunk("news"), "the item ended the silence");
		bed.loop.advance(40 * beatMs);
		assert.equal(client.take(), chunk("beat").repeat(40));
		assert.equal(client.closed, false);
	});

	it("still send beats if the client keeps sending, and are not read more often because of it", () => {
		const bed = new LiveBed();
		const client = bed.follow();
		const { reads } = bed.news[0];
		for (let ms = 0; ms < beatMs; ms += 100) {
			client.send("GET /");
			bed.loop.advance(100);
		}
		assert.equal(client.take(), chunk("beat"));
		assert.ok(bed.news[0].reads - reads <= 3);
	});

	it("wait for room in the buffer: an item that does not fit after the head is sent after it", () => {
		const bed = new LiveBed();
		const client = bed.connect();
		const long = "x".repeat(1000);
		bed.route = (_, response) => {
			const news = new News();
			news.latest = long;
			response.closing = true;
			response.send(200, news);
			return undefined;
		};
		client.send(get("/news", TOKEN));
		bed.loop.settle();
		assert.equal(client.take(), HEAD + chunk(long));
	});

	it("continue when the client's window opens again, even if all that was sent has filled it exactly", () => {
		for (const size of [1, 7, HEAD.length, HEAD.length + chunk("first").length, 1536]) {
			const bed = new LiveBed();
			const client = bed.connect(size);
			client.send(get("/news", TOKEN));
			bed.loop.settle();
			for (const news of ["first", "second"]) {
				bed.news[0].publish(news);
				bed.loop.advance(pauseMs);
			}
			assert.equal(client.take(), HEAD + chunk("first") + chunk("second"), `window ${size}`);
		}
	});

	it("end when their source ends, and then the connection is closed", () => {
		const bed = new LiveBed();
		const client = bed.follow();
		bed.news[0].publish("last");
		bed.loop.advance(pauseMs);
		bed.news[0].end();
		bed.loop.advance(pauseMs);
		assert.equal(replies(text.encode(HEAD + client.take()))[0].body, "last");
		assert.ok(client.closed);
		assert.equal(bed.news[0].closed, 1);
		assert.equal(bed.loop.timerCount, 0);
	});

	it("end when the client disconnects, the server closes or the source throws an exception", () => {
		expectFaults(/^fault: http: /);
		for (const end of ["client", "server", "mistake"]) {
			const bed = new LiveBed();
			const client = bed.follow();
			if (end === "client") client.leave();
			else if (end === "server") bed.server.close();
			else {
				bed.news[0].read = () => {
					throw new Error("mistake");
				};
				bed.news[0].publish("x");
				bed.loop.advance(pauseMs);
			}
			bed.loop.settle();
			assert.equal(bed.news[0].closed, 1, end);
			assert.equal(bed.server.connectionCount, 0);
			assert.equal(bed.server.deadlineMs, Number.POSITIVE_INFINITY);
			bed.loop.advance(10 * beatMs);
			assert.equal(client.take(), "");
		}
	});

	it("are closed if the client reads nothing for writeMs, and take no more memory meanwhile", () => {
		const bed = new LiveBed();
		const client = bed.follow(300);
		client.reading = false;
		let ms = 0;
		for (; !client.closed && ms < 200_000; ms += 1000) {
			bed.news[0].publish("x".repeat(100));
			bed.loop.advance(1000);
		}
		// The window is full after three pieces.
		assert.ok(ms >= writeMs && ms <= writeMs + 5000, `${ms} ms`);
		assert.equal(bed.news[0].closed, 1);
		assert.ok(client.receivedLength <= 300);
	});

	it("are also closed writeMs after a beat that could not be sent", () => {
		const bed = new LiveBed();
		const client = bed.connect(HEAD.length + 3);
		client.reading = false;
		client.send(get("/news", TOKEN));
		bed.loop.advance(beatMs + writeMs - 1);
		assert.equal(client.take(), HEAD + chunk("beat").slice(0, 3));
		assert.equal(client.closed, false);
		bed.loop.advance(1);
		assert.ok(client.closed);
		assert.equal(bed.news[0].closed, 1);
	});

	it("are sent to an HTTP/1.0 client without chunks, and to HEAD as a head only", () => {
		const bed = new LiveBed();
		const old = bed.connect();
		old.send("GET /news HTTP/1.0\r\n\r\n");
		bed.loop.settle();
		bed.news[0].publish("first");
		bed.loop.advance(pauseMs);
		bed.news[0].publish("second");
		bed.loop.advance(pauseMs);
		assert.equal(old.take(), "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nfirstsecond");
		bed.news[0].end();
		bed.loop.advance(pauseMs);
		assert.ok(old.closed);
		const head = bed.connect();
		head.send("HEAD /news HTTP/1.1\r\nHost: x\r\n\r\n");
		bed.loop.settle();
		assert.equal(head.take(), HEAD);
		assert.deepEqual([bed.news[1].closed, bed.news[1].reads], [1, 0]);
	});
});

describe("HTTP server: a new connection", () => {
	it("replaces an event body before any other connection, after its grace period, with a token or without", () => {
		const bed = new LiveBed(3);
		// Idle connections without and with a token.
		const stranger = bed.connect();
		bed.loop.advance(graceMs);
		const known = bed.connect();
		bed.exchange(known, get("/text", TOKEN));
		bed.loop.advance(graceMs);
		const stream = bed.connect();
		// The request itself may close an unknown client, to keep a place free.
		stream.send(get("/news", TOKEN));
		bed.loop.settle();
		const other = bed.connect();
		bed.exchange(other, get("/text", TOKEN));
		assert.equal(bed.server.connectionCount, 3);
		assert.equal(stream.closed, false);
		assert.ok(stranger.closed);
		bed.exchange(known, get("/text", TOKEN));
		const newcomer = bed.connect();
		newcomer.send(get("/text"));
		bed.loop.settle();
		assert.equal(newcomer.take(), "", "the stream has just begun");
		bed.loop.advance(graceMs);
		assert.ok(stream.closed);
		assert.equal(bed.news[0].closed, 1);
		assert.equal(replies(newcomer.takeBytes())[0].status, 200);
		assert.deepEqual([known.closed, other.closed], [false, false]);
	});

	it("replaces a connection that has been idle for two seconds before an event body", () => {
		const bed = new LiveBed(3);
		const stream = bed.follow();
		const known = bed.connect();
		bed.exchange(known, get("/text", TOKEN));
		bed.loop.advance(longIdleMs);
		const other = bed.connect();
		bed.exchange(other, get("/text", TOKEN));
		assert.equal(bed.exchange(bed.connect(), get("/text"))[0].status, 200);
		assert.deepEqual([stream.closed, known.closed, other.closed], [false, true, false]);
	});

	it("replaces one of the address that has most places", () => {
		const bed = new LiveBed(3);
		const stream = bed.follow();
		stream.address = "192.0.2.8";
		const guests = [bed.connect(), bed.connect()];
		for (const guest of guests) bed.exchange(guest, get("/text", TOKEN));
		bed.loop.advance(graceMs);
		assert.equal(bed.exchange(bed.connect(), get("/text"))[0].status, 200);
		assert.equal(stream.closed, false);
		assert.deepEqual(
			guests.map(({ closed }) => closed),
			[true, false],
		);
	});

	it("replaces an event body at once if all other connections wait for replies to requests with a token", () => {
		const bed = new LiveBed(3);
		const stream = bed.follow();
		for (let i = 0; i < 2; i++) bed.connect().send(get("/later", TOKEN));
		bed.loop.advance(graceMs);
		assert.equal(bed.later.length, 2);
		const newcomer = bed.connect();
		assert.equal(bed.exchange(newcomer, get("/text"))[0].status, 200);
		assert.ok(stream.closed);
	});

	it("may make many requests while an event body is sent, and they may take long", () => {
		const bed = new LiveBed(3);
		bed.follow();
		bed.connect().send(get("/later", TOKEN));
		const keptOpen = bed.connect();
		bed.loop.settle();
		for (let i = 0; i < 3; i++) {
			const [reply] = bed.exchange(keptOpen, get("/text", TOKEN));
			assert.equal(reply.fields.get("connection"), undefined);
		}
		keptOpen.send(get("/later", TOKEN));
		bed.loop.settle();
		assert.deepEqual(
			bed.later.map(({ isOnLastPlace }) => isOnLastPlace),
			[false, false],
		);
	});

	it("is closed after the usual idle time, also while an event body is sent", () => {
		const bed = new LiveBed(3);
		bed.follow();
		const idle = bed.connect();
		bed.exchange(idle, get("/text", TOKEN));
		bed.loop.advance(idleMs);
		assert.ok(idle.closed);
		assert.equal(bed.server.connectionCount, 1);
	});
});
