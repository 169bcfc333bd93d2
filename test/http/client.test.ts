/**
 * The HTTP client: several requests over one connection; servers that keep, drop or delay it; broken and endless
 * replies.
 */
import assert from "node:assert/strict";
import { NodeText } from "../../hosts/node/platform.js";
import { VirtualWorld } from "../../hosts/node/virtual.js";
import type { VirtualClient } from "../../hosts/node/virtual-network.js";
import { CONNECT_MS } from "../../hosts/node/virtual-servers.js";
import {
	HTTP_BAD_REPLY,
	HTTP_CONNECT_MS,
	HTTP_NO_REPLY,
	HTTP_REPLY_MS,
	HTTPClient,
	OUTCOME_NONE,
} from "../../modules/http/client.js";
import { CLIENT_BROKEN, CLIENT_ENDED, CLIENT_TIMEOUT, CLIENT_UNREACHABLE } from "../../modules/io/client.js";
import { Driver, type Task } from "../../modules/io/driver.js";

const ADDRESS = "192.0.2.7";
const PORT = 8123;
const text = new NodeText();
const WHOLE = "POST /api/states/sensor.x HTTP/1.1\r\nHost: hub.lan\r\nContent-Length: 5\r\n\r\nhello";
/** The request in the middle of a buffer. */
const REQUEST = text.encode(`xxx${WHOLE}yy`);
const OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi";

/** An owner of one client, like the hub. */
class Owner {
	readonly world = new VirtualWorld();
	readonly peers: VirtualClient[] = [];
	/** Outcomes with their times. */
	readonly outcomes: string[] = [];
	readonly drive: Task;
	client: HTTPClient | undefined;
	#seen = OUTCOME_NONE;

	constructor() {
		const { clock, timers } = this.world;
		const driver = new Driver({
			clock,
			timers,
			guard: (_part, run) => run(),
		});
		this.drive = driver.register("test", this);
	}

	get deadlineMs(): number {
		return this.client?.deadlineMs ?? Number.POSITIVE_INFINITY;
	}

	advance(nowMs: number): void {
		this.client?.advance(nowMs);
	}

