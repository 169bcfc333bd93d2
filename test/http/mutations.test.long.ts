/** Damaged requests to the whole HTTP server. A good request must work after every hundred. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { byRun } from "../runs.js";
import { Bed, get, post, request } from "./bed.js";
import { text } from "./fake.js";

const VALID = [
	get("/text"),
	get("/stream?size=1500&piece=7", "Accept: */*", "User-Agent: test"),
	request("HEAD", "/known?size=99"),
	post("/echo", "0123456789", "Content-Type: application/json"),
	`${request("POST", "/echo", "Transfer-Encoding: chunked")}5;a=b\r\nhello\r\n3\r\nabc\r\n0\r\nX: y\r\n\r\n`,
	"GET /text HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
	`${request("POST", "/missing", "Content-Length: 5", "Expect: 100-continue")}12345`,
];

/** Longest input of one run, bytes. */
const WIRE_LIMIT = 4000;

const mutation = fc.record({
	kind: fc.nat(3),
	at: fc.nat(),
	byte: fc.nat(255),
	length: fc.integer({ min: 1, max: 40 }),
});

/** One to three requests with one to four changes: a byte changed, bytes deleted or inserted, a bit flipped. */
const damaged = fc
	.tuple(
		fc.array(fc.nat(VALID.length - 1), { minLength: 1, maxLength: 3 }),
		fc.array(mutation, { minLength: 1, maxLength: 4 }),
	)
	.map(([which, mutations]) => {
		const bytes = [...text.encode(which.map((index) => VALID[index]).join(""))];
		for (const { kind, at, byte, length } of mutations) {
			const place = at % bytes.length;
			if (kind === 0) bytes[place] = byte;
			else if (kind === 1) bytes.splice(place, Math.min(length, bytes.length - 1));
			else if (kind === 2) bytes.splice(place, 0, ...bytes.slice(0, length));
			else bytes[place] ^= 1 << (byte & 7);
		}
		return Uint8Array.from(bytes.slice(0, WIRE_LIMIT));
	});

/** Throws, with the seed, if one of `numRuns` damaged requests does harm. */
function surviveMutations(numRuns: number): void {
	const bed = new Bed(2);
	let runs = 0;
	fc.assert(
		fc.property(damaged, fc.integer({ min: 1, max: 300 }), (bytes, step) => {
			const client = bed.connect();
			for (let at = 0; at < bytes.length && !client.closed; at += step) {
				client.send(bytes.subarray(at, at + step));
				bed.loop.settle();
			}
			assert.match(client.take(), /^(HTTP\/1\.1 [1-5]\d\d |$)/);
			client.leave();
			bed.loop.settle();
			assert.ok(client.closed);
			assert.equal(bed.server.connectionCount, 0);
			if (++runs % 100 === 0) bed.probe();
		}),
		{ numRuns },
	);
}

describe("HTTP server: mutations", () => {
	it("survives damaged requests", () => surviveMutations(byRun({ test: 4000, long: 100_000 })));
});
