/**
 * Every event in every state of a connection (the table in modules/http/connection-states.ts). An event out of place
 * has no effect: afterwards the current request and the next one are answered once each, or the connection is closed.
 */
import assert from "node:assert/strict";
import type { HTTPResponse } from "../../modules/http/response.js";
import { Bench, get, post } from "./bench.js";
import { type FakeClient, replies } from "./fake.js";

interface Case {
	readonly bench: Bench;
	readonly client: FakeClient;
	/** Completes the current request. */
	finish(): void;
	/** Number of replies that the server must send after that. */
	readonly expectedReplies: number;
	/** True if the connection stays open afterwards. */
	readonly staysOpen: boolean;
}

const NOTHING = () => {};
const BODY = "0123456789";

function begin(...pieces: string[]): { bench: Bench; client: FakeClient } {
	const bench = new Bench();
	const client = bench.connect();
	for (const piece of pieces) client.send(piece);
	bench.world.settle();
	return { bench, client };
}

function answer(response: HTTPResponse | undefined): void {
	response?.sendText(200, "late");
}

/** Requests a reply for a client that does not read. */
function stuck(request: string): { bench: Bench; client: FakeClient; finish(): void } {
	const bench = new Bench();
	const client = bench.connect(64);
	client.reading = false;
	client.send(request);
	bench.world.settle();
	const finish = () => {
		client.reading = true;
		client.drain(client.windowSize);
	};
	return { bench, client, finish };
}

const STATES: Readonly<Record<string, () => Case>> = {
	"HEAD, NONE: nothing received yet": () => ({ ...begin(), finish: NOTHING, expectedReplies: 0, staysOpen: true }),
	"HEAD, NONE: half a head": () => {
		const whole = get("/text");
		const { bench, client } = begin(whole.slice(0, 20));
		return { bench, client, finish: () => client.send(whole.slice(20)), expectedReplies: 1, staysOpen: true };
	},
	"HEAD, NONE: after a reply": () => {
		const { bench, client } = begin(get("/text"));
		client.takeBytes();
		return { bench, client, finish: NOTHING, expectedReplies: 0, staysOpen: true };
	},
	"BODY, AWAITED: a sink receives the body": () => {
		const whole = post("/echo", BODY);
		const { bench, client } = begin(whole.slice(0, -4));
		return { bench, client, finish: () => client.send(whole.slice(-4)), expectedReplies: 1, staysOpen: true };
	},
	"BODY, GIVEN: the reply came before the end of the body": () => {
		const whole = post("/text", BODY);
		const { bench, client } = begin(whole.slice(0, -4));
		return { bench, client, finish: () => client.send(whole.slice(-4)), expectedReplies: 1, staysOpen: true };
	},
	"DONE, AWAITED": () => {
		const { bench, client } = begin(get("/later"));
		return { bench, client, finish: () => answer(bench.later[0]), expectedReplies: 1, staysOpen: true };
	},
	"DONE, GIVEN": () => ({ ...stuck(get("/known?size=900")), expectedReplies: 1, staysOpen: true }),
	"LINGER, AWAITED": () => {
		const { bench, client } = begin(post("/later", BODY, "Expect: 100-continue"));
		return { bench, client, finish: () => answer(bench.later[0]), expectedReplies: 1, staysOpen: false };
	},
	"LINGER, GIVEN": () => ({ ...stuck("GET / HTTP/1.1\r\n\r\n"), expectedReplies: 1, staysOpen: false }),
	"CLOSED: at the client's request": () => {
		const { bench, client } = begin(get("/text", "Connection: close"));
		client.takeBytes();
		return { bench, client, finish: NOTHING, expectedReplies: 0, staysOpen: false };
	},
};

/** Events without an effect. */
const HARMLESS: Readonly<Record<string, (state: Case) => void>> = {
	"a callback with nothing to read": ({ client }) => client.socket?.readableInVain(),
	"a callback with nothing to send": ({ client, bench }) => {
		client.drain(0);
		bench.world.settle();
	},
	"a call of the driver too early": ({ bench }) => bench.server.advance(bench.world.nowMs),
	"a second reply to an answered request": ({ bench }) => {
		let keptResponse: HTTPResponse | undefined;
		const other = bench.connect();
		bench.route = (_, response) => {
			keptResponse = response;
			response.sendText(200, "first");
			return undefined;
		};
		assert.equal(bench.exchange(other, get("/")).length, 1);
		bench.route = undefined;
		keptResponse?.sendText(200, "second");
		keptResponse?.cancel();
		bench.world.settle();
		assert.equal(other.take(), "");
		other.leave();
		bench.world.settle();
	},
};

/** Events that end the connection in any state. */
const ENDING: Readonly<Record<string, (state: Case) => void>> = {
	"the client disconnects": ({ client }) => client.leave(),
	"the server closes": ({ bench }) => bench.server.close(),
};

describe("States of an HTTP connection", () => {
	for (const [state, arrange] of Object.entries(STATES)) {
		for (const [event, happen] of Object.entries(HARMLESS)) {
			it(`${state}; ${event}: has no effect`, () => {
				const made = arrange();
				const { bench, client } = made;
				happen(made);
				bench.world.settle();
				made.finish();
				bench.world.settle();
				const received = replies(client.takeBytes());
				assert.equal(received.length, made.expectedReplies);
				if (made.staysOpen) assert.equal(bench.exchange(client, get("/text"))[0]?.body, "hello");
				else {
					bench.world.advance(5000);
					assert.ok(client.closed);
				}
				bench.probe();
				assert.deepEqual(bench.mistakes, []);
			});
		}
		for (const [event, happen] of Object.entries(ENDING)) {
			it(`${state}; ${event}: ends the connection`, () => {
				const made = arrange();
				const { bench, client } = made;
				happen(made);
				bench.world.settle();
				assert.ok(client.closed || client.hasLeft);
				assert.equal(bench.server.connectionCount, 0);
				assert.equal(bench.server.deadlineMs, Number.POSITIVE_INFINITY);
				client.takeBytes();
				// Later calls have no effect.
				made.finish();
				bench.world.settle();
				bench.world.advance(400_000);
				assert.equal(client.take(), "");
				assert.deepEqual(bench.mistakes, []);
			});
		}
		it(`${state}; no event: ends the connection at a deadline, unless a handler is busy`, () => {
			const made = arrange();
			const { bench, client } = made;
			bench.world.advance(400_000);
			const isThinking = state === "DONE, AWAITED" || state === "LINGER, AWAITED";
			assert.equal(client.closed, !isThinking, "only a handler has no time limit");
			assert.equal(bench.server.connectionCount, isThinking ? 1 : 0);
			made.finish();
			bench.world.advance(400_000);
			assert.ok(client.closed);
			assert.equal(bench.world.timerCount, 0);
			assert.deepEqual(bench.mistakes, []);
		});
	}
});
