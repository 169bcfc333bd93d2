/** A server with small test routes on an in-memory network, for tests of http/server and http/connection. */
import assert from "node:assert/strict";
import type { BodySink, HTTPHandler } from "../../modules/http/handler.js";
import type { HTTPLimits } from "../../modules/http/limits.js";
import type { HTTPRequest } from "../../modules/http/request.js";
import type { BodySource, HTTPResponse } from "../../modules/http/response.js";
import { HTTPServer } from "../../modules/http/server.js";
import { Driver } from "../../modules/io/driver.js";
import type { MemoryLedger } from "../../modules/io/memory.js";
import { guard } from "../faults.js";
import type { Reply } from "./fake.js";
import { type FakeClient, FakeEventLoop, FakePort, replies, text } from "./fake.js";

/** `count` letters a to z, in pieces of at most `piece` bytes. */
export class Letters implements BodySource {
	#at = 0;
	readonly #count: number;
	readonly #piece: number;
	reads = 0;
	closed = 0;

	constructor(count: number, piece = 1 << 20) {
		this.#count = count;
		this.#piece = piece;
	}

	read(into: Uint8Array, start: number, end: number): number {
		assert.ok(start < end && end <= into.length);
		assert.equal(this.closed, 0, "read after close");
		this.reads++;
		const count = Math.min(end - start, this.#count - this.#at, this.#piece);
		for (let i = 0; i < count; i++) into[start + i] = 0x61 + (this.#at++ % 26);
		return count;
	}

	close(): void {
		this.closed++;
	}

	static text(count: number): string {
		return Array.from({ length: count }, (_, i) => String.fromCharCode(0x61 + (i % 26))).join("");
	}
}

/** Stores the received body, and replies 200 at its end. */
export class Echo implements BodySink {
	readonly limit: number;
	readonly #response: HTTPResponse;
	body = "";
	ended = 0;
	aborted = 0;

	constructor(response: HTTPResponse, limit: number) {
		this.#response = response;
		this.limit = limit;
	}

	write(bytes: Uint8Array, start: number, end: number): void {
		assert.ok(start < end && this.ended + this.aborted === 0);
		this.body += String.fromCharCode(...bytes.subarray(start, end));
	}

	end(): void {
		assert.equal(this.ended + this.aborted, 0);
		this.ended++;
		this.#response.send(200, new Letters(0), 0);
	}

	abort(): void {
		assert.equal(this.ended + this.aborted, 0);
		this.aborted++;
	}
}

export class Bed implements HTTPHandler {
	readonly loop = new FakeEventLoop();
	readonly port = new FakePort(this.loop);
	/**
	 * A second, secure port of the same server, with three places. Its last place serves a single request per connection.
	 */
	readonly securePort = new FakePort(this.loop, true);
	readonly server: HTTPServer;
	readonly traced: string[] = [];
	requests = 0;
	/** Responses of /later that are still to be sent. */
	readonly later: HTTPResponse[] = [];
	cancelled = 0;
	source: Letters | undefined;
	sink: Echo | undefined;
	/** Handles requests in place of the routes. */
	route: ((request: HTTPRequest, response: HTTPResponse) => BodySink | undefined) | undefined;

	constructor(places = 4, limits: Partial<HTTPLimits> = {}, ledger?: MemoryLedger) {
		this.server = new HTTPServer({
			ports: [
				{ port: this.port, places },
				{ port: this.securePort, places: 3 },
			],
			driver: new Driver({
				clock: this.loop.clock,
				timers: this.loop.timers,
				guard,
			}),
			text,
			handler: this,
			limits,
			...(ledger === undefined ? {} : { ledger }),
			trace: (message) => this.traced.push(message),
		});
	}

	begin(request: HTTPRequest, response: HTTPResponse): BodySink | undefined {
		this.requests++;
		if (request.header("authorization") !== undefined) response.authenticated();
		if (this.route !== undefined) return this.route(request, response);
		// An invalid size counts as 0.
		const size = Math.max(0, Math.trunc(Number(request.query("size") ?? 10)) || 0);
		switch (request.path) {
			case "/text":
				response.header("Content-Type", "text/plain").sendText(200, "hello");
				return undefined;
			case "/known":
				this.source = new Letters(size);
				response.send(200, this.source, size);
				return undefined;
			case "/stream":
				// A damaged request may contain anything, but a source must return a count.
				this.source = new Letters(size, Math.max(1, Math.trunc(Number(request.query("piece") ?? 1000)) || 1));
				response.send(200, this.source);
				return undefined;
			case "/later":
				response.onCancelled = () => this.cancelled++;
				this.later.push(response);
				return undefined;
			case "/echo":
				this.sink = new Echo(response, 5000);
				return this.sink;
			case "/empty":
				response.send(204);
				return undefined;
			case "/bad":
				throw new Error("mistake");
			default:
				response.header("Content-Type", "application/json").sendText(404, '{"error":"not_found"}');
				return undefined;
		}
	}

	connect(windowSize?: number, port = this.port): FakeClient {
		const client = port.connect(windowSize);
		this.loop.settle();
		return client;
	}

	/** A bed, and a client that is connected to it. */
	static connected(window?: number): { bed: Bed; client: FakeClient } {
		const bed = new Bed();
		return { bed, client: bed.connect(window) };
	}

	/** Sends the data and returns the immediate replies. */
	exchange(client: FakeClient, data: string | Uint8Array, isHead = false): Reply[] {
		client.send(data);
		this.loop.settle();
		return replies(client.takeBytes(), () => isHead);
	}

	/** Checks that a request over a new connection succeeds. */
	probe(): void {
		const client = this.connect();
		const [reply] = this.exchange(client, get("/text", "Connection: close"));
		assert.equal(reply?.status, 200);
		assert.equal(reply.body, "hello");
		assert.ok(client.closed);
	}
}

/** Header that marks a client as trusted here. */
export const TOKEN = "Authorization: Bearer x";

export function get(target: string, ...fields: string[]): string {
	return request("GET", target, ...fields);
}

export function request(method: string, target: string, ...fields: string[]): string {
	return `${method} ${target} HTTP/1.1\r\nHost: meter.local\r\n${fields.map((field) => `${field}\r\n`).join("")}\r\n`;
}

export function post(target: string, body: string, ...fields: string[]): string {
	return request("POST", target, `Content-Length: ${body.length}`, ...fields) + body;
}
