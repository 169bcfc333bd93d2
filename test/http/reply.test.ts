/** Parsing of servers' replies: which are understood, and that all others are rejected. */
import assert from "node:assert/strict";
import fc from "fast-check";
import {
	READ_BROKEN,
	READ_DONE,
	READ_MORE,
	REPLY_BODY_LIMIT,
	REPLY_HEAD_LIMIT,
	REPLY_LINE_SIZE,
	ReplyReader,
} from "../../modules/http/reply.js";
import { feeds, REFUSED } from "../feeds.js";
import { bytesOf } from "../latin1.js";

/** Result of parsing a reply; if it is incomplete, the connection ends. */
function readReply(reply: string, pieces: readonly number[] = []): string {
	const bytes = Buffer.from(reply, "latin1");
	const reader = new ReplyReader();
	reader.begin();
	let at = 0;
	let result = READ_MORE;
	for (let i = 0; at < bytes.length && result === READ_MORE; i++) {
		const end = Math.min(bytes.length, at + (pieces.length === 0 ? bytes.length : pieces[i % pieces.length]));
		const piece = Uint8Array.from(bytes.subarray(at, end));
		result = reader.take(piece, 0, piece.length);
		piece.fill(0x0a);
		at = end;
	}
	const ended = result === READ_MORE ? "ended " : "";
	if (result === READ_MORE) result = reader.end();
	if (result === READ_BROKEN) return `${ended}broken`;
	return `${ended}${reader.status}${reader.isReusable ? " again" : ""}`;
}

const OK = "HTTP/1.1 200 OK\r\n";
const JSON_FIELDS = "Content-Type: application/json\r\nServer: Python/3.13 aiohttp/3.11.16\r\n";