	drain(nowMs: number): void {
		const { outcome = OUTCOME_NONE } = this.client ?? {};
		if (outcome !== this.#seen && outcome !== OUTCOME_NONE) this.outcomes.push(`${outcome} at ${nowMs}`);
		this.#seen = outcome;
	}

	/** Serves the address; sends `answer` after each whole request. */
	serve(answer: string | ((peer: VirtualClient, request: string) => void)): void {
		this.world.servers.serve(ADDRESS, PORT, {
			onConnection: (peer) => {
				this.peers.push(peer);
				peer.onReceived = () => {
					const request = peer.text;
					if (!request.endsWith("hello")) return;
					peer.discard(peer.receivedCount);
					if (typeof answer === "string") peer.send(answer);
					else answer(peer, request);
				};
			},
		});
	}

	connect(): HTTPClient {
		const { tcpClient } = this.world.network;
		this.drive.update(() => {
			this.client = new HTTPClient({ task: this.drive, port: tcpClient!, host: ADDRESS, portNumber: PORT });
		});
		return this.client!;
	}

	send(): void {
		this.drive.update((nowMs) => {
			this.#seen = OUTCOME_NONE;
			this.client!.send(REQUEST, 3, REQUEST.length - 2, nowMs);
		});
	}

	/** Sends the request; returns the outcomes within `ms`. */
	exchange(ms = 1): string[] {
		this.send();
		this.world.advance(ms);
		return this.outcomes.splice(0);
	}
}

describe("HTTP client", () => {
	let owner: Owner;
	beforeEach(() => {
		owner = new Owner();
	});

	it("sends a request once connected, and reports the status of the reply", () => {
		const requests: string[] = [];
		owner.serve((peer, request) => {
			requests.push(request);
			peer.send(OK);
		});
		const client = owner.connect();
		assert.deepEqual(owner.exchange(CONNECT_MS + 1), [`200 at ${CONNECT_MS}`]);
		assert.deepEqual(requests, [WHOLE]);
		assert.equal(client.isOpen, true);
		assert.equal(client.deadlineMs, Number.POSITIVE_INFINITY);
	});

	it("sends several requests over one connection, which may be opened before the first", () => {
		owner.serve(OK);
		owner.connect();
		owner.world.advance(CONNECT_MS);
		for (let i = 0; i < 3; i++) assert.deepEqual(owner.exchange(), [`200 at ${CONNECT_MS + i}`]);
		assert.equal(owner.peers.length, 1);
	});

	it("sends a long request in pieces, as the server reads them", () => {
		const long = text.encode(`${"x".repeat(7000)}hello`);
		let taken = "";
		owner.serve((peer, request) => {
			taken = request;
			peer.send(OK);
		});
		owner.connect();
		owner.drive.update((nowMs) => owner.client!.send(long, 0, long.length, nowMs));
		owner.world.advance(CONNECT_MS + 10);
		assert.equal(taken.length, 7005);
		assert.equal(owner.outcomes.length, 1);
		assert.equal(owner.client!.isOpen, true);
	});

	it("waits for a server that is slow to read", () => {
		const answer = (peer: VirtualClient) => peer.send(OK);
		owner.serve(answer);
		owner.connect();
		owner.world.advance(CONNECT_MS);
		owner.peers[0].paused = true;
		assert.deepEqual(owner.exchange(HTTP_REPLY_MS - 10), []);
		owner.peers[0].paused = false;
		owner.world.advance(1);
		assert.equal(owner.outcomes.length, 1);
	});

	for (const [name, answer, outcomes, isOpen] of [
		["with another status", "HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n", 401, true],
		[
			"with a redirect, which it does not follow",
			"HTTP/1.1 302 Found\r\nLocation: http://evil/\r\nContent-Length: 0\r\n\r\n",
			302,
			true,
		],
		["after which the server closes", "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n", 200, false],
		[
			"with a body beyond the limit",
			`HTTP/1.1 200 OK\r\nContent-Length: 99999\r\n\r\n${"x".repeat(20_000)}`,
			200,
			false,
		],
		["of another protocol", "220 mail.example ESMTP\r\n", HTTP_BAD_REPLY, false],
	] as const) {
		it(`reports the outcome of a reply ${name}`, () => {
			owner.serve(answer);
			const client = owner.connect();
			owner.world.advance(CONNECT_MS);
			assert.deepEqual(owner.exchange(), [`${outcomes} at ${CONNECT_MS}`]);
			assert.equal(client.isOpen, isOpen);
			assert.equal(owner.peers[0].isClosed, !isOpen);
		});
	}

	it("gives up on a server that sends nothing, or a byte now and then", () => {
		for (const drip of [false, true]) {
			owner = new Owner();
			owner.serve((peer) => {
				for (let i = 1; drip && i < 100; i++)
					owner.world.time.set(() => peer.isClosed || peer.send("HTTP/1.1 "), i * 1000);
			});
			owner.connect();
			owner.world.advance(CONNECT_MS);
			assert.deepEqual(owner.exchange(60_000), [`${HTTP_NO_REPLY} at ${CONNECT_MS + HTTP_REPLY_MS}`]);
			assert.ok(owner.peers[0].isClosed);
		}
	});

	it("reports the status of a reply with a body that never ends", () => {
		owner.serve((peer) => {
			peer.send("HTTP/1.1 201 Created\r\n\r\n");
			for (let i = 1; i < 100; i++) owner.world.time.set(() => peer.isClosed || peer.send("x"), i * 1000);
		});
		owner.connect();
		owner.world.advance(CONNECT_MS);
		assert.deepEqual(owner.exchange(60_000), [`201 at ${CONNECT_MS + HTTP_REPLY_MS}`]);
		assert.ok(owner.peers[0].isClosed);
	});

	it("limits an endless head and an endless body", () => {
		for (const [head, outcomes] of [
			["", HTTP_BAD_REPLY],
			["HTTP/1.1 200 OK\r\n\r\n", 200],
		] as const) {
			owner = new Owner();
			owner.serve((peer) => {
				peer.send(head);
				for (let i = 1; i < 100; i++) owner.world.time.set(() => peer.isClosed || peer.send("x".repeat(1000)), i * 10);
			});
			owner.connect();
			owner.world.advance(CONNECT_MS);
			const [outcome] = owner.exchange(1000);
			assert.match(outcome, new RegExp(`^${outcomes} at `));
		}
	});

	it("reports how the connection failed", () => {
		owner.connect();
		assert.deepEqual(owner.exchange(100), [`${CLIENT_UNREACHABLE} at ${CONNECT_MS}`]);
		owner = new Owner();
		owner.world.servers.serve(ADDRESS, PORT, { fault: "lost" });
		owner.connect();
		assert.deepEqual(owner.exchange(HTTP_CONNECT_MS), [`${CLIENT_TIMEOUT} at ${HTTP_CONNECT_MS}`]);
		for (const [reply, outcomes] of [
			["", CLIENT_ENDED],
			["HTTP/1.1 ", HTTP_NO_REPLY],
			["HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nx", 200],
		] as const) {
			owner = new Owner();
			owner.serve((peer) => {
				peer.send(reply);
				peer.close();
			});
			const client = owner.connect();
			assert.deepEqual(owner.exchange(100), [`${outcomes} at ${CONNECT_MS}`]);
			assert.equal(client.isOpen, false);
			assert.equal(client.isWorthRepeating, false);
		}
		owner = new Owner();
		owner.serve((peer) => peer.reset());
		owner.connect();
		assert.deepEqual(owner.exchange(100), [`${CLIENT_BROKEN} at ${CONNECT_MS}`]);
	});

	it("reports a request as worth repeating if the server has closed a persistent connection without answering it", () => {
		let count = 0;
		owner.serve((peer) => {
			if (count++ === 0) peer.send(OK);
			else peer.close();
		});
		const client = owner.connect();
		assert.equal(owner.exchange(100).length, 1);
		assert.deepEqual(owner.exchange(), [`${CLIENT_ENDED} at 100`]);
		assert.equal(client.isWorthRepeating, true);
		// A close between requests is not reported; it only shows in `isOpen`.
		owner = new Owner();
		owner.serve(OK);
		const another = owner.connect();
		owner.exchange(100);
		owner.peers[0].close();
		owner.world.advance(1);
		assert.deepEqual(owner.outcomes, []);
		assert.equal(another.isOpen, false);
	});

	it("accepts no reply that arrives before the request", () => {
		owner.serve(OK);
		const client = owner.connect();
		owner.world.advance(CONNECT_MS);
		owner.peers[0].send(OK);
		owner.world.advance(1);
		assert.equal(client.isOpen, false);
		assert.equal(client.outcome, OUTCOME_NONE);
	});

	it("reports nothing once it is closed", () => {
		owner.serve(OK);
		const client = owner.connect();
		owner.send();
		owner.drive.update(() => client.close());
		owner.world.advance(60_000);
		assert.deepEqual(owner.outcomes, []);
		assert.equal(client.outcome, OUTCOME_NONE);
	});
});
