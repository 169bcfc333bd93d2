/**
 * Every event in every state of a connection (the table in modules/http/connection-states.ts). An event out of place
 * has no effect: afterwards the current request and the next one are answered once each, or the connection is closed.
 */
import assert from "node:assert/strict";
import type { HTTPResponse } from "../../modules/http/response.js";
import { Bed, get, post } from "./bed.js";
import { type FakeClient, replies } from "./fake.js";

interface Case {
	readonly bed: Bed;
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

function begin(...pieces: string[]): { bed: Bed; client: FakeClient } {
	const bed = new Bed();
	const client = bed.connect();
	for (const piece of pieces) client.send(piece);
	bed.loop.settle();
	return { bed, client };
}

function answer(response: HTTPResponse | undefined): void {
	response?.sendText(200, "late");
}

/** Requests a reply for a client that does not read. */
function stuck(request: string): { bed: Bed; client: FakeClient; finish(): void } {
	const bed = new Bed();
	const client = bed.connect(64);
	client.reading = false;
	client.send(request);
	bed.loop.settle();
	const finish = () => {
		client.reading = true;
		client.drain(client.windowSize);
	};
	return { bed, client, finish };
}

const STATES: Readonly<Record<string, () => Case>> = {
	"HEAD, NONE: nothing received yet": () => ({ ...begin(), finish: NOTHING, expectedReplies: 0, staysOpen: true }),
	"HEAD, NONE: half a head": () => {
		const whole = get("/text");
		const { bed, client } = begin(whole.slice(0, 20));
		return { bed, client, finish: () => client.send(whole.slice(20)), expectedReplies: 1, staysOpen: true };
	},
	"HEAD, NONE: after a reply": () => {
		const { bed, client } = begin(get("/text"));
		client.takeBytes();
		return { bed, client, finish: NOTHING, expectedReplies: 0, staysOpen: true };
	},
	"BODY, AWAITED: a sink receives the body": () => {
		const whole = post("/echo", BODY);
		const { bed, client } = begin(whole.slice(0, -4));
		return { bed, client, finish: () => client.send(whole.slice(-4)), expectedReplies: 1, staysOpen: true };
	},
	"BODY, GIVEN: the reply came before the end of the body": () => {
		const whole = post("/text", BODY);
		const { bed, client } = begin(whole.slice(0, -4));
		return { bed, client, finish: () => client.send(whole.slice(-4)), expectedReplies: 1, staysOpen: true };
	},
	"DONE, AWAITED": () => {
		const { bed, client } = begin(get("/later"));
		return { bed, client, finish: () => answer(bed.later[0]), expectedReplies: 1, staysOpen: true };
	},
	"DONE, GIVEN": () => ({ ...stuck(get("/known?size=900")), expectedReplies: 1, staysOpen: true }),
	"LINGER, AWAITED": () => {
		const { bed, client } = begin(post("/later", BODY, "Expect: 100-continue"));
		return { bed, client, finish: () => answer(bed.later[0]), expectedReplies: 1, staysOpen: false };
	},
	"LINGER, GIVEN": () => ({ ...stuck("GET / HTTP/1.1\r\n\r\n"), expectedReplies: 1, staysOpen: false }),
	"CLOSED: at the client's request": () => {
		const { bed, client } = begin(get("/text", "Connection: close"));
		client.takeBytes();
		return { bed, client, finish: NOTHING, expectedReplies: 0, staysOpen: false };
	},
};

/** Events without an effect. */
const HARMLESS: Readonly<Record<string, (state: Case) => void>> = {
	"a callback with nothing to read": ({ client }) => client.socket?.readableInVain(),
	"a callback with nothing to send": ({ client, bed }) => {
		client.drain(0);
		bed.loop.settle();
	},
	"a call of the driver too early": ({ bed }) => bed.server.advance(bed.loop.nowMs),
	"a second reply to an answered request": ({ bed }) => {
		let keptResponse: HTTPResponse | undefined;
		const other = bed.connect();
		bed.route = (_, response) => {
			keptResponse = response;
			response.sendText(200, "first");
			return undefined;
		};
		assert.equal(bed.exchange(other, get("/")).length, 1);
		bed.route = undefined;
		keptResponse?.sendText(200, "second");
		keptResponse?.cancel();
		bed.loop.settle();
		assert.equal(other.take(), "");
		other.leave();
		bed.loop.settle();
	},
};

/** Events that end the connection in any state. */
const ENDING: Readonly<Record<string, (state: Case) => void>> = {
	"the client disconnects": ({ client }) => client.leave(),
	"the server closes": ({ bed }) => bed.server.close(),
};

describe("States of an HTTP connection", () => {
	for (const [state, arrange] of Object.entries(STATES)) {
		for (const [event, happen] of Object.entries(HARMLESS)) {
			it(`${state}; ${event}: has no effect`, () => {
				const made = arrange();
				const { bed, client } = made;
				happen(made);
				bed.loop.settle();
				made.finish();
				bed.loop.settle();
				const received = replies(client.takeBytes());
				assert.equal(received.length, made.expectedReplies);
				if (made.staysOpen) assert.equal(bed.exchange(client, get("/text"))[0]?.body, "hello");
				else {
					bed.loop.advance(5000);
					assert.ok(client.closed);
				}
				bed.probe();
			});
		}
		for (const [event, happen] of Object.entries(ENDING)) {
			it(`${state}; ${event}: ends the connection`, () => {
				const made = arrange();
				const { bed, client } = made;
				happen(made);
				bed.loop.settle();
				assert.ok(client.closed || client.hasLeft);
				assert.equal(bed.server.connectionCount, 0);
				assert.equal(bed.server.deadlineMs, Number.POSITIVE_INFINITY);
				client.takeBytes();
				// Later calls have no effect.
				made.finish();
				bed.loop.settle();
				bed.loop.advance(400_000);
				assert.equal(client.take(), "");
			});
		}
		it(`${state}; no event: ends the connection at a deadline, unless a handler is busy`, () => {
			const made = arrange();
			const { bed, client } = made;
			bed.loop.advance(400_000);
			const isThinking = state === "DONE, AWAITED" || state === "LINGER, AWAITED";
			assert.equal(client.closed, !isThinking, "only a handler has no time limit");
			assert.equal(bed.server.connectionCount, isThinking ? 1 : 0);
			made.finish();
			bed.loop.advance(400_000);
			assert.ok(client.closed);
			assert.equal(bed.loop.timerCount, 0);
		});
	}
});
