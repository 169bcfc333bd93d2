/** Accepted request heads, and the status that rejects each other one: every limit, in any split. */
import assert from "node:assert/strict";
import fc from "fast-check";
import {
	FIELD_LIMIT,
	HEAD_DONE,
	HEAD_MORE,
	HOST_LIMIT,
	REQUEST_LINE_LIMIT,
	RequestHead,
} from "../../modules/http/head.js";
import { METHOD_GET, METHOD_HEAD, METHOD_OPTIONS, METHOD_OTHER, METHOD_POST } from "../../modules/http/request.js";
import { text } from "./fake.js";

const SIZE = 2048;

/** Feeds `data` in pieces of `step` bytes; returns the result and the head. */
function parse(data: string | Uint8Array, step = SIZE): { result: number; head: RequestHead; buffer: Uint8Array } {
	const bytes = typeof data === "string" ? text.encode(data) : data;
	const buffer = new Uint8Array(SIZE);
	const head = new RequestHead(buffer, text, { remoteAddress: "192.0.2.7", viaAccessPoint: false }, true);
	head.begin();
	let result = HEAD_MORE;
	for (let at = 0; at < Math.min(bytes.length, SIZE) && result === HEAD_MORE; ) {
		const end = Math.min(at + step, bytes.length, SIZE);
		buffer.set(bytes.subarray(at, end), at);
		at = end;
		result = head.parse(end);
	}
	return { result, head, buffer };
}

function good(data: string): RequestHead {
	for (const step of [SIZE, 7, 1]) {
		const { result, head } = parse(data, step);
		assert.equal(result, HEAD_DONE, data.slice(0, 60));
		if (step === 1) return head;
	}
	assert.fail();
}

function refused(status: number, data: string | Uint8Array): void {
	for (const step of [SIZE, 7, 1]) assert.equal(parse(data, step).result, status, JSON.stringify(data.slice(0, 80)));
}

const line = (target: string) => `GET ${target} HTTP/1.1\r\nHost: a\r\n\r\n`;
const fields = (...lines: string[]) => `POST / HTTP/1.1\r\nHost: a\r\n${lines.map((l) => `${l}\r\n`).join("")}\r\n`;

