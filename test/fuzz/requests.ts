/**
 * Damaged requests of a logged-in client: damaged bytes in head and body, or odd JSON in an otherwise correct request;
 * and properties of the replies that hold for any damage.
 */
import assert from "node:assert/strict";
import { encodeRequest } from "../../hosts/node/virtual-request.js";
import { BODIES, oddJSON } from "./bodies.js";
import type { Mutator } from "./mutator.js";

export const API = "/api/v1/";
/** TLS connections that the gateway serves at once. */
export const CONNECTIONS = 2;
/** Longest time that a request waits for the meter, ms. Unread bytes may keep a connection open until then. */
export const WAIT_MS = 62_000;
/** Source of good requests, so that the login limiter does not count damaged ones against them. */
export const GOOD_ADDRESS = "192.0.2.200";
export const LOGIN = { username: "admin", password: "label-password" };

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
const POSTS = ROUTES.filter(({ body }) => body !== undefined);

function get(path: string): Route {
	return { method: "GET", path };
}

export interface OddRequest {
	/** The request, or several, sent over a new connection. */
	readonly bytes: Uint8Array;
	/** Path of a single request with only its body damaged; undefined if anything may be damaged. */
	readonly path?: string;
}

export function oddRequest(mutator: Mutator, token: string): OddRequest {
	if (mutator.random.oneIn(3)) {
		const route = mutator.pick(POSTS);
		const json = oddJSON(mutator, mutator.random.oneIn(10) ? mutator.pick(BODIES) : (route.body ?? {}));
		return { bytes: encode(route, mutator, token, json), path: route.path };
	}
	const encodeOne = () => encode(mutator.pick(ROUTES), mutator, token);
	const requests = Array.from({ length: mutator.pick([1, 1, 1, 2, 3]) }, encodeOne);
	return { bytes: mutator.mutate(new Uint8Array(Buffer.concat(requests)), encodeOne()) };
}

/** Pause after a request: usually `momentMs`, sometimes longer than all time-outs. */
export function pauseMs(mutator: Mutator, momentMs: number): number {
	return mutator.random.oneIn(40) ? mutator.pick([9_000, 11_000, 31_000, WAIT_MS]) : momentMs;
}

function encode({ method, path, body }: Route, mutator: Mutator, token: string, json?: string): Uint8Array {
	const headers: Record<string, string> = { Authorization: `Bearer ${token}`, Accept: "application/json" };
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

function chunked(text: string, mutator: Mutator): string {
	const bytes = Buffer.from(text);
	let wire = "";
	for (let at = 0; at < bytes.length; ) {
		const size = Math.min(bytes.length - at, 1 + mutator.random.below(50));
		// The client receives one byte per character and decodes UTF-8, so only ASCII goes into chunks.
		wire += `${size.toString(16)}\r\n${bytes.toString("ascii", at, at + size)}\r\n`;
		at += size;
	}
	return `${wire}0\r\n\r\n`;
}

/**
 * Checks that the output consists of HTTP/1.1 replies without internal errors, and that a request with only its body
 * damaged gets exactly one complete reply.
 */
export function checkReplies(text: string, { path }: OddRequest): void {
	assert.match(text, /^(HTTP\/1\.1 [1-5]\d\d |$)/);
	assert.doesNotMatch(text, /"error":"internal"/);
	if (path === undefined) return;
	const rest = text.replace(/^HTTP\/1\.1 100 [^\r]*\r\n\r\n/, "");
	const match = /^HTTP\/1\.1 (\d{3}) [^\r]*\r\n((?:[^\r]+\r\n)*)\r\n/.exec(rest);
	assert.ok(match, `${path}: ${JSON.stringify(text.slice(0, 80))}`);
	const expected = [200, 400, 401, 413, 429, 501];
	assert.ok(expected.includes(Number(match[1])), `${path}: ${match[0]}`);
	if (match[1] !== "200") assert.match(rest, /\{"error":"[a-z_]+","message":"[^"]+"(,"field":"\w+")?\}/);
}

// biome-ignore lint/suspicious/noExplicitAny: JSON of the API
export function checkSimulated(readout: any): void {
	assert.equal(readout.status, 0);
	assert.equal(readout.meter_id, "SMG5SIMULATOR");
	assert.ok(readout.readings.length > 10);
}
