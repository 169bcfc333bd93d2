/**
 * Damaged requests of a client that is logged in, against the whole gateway on a virtual world with the built-in meter
 * simulator: bytes of head and body, and bodies that are odd JSON in a request that is right. Nothing throws, every
 * reply is HTTP, no connection is lost, and a good request works after every hundred.
 */
import assert from "node:assert/strict";
import { VirtualWorld } from "../../hosts/node/virtual.js";
import type { VirtualClient } from "../../hosts/node/virtual-network.js";
import { encodeRequest, type VirtualReply } from "../../hosts/node/virtual-request.js";
import { Gateway } from "../../modules/app/gateway.js";
import { BODIES, oddJSON } from "./bodies.js";
import { type Mutator, runAll } from "./mutator.js";

/** Connections that the gateway serves at once over TLS. */
const CONNECTIONS = 2;
/** After this long no request is still waiting for the meter, ms. Unread bytes may keep a connection until then. */
const WAIT_MS = 62_000;
/** Where the good requests come from: the login limiter must not count the damaged ones against them. */
const GOOD_ADDRESS = "192.0.2.200";
const API = "/api/v1/";

interface Route {
	readonly method: string;
	readonly path: string;
	readonly body?: Readonly<Record<string, unknown>>;
}

const ROUTES: readonly Route[] = [
	...["system/challenge", "meter/protocol", "iec62056/read?lang=de", "iec62056/last?lang=pl&x=%41"].map(get),
	...["iec62056/config", "iec62056/control", "iec62056/log", "nothing/here"].map(get),
	{ method: "HEAD", path: "iec62056/last" },
	{ method: "POST", path: "meter/probe" },
	{ method: "POST", path: "system/logout" },
	{ method: "POST", path: "meter/protocol", body: BODIES[0] },
	{ method: "POST", path: "iec62056/config", body: BODIES[1] },
	{ method: "POST", path: "iec62056/control", body: BODIES[2] },
	{ method: "POST", path: "system/login", body: BODIES[3] },
	{ method: "POST", path: "system/login", body: BODIES[4] },
];

function get(path: string): Route {
	return { method: "GET", path };
}

class GatewayBench {
	readonly world = new VirtualWorld({ utcMs: Date.UTC(2026, 10, 20, 6) });
	#token = "";

	constructor() {
		new Gateway(this.world).start();
		this.checkGood();
	}

	/** A request of the client that is logged in; `json` replaces the body. */
	encode({ method, path, body }: Route, mutator: Mutator, json?: string): Uint8Array {
		const headers: Record<string, string> = { Authorization: `Bearer ${this.#token}`, Accept: "application/json" };
		let text = json ?? (body === undefined ? undefined : JSON.stringify(body));
		if (text !== undefined) headers["Content-Type"] = "application/json";
		if (method === "POST" && mutator.random.oneIn(4)) headers["Origin"] = "https://gateway.local";
		if (text !== undefined && mutator.random.oneIn(8)) headers["Expect"] = "100-continue";
		if (text !== undefined && mutator.random.oneIn(4)) {
			headers["Transfer-Encoding"] = "chunked";
			text = chunked(text, mutator);
			const head = Buffer.from(encodeRequest(API + path, { method, headers }));
			return new Uint8Array(Buffer.concat([head, Buffer.from(text)]));
		}
		return encodeRequest(API + path, { method, headers, ...(text === undefined ? {} : { body: text }) });
	}

	/** Sends bytes over a connection of their own, lets some time go by, and gives all that came back. */
	exchange(bytes: Uint8Array, mutator: Mutator): string {
		const client = this.#connect();
		mutator.inPieces(bytes, (buffer, start, end) => {
			if (client.isClosed) return;
			client.send(buffer.slice(start, end));
			if (mutator.random.oneIn(4)) this.world.advance(mutator.random.below(3));
		});
		// Mostly a moment; at times until each of the server's and the reader's waits is over.
		this.world.advance(mutator.random.oneIn(40) ? mutator.pick([9_000, 11_000, 31_000, 62_000]) : 5);
		const { text } = client;
		client.close();
		this.world.advance(1);
		return text;
	}

	/** Nothing of our own went wrong. */
	checkTrace(): void {
		for (const line of this.world.traced) assert.doesNotMatch(line, /\n\s+at /);
		this.world.traced.length = 0;
	}

