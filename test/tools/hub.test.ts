/** The stand-in for Home Assistant; test/peers/stand-in.ts compares it with the real one. */
import assert from "node:assert/strict";
import { connect } from "node:net";
import { type Fault, StandIn } from "../../tools/hub/home-assistant.js";

const PATH = "/api/states/sensor.smgw_a1b2c3_1_0_1_8_0";
const REPLY_LIMIT_MS = 10_000;
/** Silence that ends a reply, ms. */
const SILENCE_MS = 1000;
const SLOW_MS = 150;
/** Number of bytes from which a reply counts as endless. */
const MUCH = 100_000;

function post(hub: StandIn, body: unknown, token = hub.token): Promise<Response> {
	return fetch(`${hub.url}${PATH}`, {
		method: "POST",
		// Otherwise the next request may use a connection that a restart has closed.
		headers: { Authorization: `Bearer ${token}`, Connection: "close" },
		body: JSON.stringify(body),
		redirect: "manual",
		signal: AbortSignal.timeout(REPLY_LIMIT_MS),
	});
}

/** Bytes of a connection up to its end, to MUCH bytes, or to a silence. */
function raw(hub: StandIn): Promise<{ text: string; hasEnded: boolean }> {
	return new Promise((resolve) => {
		let text = "";
		const socket = connect(hub.port, "127.0.0.1", () => {
			socket.write(`GET /api/ HTTP/1.1\r\nHost: a\r\nConnection: close\r\nAuthorization: Bearer ${hub.token}\r\n\r\n`);
		});
		const finish = (hasEnded: boolean) => {
			socket.destroy();
			resolve({ text, hasEnded });
		};
		socket.setTimeout(SILENCE_MS, () => finish(false));
		socket.on("end", () => finish(true));
		socket.on("error", () => finish(true));
		socket.on("data", (bytes: Buffer) => {
			text += bytes.toString("latin1");
			if (text.length > MUCH) finish(false);
		});
	});
}

describe("The stand-in for Home Assistant", () => {
	let hub: StandIn;
	beforeEach(async () => {
		hub = await StandIn.start({ banAfter: 3 });
	});
	afterEach(() => hub.end());

	it("reports a state as new, then as known, and as new again after a restart", async () => {
		assert.equal((await post(hub, { state: "1", attributes: { a: 1, b: 2 } })).status, 201);
		assert.equal((await post(hub, { state: "2", attributes: { b: 3 } })).status, 200);
		assert.deepEqual(
			[...hub.entities.values()].map(({ state, attributes }) => [state, attributes]),
			[["2", { b: 3 }]],
		);
		const { port } = hub;
		await hub.restart();
		assert.equal(hub.port, port);
		assert.equal(hub.entities.size, 0);
		assert.equal((await post(hub, { state: "2" })).status, 201);
	});

	it("records the requests unchanged", async () => {
		await post(hub, { state: "1" });
		await post(hub, { state: "1" }, "wrong");
		assert.deepEqual(
			hub.requests.map(({ method, path, token, body, status }) => [method, path, token, body, status]),
			[
				["POST", PATH, hub.token, '{"state":"1"}', 201],
				["POST", PATH, "wrong", '{"state":"1"}', 401],
			],
		);
	});

	it("rejects wrong tokens and those without administrator rights, and bans a client that repeats them", async () => {
		for (const token of ["wrong", hub.guestToken, "wrong"])
			assert.equal((await post(hub, { state: "1" }, token)).status, 401);
		assert.equal((await post(hub, { state: "1" })).status, 403);
		assert.equal(hub.entities.size, 0);
	});

	it("shows the received states on its page, without interpreting them as HTML", async () => {
		await post(hub, { state: "<b>1", attributes: { friendly_name: 'Imported "energy"', unit_of_measurement: "kWh" } });
		const text = await (await fetch(`${hub.url}/`)).text();
		assert.match(text, /Imported &quot;energy&quot;.*sensor\.smgw_a1b2c3_1_0_1_8_0.*&lt;b&gt;1 kWh/s);
	});

	const starts: [Fault, RegExp, boolean][] = [
		["silent", /^$/, false],
		["close", /^$/, true],
		["cut", /^HTTP\/1\.1 200 .*\{"entity_id":$/s, true],
		["redirect", /^HTTP\/1\.1 307 .*Location: https:\/\/other\.example\/\r/s, true],
		["chunked", /^HTTP\/1\.1 200 .*Transfer-Encoding: chunked\r.*\r\n7\r\n\{"messa\r\n.*\r\n0\r\n\r\n$/s, true],
		["endless", new RegExp(`^HTTP/1\\.1 200 .*\r\n\r\na{${MUCH / 2}}`, "s"), false],
		["endless-head", /^HTTP\/1\.1 200 OK\r\n(X-A: a{1000}\r\n){50}/, false],
		["garbage", /^SSH-2\.0/, true],
		["starting", /^HTTP\/1\.1 503 /, true],
		["failing", /^HTTP\/1\.1 500 /, true],
		["none", /^HTTP\/1\.1 404 .*404: Not Found$/s, true],
	];
	for (const [fault, pattern, ends] of starts) {
		it(`simulates a faulty server on request: ${fault}`, async () => {
			hub.fault = fault;
			hub.redirectTo = "https://other.example/";
			const { text, hasEnded } = await raw(hub);
			assert.ok(pattern.test(text), text.slice(0, 300));
			assert.equal(hasEnded, ends);
			hub.fault = undefined;
			assert.match((await raw(hub)).text, /"API running\."/);
		});
	}

	it("is slow on request", async () => {
		hub.fault = "slow";
		hub.slowMs = SLOW_MS;
		const startMs = performance.now();
		assert.equal((await post(hub, { state: "1" })).status, 201);
		assert.ok(performance.now() - startMs >= hub.slowMs - 1);
	});
});