describe("A parsed reply", () => {
	for (const [name, reply, expected] of [
		["with a length", `${OK}${JSON_FIELDS}Content-Length: 5\r\n\r\nhello`, "200 again"],
		["with a length of 0", "HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n", "201 again"],
		["in chunks", `${OK}Transfer-Encoding: chunked\r\n\r\n5;a=b\r\nhello\r\n0\r\nX: y\r\n\r\n`, "200 again"],
		[
			"in chunks, with a length as well",
			`${OK}Content-Length: 2\r\nTransfer-Encoding: Chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n`,
			"200 again",
		],
		["up to the end of the connection", `${OK}\r\nhello`, "ended 200"],
		["of a server that closes", `${OK}Content-Length: 2\r\nConnection: Close\r\n\r\nhi`, "200"],
		["of a server that closes, in a list", `${OK}Content-Length: 2\r\nConnection: foo , close\r\n\r\nhi`, "200"],
		["of HTTP/1.0", "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nhi", "200"],
		["of a newer minor version", "HTTP/1.2 200 OK\r\nContent-Length: 0\r\n\r\n", "200 again"],
		["after 100 Continue", `HTTP/1.1 100 Continue\r\n\r\n${OK}Content-Length: 0\r\n\r\n`, "200 again"],
		[
			"after early hints with a length",
			`HTTP/1.1 103 Early Hints\r\nContent-Length: 9\r\n\r\n${OK}Content-Length: 0\r\n\r\n`,
			"200 again",
		],
		["of 204", "HTTP/1.1 204 No Content\r\n\r\n", "204 again"],
		[
			"of 304, with the length of the omitted body",
			"HTTP/1.1 304 Not Modified\r\nContent-Length: 99\r\n\r\n",
			"304 again",
		],
		["without a reason", "HTTP/1.1 404\r\nContent-Length: 0\r\n\r\n", "404 again"],
		["with bare line feeds", "HTTP/1.1 502 Bad Gateway\nContent-Length: 2\n\nhi", "502 again"],
		["with another one after it", `${OK}Content-Length: 2\r\n\r\nhi${OK}`, "200"],
		["cut in its body", `${OK}Content-Length: 9\r\n\r\nhi`, "ended 200"],
		["cut in its head", `${OK}Content-Length: 9\r\n`, "ended broken"],
		["of no bytes", "", "ended broken"],
		["with invalid chunks", `${OK}Transfer-Encoding: chunked\r\n\r\nhello`, "200"],
		["with a field of any length", `${OK}Set-Cookie: ${"x".repeat(4000)}\r\nContent-Length: 0\r\n\r\n`, "200 again"],
		[
			"with a Connection that is too long to be read",
			`${OK}Connection: ${"x".repeat(REPLY_LINE_SIZE)}\r\nContent-Length: 0\r\n\r\n`,
			"200",
		],
		[
			"with a length that is too long to be read",
			`${OK}Content-Length: ${"0".repeat(REPLY_LINE_SIZE)}\r\n\r\n`,
			"broken",
		],
		["with two lengths that agree", `${OK}Content-Length: 2\r\nContent-Length: 2\r\n\r\nhi`, "200 again"],
		["with two lengths that differ", `${OK}Content-Length: 2\r\nContent-Length: 3\r\n\r\nhi`, "broken"],
		["with an invalid length", `${OK}Content-Length: -1\r\n\r\n`, "broken"],
		["in a coding that was not requested", `${OK}Transfer-Encoding: gzip, chunked\r\n\r\n`, "broken"],
		["that changes the protocol", "HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\n\r\n", "broken"],
		["of HTTP/2", "HTTP/2.0 200 OK\r\n\r\n", "broken"],
		["of another protocol", "SSH-2.0-OpenSSH_9.6\r\n", "broken"],
		["with an invalid code", "HTTP/1.1 2x0 OK\r\n\r\n", "broken"],
		["with a code that is too long", "HTTP/1.1 2000 OK\r\n\r\n", "broken"],
		["with a code that is too low", "HTTP/1.1 099 OK\r\n\r\n", "broken"],
		["with a code that is too high", "HTTP/1.1 600 OK\r\n\r\n", "broken"],
	] as const) {
		it(`${name} gives "${expected}"`, () => {
			assert.equal(readReply(reply), expected);
			// The split does not matter, but bytes after a reply count only if they arrive with it.
			if (name !== "with another one after it") {
				assert.equal(readReply(reply, [1]), expected);
				assert.equal(readReply(reply, [7, 1, 30]), expected);
			}
		});
	}

	it("has a limited head, and interim replies count too", () => {
		const head = (length: number) => `${OK}${"x".repeat(length - OK.length - 23)}\r\nContent-Length: 0\r\n\r\n`;
		for (const pieces of [[], [1], [1000]]) assert.equal(readReply(head(REPLY_HEAD_LIMIT), pieces), "200 again");
		assert.equal(readReply(head(REPLY_HEAD_LIMIT + 1)), "broken");
		const hint = "HTTP/1.1 103 Early Hints\r\n\r\n";
		assert.equal(readReply(hint.repeat(REPLY_HEAD_LIMIT / hint.length + 1)), "broken");
		assert.equal(readReply("x".repeat(REPLY_HEAD_LIMIT - 1)), "ended broken");
		assert.equal(readReply("x".repeat(REPLY_HEAD_LIMIT)), "broken");
	});

	it("has a limited body; a longer one is not read to its end", () => {
		const body = (length: number) => `${OK}Content-Length: ${length}\r\n\r\n${"x".repeat(length)}`;
		assert.equal(readReply(body(REPLY_BODY_LIMIT)), "200 again");
		assert.equal(readReply(body(REPLY_BODY_LIMIT + 1)), "200");
		assert.equal(readReply(`${OK}\r\n${"x".repeat(REPLY_BODY_LIMIT + 1)}`), "200");
	});

	it("is rejected or read as another reply if it is damaged, without other effects", () => {
		const reply = Buffer.from(
			`HTTP/1.1 100 Continue\r\n\r\n${OK}${JSON_FIELDS}Transfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n`,
		);
		fc.assert(
			fc.property(
				fc.array(fc.record({ at: fc.nat(reply.length - 1), byte: fc.nat(255) }), { minLength: 1, maxLength: 4 }),
				fc.integer({ min: 1, max: 60 }),
				(damages, step) => {
					const bytes = Buffer.from(reply);
					for (const { at, byte } of damages) bytes[at] = byte;
					const expected = readReply(bytes.toString("latin1"), [step]);
					assert.match(expected, /^(ended )?(broken|[2-5]\d\d( again)?)$/);
				},
			),
			{ numRuns: 3000, seed: 17 },
		);
	});
});

feeds("an HTTP reply", {
	open: () => {
		const reader = new ReplyReader();
		let result = READ_MORE;
		reader.begin();
		return {
			take: (bytes, start, end) => {
				if (result === READ_MORE) result = reader.take(bytes, start, end);
			},
			settle: () => {
				if (result === READ_MORE && reader.hasBegun) result = reader.end();
				const meanings = result === READ_MORE ? [] : [result === READ_DONE ? String(reader.status) : REFUSED];
				result = READ_MORE;
				reader.begin();
				return meanings;
			},
		};
	},
	frame: bytesOf(`${OK}${JSON_FIELDS}Content-Length: 3\r\n\r\nyes`),
	meaning: "200",
	bits: 8,
	checked: false,
	streams: false,
	// The three bytes of the body are not needed: the status is known without them.
	spare: 3,
});