	/** Gets a new token for the requests from now on. */
	logIn(): void {
		const client = this.#connect(GOOD_ADDRESS);
		const login = this.#good(client, { method: "POST", path: "system/login", body: BODIES[3] });
		this.#token = login.json().token;
		client.close();
		this.world.advance(1);
	}

	/** After a login, on all connections at once: requests work, and a readout has its values. */
	checkGood(): void {
		this.world.advance(WAIT_MS);
		this.logIn();
		const clients = Array.from({ length: CONNECTIONS }, () => this.#connect(GOOD_ADDRESS));
		for (const client of clients) {
			for (const [path, body] of [
				["iec62056/config", { mode_d_enabled: false, battery: false }],
				["iec62056/control", { simulator_en: true, log_en: true }],
			] as const) {
				this.#good(client, { method: "POST", path, body });
			}
			const readout = this.#good(client, get("iec62056/read")).json();
			assert.equal(readout.status, 0);
			assert.equal(readout.meter_id, "SMG5SIMULATOR");
			assert.ok(readout.readings.length > 10);
		}
		for (const client of clients) client.close();
		this.world.advance(1);
		this.checkTrace();
	}

	#connect(address?: string): VirtualClient {
		return this.world.connect(true, address);
	}

	#good(client: VirtualClient, { method, path, body }: Route): VirtualReply {
		const headers = { Authorization: `Bearer ${this.#token}` };
		const reply = this.world.request(API + path, { client, method, headers, ...(body ? { body } : {}) });
		assert.equal(reply.status, 200, reply.text);
		return reply;
	}
}

function chunked(text: string, mutator: Mutator): string {
	const bytes = Buffer.from(text);
	let wire = "";
	for (let at = 0; at < bytes.length; ) {
		const size = Math.min(bytes.length - at, 1 + mutator.random.below(50));
		// One byte a character on the way to the caller, who makes UTF-8 of it: so only ASCII goes into chunks.
		wire += `${size.toString(16)}\r\n${bytes.toString("ascii", at, at + size)}\r\n`;
		at += size;
	}
	return `${wire}0\r\n\r\n`;
}

/** All of it is replies of HTTP/1.1, and none says that the gateway made a mistake. */
function checkReplies(text: string): void {
	assert.match(text, /^(HTTP\/1\.1 [1-5]\d\d |$)/);
	assert.doesNotMatch(text, /"error":"internal"/);
}

/** A request that is right but for its body: what comes back is one whole reply. */
function checkAnswer(text: string, path: string): void {
	const rest = text.replace(/^HTTP\/1\.1 100 [^\r]*\r\n\r\n/, "");
	const match = /^HTTP\/1\.1 (\d{3}) [^\r]*\r\n((?:[^\r]+\r\n)*)\r\n/.exec(rest);
	assert.ok(match, `${path}: ${JSON.stringify(text.slice(0, 80))}`);
	const expected = [200, 400, 401, 413, 429, 501];
	assert.ok(expected.includes(Number(match[1])), `${path}: ${match[0]}`);
	if (match[1] !== "200") assert.match(rest, /\{"error":"[a-z_]+","message":"[^"]+"(,"field":"\w+")?\}/);
}

/** Throws, with the seed, when one of `runs` damaged requests does harm. */
export function fuzzRequests(seed: number, runs: number): void {
	const bench = new GatewayBench();
	const posts = ROUTES.filter(({ body }) => body !== undefined);
	let text = "";
	runAll("requests", seed, runs, (mutator, run) => {
		if (run % 100 === 99) bench.checkGood();
		// A logout has worked: the requests to come shall be let in again.
		else if (text.includes('"unauthorized"')) bench.logIn();
		if (mutator.random.oneIn(3)) {
			const route = mutator.pick(posts);
			const json = oddJSON(mutator, mutator.random.oneIn(10) ? mutator.pick(BODIES) : (route.body ?? {}));
			text = bench.exchange(bench.encode(route, mutator, json), mutator);
			checkAnswer(text, route.path);
		} else {
			const requests = Array.from({ length: mutator.pick([1, 1, 1, 2, 3]) }, () =>
				bench.encode(mutator.pick(ROUTES), mutator),
			);
			const bytes = new Uint8Array(Buffer.concat(requests));
			text = bench.exchange(mutator.mutate(bytes, bench.encode(mutator.pick(ROUTES), mutator)), mutator);
		}
		checkReplies(text);
		bench.checkTrace();
	});
	bench.checkGood();
}