describe("HTTP head: request line", () => {
	it("parses method, path, version and fields", () => {
		const head = good(
			"POST /api/v1/x?lang=de HTTP/1.1\r\nHost: meter.local:8443\r\nX-Two:\t a b \t\r\nEMPTY:\r\n\r\nbody",
		);
		assert.equal(head.method, METHOD_POST);
		assert.equal(head.path, "/api/v1/x");
		assert.equal(head.minorVersion, 1);
		assert.equal(head.host, "meter.local:8443");
		assert.equal(head.header("x-two"), "a b");
		assert.equal(head.header("empty"), "");
		assert.equal(head.header("absent"), undefined);
		assert.equal(head.header("two"), undefined);
		assert.equal(head.query("lang"), "de");
		assert.equal(head.remoteAddress, "192.0.2.7");
		assert.equal(head.secure, true);
		assert.equal(
			head.end,
			text.encode("POST /api/v1/x?lang=de HTTP/1.1\r\nHost: meter.local:8443\r\nX-Two:\t a b \t\r\nEMPTY:\r\n\r\n")
				.length,
		);
	});

	it("recognises methods in upper case only", () => {
		for (const [name, method] of [
			["GET", METHOD_GET],
			["HEAD", METHOD_HEAD],
			["get", METHOD_OTHER],
			["PATCH", METHOD_OTHER],
			["GETX", METHOD_OTHER],
			["GE", METHOD_OTHER],
		] as const) {
			assert.equal(good(`${name} / HTTP/1.1\r\nHost: a\r\n\r\n`).method, method);
		}
	});

	it("ignores empty lines before the request", () => {
		assert.equal(good(`\r\n\r\n${line("/x")}`).path, "/x");
	});

	it("decodes the path and splits the query", () => {
		assert.equal(good(line("/a%20b%2fc%C3%A9+d")).path, "/a b/cé+d");
		const head = good(line("/x?a=1&b=%C3%A9+%2B&&c&d=&a=2&%65=f?g=h&=i"));
		assert.equal(head.query("a"), "1");
		assert.equal(head.query("b"), "é +");
		assert.equal(head.query("c"), "");
		assert.equal(head.query("d"), "");
		assert.equal(head.query("e"), "f?g=h");
		assert.equal(head.query("f"), undefined);
		assert.equal(good(line("/x?a=%ff")).query("a"), undefined);
		assert.equal(good(line("/x?")).query(""), undefined);
	});

	it("accepts the absolute form, which names the host", () => {
		const head = good("GET http://Other:81/p?q=1 HTTP/1.1\r\nHost: a\r\n\r\n");
		assert.equal(head.path, "/p");
		assert.equal(head.host, "Other:81");
		assert.equal(head.query("q"), "1");
		assert.equal(good(line("HTTPS://other")).path, "/");
		const bare = good(line("http://other?q=2"));
		assert.equal(bare.path, "/");
		assert.equal(bare.query("q"), "2");
	});

	it("also gives path and query as they were sent", () => {
		for (const target of ["/", "/a%20b%2fc%C3%A9+d?x=%41&y", "/?", "//b", "/a?b?c"]) {
			assert.equal(good(line(target)).target, target);
		}
		assert.equal(good(line("http://other/%41?b=%42")).target, "/%41?b=%42");
		assert.equal(good(line("http://other?q=2")).target, "/?q=2");
		assert.equal(good(line("http://other")).target, "/");
		assert.equal(good("OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n").target, "*");
	});

	it("accepts * with OPTIONS only", () => {
		const head = good("OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n");
		assert.equal(head.method, METHOD_OPTIONS);
		assert.equal(head.path, "*");
		refused(400, line("*"));
	});

	it("keeps nothing of the last request when it begins another", () => {
		const { head, buffer } = parse("OPTIONS * HTTP/1.0\r\nConnection: keep-alive\r\nContent-Length: 5\r\n\r\n");
		assert.equal(head.keepAlive, true);
		head.begin();
		buffer.set(text.encode(line("http://b")));
		assert.equal(head.parse(line("http://b").length), HEAD_DONE);
		assert.equal(head.path, "/");
		assert.equal(head.minorVersion, 1);
		assert.equal(head.contentLength, 0);
		head.release();
		assert.equal(head.header("host"), undefined);
		assert.equal(head.host, undefined);
	});

	for (const [what, data] of [
		["a bad method token", "G(T / HTTP/1.1\r\nHost: a\r\n\r\n"],
		["no method", " / HTTP/1.1\r\nHost: a\r\n\r\n"],
		["no target", "GET HTTP/1.1\r\nHost: a\r\n\r\n"],
		["an empty target", "GET  HTTP/1.1\r\nHost: a\r\n\r\n"],
		["two spaces", "GET  / HTTP/1.1\r\nHost: a\r\n\r\n"],
		["a space in the target", line("/a b")],
		["a trailing space", "GET / HTTP/1.1 \r\nHost: a\r\n\r\n"],
		["no version", "GET /\r\nHost: a\r\n\r\n"],
		["a lower-case version", "GET / http/1.1\r\nHost: a\r\n\r\n"],
		["a version of two digits", "GET / HTTP/1.10\r\nHost: a\r\n\r\n"],
		["a version without a point", "GET / HTTP/1x1\r\nHost: a\r\n\r\n"],
		["a target without a slash", line("x")],
		["authority form", line("host:443")],
		["another scheme", line("ftp://a/")],
		["an absolute form without a host", line("http:///x")],
		["a user in the host", line("http://u@h/")],
		["a fragment", line("/a#b")],
		["a cut escape", line("/a%2")],
		["a bad escape", line("/a%zz")],
		["a bad escape in the query", line("/a?b=%g0")],
		["an escaped NUL", line("/a%00")],
		["an escaped CR", line("/a%0d")],
		["a path that is not UTF-8", line("/a%ff")],
		["bytes beyond ASCII", line("/é")],
		["a tab in place of a space", "GET\t/\tHTTP/1.1\r\nHost: a\r\n\r\n"],
		["a bare LF", "GET / HTTP/1.1\nHost: a\r\n\r\n"],
		["a bare LF at the end", "GET / HTTP/1.1\r\nHost: a\r\n\n"],
		["a bare CR", "GET / HTTP/1.1\rHost: a\r\n\r\n"],
		["a CR twice", "GET / HTTP/1.1\r\r\nHost: a\r\n\r\n"],
		["a NUL", "GET / HTTP/1.1\r\nHost: a\r\nX: a\0b\r\n\r\n"],
		["TLS on a plain port", "\x16\x03\x01\x02\x00\x01"],
	] as const) {
		it(`rejects ${what} with 400`, () => refused(400, data));
	}

	it("rejects versions other than 1.x with 505, and accepts 1.0 and 1.9", () => {
		refused(505, "GET / HTTP/2.0\r\nHost: a\r\n\r\n");
		refused(505, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
		refused(505, "GET / HTTP/0.9\r\n\r\n");
		assert.equal(good("GET / HTTP/1.0\r\n\r\n").minorVersion, 0);
		assert.equal(good("GET / HTTP/1.9\r\nHost: a\r\n\r\n").minorVersion, 1);
	});

	it("accepts a request line of 512 bytes and rejects a longer one with 414", () => {
		const ofLength = (length: number) => line(`/${"x".repeat(length - "GET / HTTP/1.1".length)}`);
		for (const length of [REQUEST_LINE_LIMIT - 1, REQUEST_LINE_LIMIT]) good(ofLength(length));
		refused(414, ofLength(REQUEST_LINE_LIMIT + 1));
		refused(414, "x".repeat(4000));
		refused(414, "\r\n".repeat(2000));
	});
});

describe("HTTP head: fields", () => {
	for (const [what, data] of [
		["no Host in 1.1", "GET / HTTP/1.1\r\n\r\n"],
		["Host twice", fields("Host: a")],
		["a Host with a path", "GET / HTTP/1.1\r\nHost: a/b\r\n\r\n"],
		["a Host with a space", "GET / HTTP/1.1\r\nHost: a b\r\n\r\n"],
		...[
			"",
			":80",
			"a:",
			"a:x",
			"a:65536",
			"a:000080",
			"a:80:80",
			"a:-1",
			"[::1",
			"::1",
			"a]",
			"[]",
			"[::1]a",
			"[::1]:",
		].map((host) => [`the Host "${host}"`, `GET / HTTP/1.1\r\nHost: ${host}\r\n\r\n`] as const),
		...["a%20b", "[fe80::1%eth0]", "[v1.a]", "[g::]", `[${"1".repeat(46)}]`, "a,b", "u@a", "a[::1]", "ä"].map(
			(host) => [`the Host "${host}"`, `GET / HTTP/1.1\r\nHost: ${host}\r\n\r\n`] as const,
		),
		["a target with an invalid host", "GET http://a:x/ HTTP/1.1\r\nHost: a\r\n\r\n"],
		["a space before the colon", fields("X : 1")],
		["a folded line", fields("X: 1", " folded")],
		["a folded first line", "GET / HTTP/1.1\r\n Host: a\r\n\r\n"],
		["a line without a colon", fields("X")],
		["an empty name", fields(": x")],
		["a bad character in a name", fields("X(: 1")],
		["a Content-Length of letters", fields("Content-Length: 1a")],
		["a signed Content-Length", fields("Content-Length: +1")],
		["an empty Content-Length", fields("Content-Length:")],
		["a list of lengths", fields("Content-Length: 1, 1")],
		["two lengths", fields("Content-Length: 1", "Content-Length: 2")],
		["both kinds of length", fields("Content-Length: 1", "Transfer-Encoding: chunked")],
		["both kinds of length in the other order", fields("Transfer-Encoding: chunked", "Content-Length: 1")],
		["chunked twice", fields("Transfer-Encoding: chunked", "Transfer-Encoding: chunked")],
		["chunks in HTTP/1.0", "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n"],
	] as const) {
		it(`rejects ${what} with 400`, () => refused(400, data));
	}

	it("accepts a host of up to 260 bytes, with a port of 0 to 65535 or none", () => {
		const hosts = [
			"a",
			"A-b_c.9.",
			"192.168.4.1",
			"a:0",
			"a:00080",
			"a:65535",
			"[::1]",
			"[::1]:80",
			"[::FFFF:1.2.3.4]",
		];
		for (const host of hosts) assert.equal(good(`GET / HTTP/1.1\r\nHost: ${host}\r\n\r\n`).host, host);
		for (const port of ["", ":65535"]) {
			const ofLength = (length: number) => `GET / HTTP/1.1\r\nHost: ${"1".repeat(length - port.length)}${port}\r\n\r\n`;
			for (const length of [HOST_LIMIT - 1, HOST_LIMIT]) good(ofLength(length));
			for (const length of [HOST_LIMIT + 1, 1003, 1960]) refused(400, ofLength(length));
		}
		assert.equal(HOST_LIMIT, 260);
		const target = `http://${"a".repeat(HOST_LIMIT + 1)}/`;
		refused(400, `GET ${target} HTTP/1.1\r\nHost: a\r\n\r\n`);
	});

	it("rejects codings other than chunked with 501", () => {
		refused(501, fields("Transfer-Encoding: gzip"));
		refused(501, fields("Transfer-Encoding: gzip, chunked"));
		refused(501, fields("Transfer-Encoding: xchunked"));
		refused(501, fields("Transfer-Encoding:"));
		assert.equal(good(fields("transfer-ENCODING: Chunked")).contentLength, -1);
	});

	it("accepts a length, also twice if it is the same, and rejects one of more than 15 digits with 413", () => {
		assert.equal(good(fields("Content-Length: 0")).contentLength, 0);
		assert.equal(good(fields("content-length: 0042", "Content-Length: 42")).contentLength, 42);
		assert.equal(good(fields("Content-Length: 999999999999999")).contentLength, 999999999999999);
		refused(413, fields("Content-Length: 1000000000000000"));
	});

	it("decides whether the connection stays open", () => {
		const keepAlive = (version: string, ...lines: string[]) =>
			good(`GET / HTTP/${version}\r\nHost: a\r\n${lines.map((l) => `Connection: ${l}\r\n`).join("")}\r\n`).keepAlive;
		assert.equal(keepAlive("1.1"), true);
		assert.equal(keepAlive("1.1", "Close"), false);
		assert.equal(keepAlive("1.1", "keep-alive, TE , close"), false);
		assert.equal(keepAlive("1.1", "keep-alive", "close"), false);
		assert.equal(keepAlive("1.1", "closed"), true);
		assert.equal(keepAlive("1.0"), false);
		assert.equal(keepAlive("1.0", "Keep-Alive"), true);
		assert.equal(keepAlive("1.0", "keep-alive", "close"), false);
	});

	it("recognises 100-continue, in HTTP/1.1 only", () => {
		assert.equal(good(fields("Expect: 100-Continue")).expectsContinue, true);
		assert.equal(good(fields("Expect: other")).expectsContinue, false);
		assert.equal(good("POST / HTTP/1.0\r\nExpect: 100-continue\r\n\r\n").expectsContinue, false);
	});

	it("gives the first of several fields of the same name, and question marks for bytes beyond ASCII", () => {
		const head = good(fields("X: one", "x: two", "Y: é"));
		assert.equal(head.header("x"), "one");
		assert.equal(head.header("y"), "??");
	});

	it("accepts 64 fields and rejects 65 with 431", () => {
		const many = (count: number) => `GET / HTTP/1.1\r\nHost: a\r\n${"x: y\r\n".repeat(count - 1)}\r\n`;
		good(many(FIELD_LIMIT - 1));
		good(many(FIELD_LIMIT));
		refused(431, many(FIELD_LIMIT + 1));
	});

	it("accepts a head as large as the buffer and rejects a larger one with 431", () => {
		const ofSize = (size: number) => {
			const rest = "GET / HTTP/1.1\r\nHost: a\r\nX: \r\n\r\n";
			return rest.replace("X: ", `X: ${"x".repeat(size - rest.length)}`);
		};
		for (const size of [SIZE - 1, SIZE]) good(ofSize(size));
		refused(431, ofSize(SIZE + 1));
	});

	it("never throws and never reads beyond the received bytes, whatever they are", () => {
		const valid = text.encode(fields("Content-Length: 3", "Connection: close", "X: y"));
		fc.assert(
			fc.property(
				fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 6 }),
				fc.integer({ min: 1, max: 9 }),
				(edits, step) => {
					const bytes = valid.slice();
					for (const [at, byte] of edits) bytes[at % bytes.length] = byte;
					const whole = parse(bytes);
					const split = parse(bytes, step);
					assert.equal(split.result, whole.result);
					assert.ok(whole.head.end <= bytes.length);
					if (whole.result === HEAD_DONE) {
						assert.equal(split.head.path, whole.head.path);
						assert.equal(split.head.header("x"), whole.head.header("x"));
						assert.equal(split.head.contentLength, whole.head.contentLength);
					}
				},
			),
			{ numRuns: 3000 },
		);
	});
});
