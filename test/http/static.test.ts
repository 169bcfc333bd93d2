import assert from "node:assert/strict";
import { gunzipSync, gzipSync } from "node:zlib";
import { METHOD_GET } from "../../modules/http/request.js";
import { type BodySource, HTTPResponse } from "../../modules/http/response.js";
import { StaticFiles } from "../../modules/http/static.js";
import { type PageFile, pack } from "../../tools/page/archive.js";
import { text } from "./fake.js";

const POLICY = "default-src 'none'; script-src 'self'";
const HTML = "text/html; charset=utf-8";
const HASH = "0123456789abcdef";

const page = (path: string, content: string): PageFile => ({
	path,
	type: HTML,
	immutable: false,
	content: text.encode(content),
});
const SCRIPT: PageFile = {
	path: "/assets/app-Bq3x.js",
	type: "text/javascript",
	immutable: true,
	content: text.encode("let a = 1;\n".repeat(500)),
};
const FILES = [page("/en", "English"), page("/de", "Deutsch"), page("/pl", "Polski"), SCRIPT];

interface Sent {
	readonly status: number;
	readonly fields: ReadonlyMap<string, string>;
	readonly body: Uint8Array;
}

/** Reply to a GET of an existing path. */
function get(files: StaticFiles, path: string, fields: Readonly<Record<string, string>> = {}): Sent {
	assert.ok(files.has(path), path);
	let sent: Sent | undefined;
	const response = new HTTPResponse({
		text,
		isOnLastPlace: false,
		authenticated: () => {},
		reply: (head, status, source, length) => {
			const lines = head.fields.split("\r\n").slice(0, -1);
			const pairs = lines.map((line) => [line.split(": ", 1)[0], line.slice(line.indexOf(": ") + 2)] as const);
			assert.equal(new Set(pairs.map(([name]) => name)).size, pairs.length, "a field occurs twice");
			sent = { status, fields: new Map(pairs), body: readAll(source, length) };
		},
	});
	const request = {
		method: METHOD_GET,
		path,
		target: path,
		minorVersion: 1,
		contentLength: 0,
		host: "gateway",
		remoteAddress: "192.0.2.7",
		secure: true,
		viaAccessPoint: false,
		header: (name: string) => fields[name],
		query: () => undefined,
	};
	files.send(request, response);
	assert.ok(sent, "nothing was sent");
	return sent;
}

/** Reads a source in pieces of 7 bytes. */
function readAll(source: BodySource | undefined, length: number): Uint8Array {
	const all = new Uint8Array(length);
	if (source === undefined) return all;
	let at = 0;
	for (;;) {
		const count = source.read(all, at, Math.min(at + 7, length));
		if (count === 0) break;
		at += count;
	}
	assert.equal(at, length);
	return all;
}

const unzipped = ({ body }: Sent) => gunzipSync(body).toString();
const archiveOf = (files: readonly PageFile[]) =>
	pack(
		files.map((file) => ({ ...file, body: gzipSync(file.content) })),
		POLICY,
	);
const served = (files: readonly PageFile[] = FILES) => new StaticFiles(archiveOf(files), text);

describe("http/static", () => {
	it("serves every file of the archive with its type, compressed", () => {
		const files = served();
		for (const { path, type, content } of FILES) {
			const sent = get(files, path);
			assert.equal(sent.status, 200);
			assert.equal(sent.fields.get("Content-Type"), type);
			assert.equal(sent.fields.get("Content-Encoding"), "gzip");
			assert.equal(sent.fields.get("X-Content-Type-Options"), "nosniff");
			assert.equal(sent.fields.get("Referrer-Policy"), "no-referrer");
			assert.equal(unzipped(sent), text.decode(content));
		}
	});

	it("replies 406, which must not be cached, to a client that refuses gzip, because there is no other form", () => {
		const files = served();
		for (const path of ["/en", SCRIPT.path]) {
			for (const refusing of [
				"identity",
				"",
				"br",
				"gzip;q=0",
				"gzip; q=0.000, *",
				"*;q=0",
				"br, X-GZIP;Q=0",
				"identity, *;q=0",
			]) {
				const sent = get(files, path, { "accept-encoding": refusing });
				assert.equal(sent.status, 406, refusing);
				assert.deepEqual(
					[sent.fields.get("Content-Type"), sent.fields.get("Cache-Control")],
					["text/plain", "no-store"],
				);
				assert.match(sent.fields.get("Vary") ?? "", /^Accept-Encoding/);
				assert.match(text.decode(sent.body), /^The page is only here as gzip.*\.\n$/);
			}
			for (const taking of ["gzip", "deflate, GZIP;q=0.001", "*", "br;q=1, *;q=0.5", "gzip, *;q=0", "x-gzip"])
				assert.equal(get(files, path, { "accept-encoding": taking }).status, 200, taking);
			assert.equal(get(files, path).status, 200);
		}
	});

	it("knows only the exact paths of the archive", () => {
		const files = served();
		for (const path of [
			...["", "//", "/e", "/en/", "/EN", "/enx", "en", "/en ", "/en\0", "/en?x", "/en#", "*", "/fr"],
			...[
				"/../en",
				"/./en",
				"/en/..",
				"/assets",
				"/assets/",
				"/assets/app-Bq3x",
				"/assets/app-Bq3x.js.",
				"/assets/../en",
			],
			...["/\u00e9n", `/${"e".repeat(300)}`, `/en${"\0".repeat(253)}`, `/en${"n".repeat(256)}`, HTML, HASH],
		])
			assert.equal(files.has(path), false, JSON.stringify(path));
	});

	it("sends the content security policy with documents only", () => {
		const files = served();
		for (const path of ["/en", "/de", "/pl"])
			assert.equal(get(files, path).fields.get("Content-Security-Policy"), POLICY);
		assert.equal(get(files, SCRIPT.path).fields.has("Content-Security-Policy"), false);
	});

	it("lets clients cache files named after their content for ever, and revalidate the rest", () => {
		const files = served();
		assert.equal(get(files, SCRIPT.path).fields.get("Cache-Control"), "public, max-age=31536000, immutable");
		for (const path of ["/en", "/pl"]) assert.equal(get(files, path).fields.get("Cache-Control"), "no-cache");
	});

	it("has ETags that depend on the content", () => {
		const tagOf = (content: string) => get(served([page("/en", content)]), "/en").fields.get("ETag") ?? "";
		assert.match(tagOf("a"), /^"[0-9a-f]{16}"$/);
		assert.equal(tagOf("a"), tagOf("a"));
		assert.notEqual(tagOf("a"), tagOf("b"));
	});

	it("replies 304 to a client that has the file, with the cache fields of a 200", () => {
		const files = served();
		const whole = get(files, "/de");
		const tag = whole.fields.get("ETag")!;
		for (const known of [tag, `W/${tag}`, `"x", ${tag}`, `${tag},"x"`, `"x",W/${tag} , "y"`, "*"]) {
			const sent = get(files, "/de", { "if-none-match": known });
			assert.equal(sent.status, 304, known);
			assert.equal(sent.body.length, 0);
			for (const name of ["ETag", "Cache-Control"]) assert.equal(sent.fields.get(name), whole.fields.get(name));
			assert.equal(sent.fields.has("Content-Encoding"), false);
		}
		for (const other of ["", '"x"', tag.slice(1, -1), tag.toUpperCase(), get(files, "/en").fields.get("ETag")!, '"*"'])
			assert.equal(get(files, "/de", { "if-none-match": other }).status, 200, other);
	});

	it("names Accept-Encoding in Vary, also with 304", () => {
		const files = served();
		const tag = get(files, "/pl").fields.get("ETag")!;
		for (const known of ["", tag])
			assert.equal(get(files, "/pl", { "if-none-match": known }).fields.get("Vary"), "Accept-Encoding");
	});

	it("stores once what several files have in common", () => {
		const same = [page("/", "Gateway"), page("/en", "Gateway")];
		const [one, two] = [same.slice(0, 1), same].map((files) => archiveOf(files).length);
		assert.ok(two - one < gzipSync(same[0].content).length + 60, `${one} and ${two} bytes`);
		const files = served(same);
		assert.deepEqual(get(files, "/en"), get(files, "/"));
	});

	it("has no files without an archive, or with an empty one", () => {
		for (const archive of [undefined, pack([], POLICY), new Uint8Array(3)]) {
			const files = new StaticFiles(archive, text);
			for (const path of ["/", "/en", "", "/assets/app-Bq3x.js"]) assert.equal(files.has(path), false, path);
		}
	});

	it("reads an archive that was written by hand", () => {
		const archive = Uint8Array.of(
			// Two files, a policy of three characters.
			...[2, 0, 3, ...text.encode("p:q")],
			...[2, ...text.encode("/a"), 4, ...text.encode("x/yz"), ...text.encode(HASH), 1],
			...[0, 0, 0, 2, 0, 0, 0, 78],
			...[3, ...text.encode("/en"), 9, ...text.encode("text/html"), ...text.encode(HASH), 0],
			...[0, 0, 0, 3, 0, 0, 0, 80],
			...[0xa1, 0xa2, 0xb1, 0xb2, 0xb3],
		);
		const files = new StaticFiles(archive, text);
		const first = get(files, "/a");
		assert.deepEqual([...first.body], [0xa1, 0xa2]);
		assert.equal(first.fields.get("ETag"), `"${HASH}"`);
		assert.match(first.fields.get("Cache-Control") ?? "", /immutable/);
		const second = get(files, "/en");
		assert.deepEqual([...second.body], [0xb1, 0xb2, 0xb3]);
		assert.equal(second.fields.get("Content-Security-Policy"), "p:q");
	});

	it("finds the last file of a full archive, and contents beyond 64 KB", () => {
		const many = Array.from({ length: 255 }, (_, i) => ({ ...SCRIPT, path: `/${i}`, content: noise(i) }));
		const files = served(many);
		for (const i of [0, 1, 127, 254]) {
			const { body } = get(files, `/${i}`);
			assert.deepEqual(gunzipSync(body), Buffer.from(many[i].content));
		}
		assert.equal(files.has("/255"), false);
	});
});

/** Bytes that hardly compress. */
function noise(seed: number): Uint8Array {
	let state = seed + 1;
	return Uint8Array.from({ length: 600 }, () => {
		state = Math.imul(state, 1_664_525) + 1_013_904_223;
		return state >>> 24;
	});
}
