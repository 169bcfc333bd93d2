/**
 * Requests for the files of the web page, and the order of their checks, for every build of the gateway (contract.ts).
 * test/http/static.test.ts tests the contents of the archive.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { ARCHIVE } from "../../tools/page/archive.js";
import { isError, type Reply, type TestGateway } from "./gateway.js";

const DOCUMENTS = ["/", "/en", "/de", "/pl"];
/** The path of the first script. In the archive, names precede contents. */
const SCRIPT = /\/assets\/app-[\w-]+\.js/;

let script: string | undefined;

function scriptPath(): string {
	script ??= SCRIPT.exec(readFileSync(ARCHIVE, "latin1"))?.[0];
	assert.ok(script, "the page was not built");
	return script;
}

function isDocument(reply: Reply): void {
	assert.equal(reply.status, 200);
	assert.equal(reply.headers.get("content-type"), "text/html; charset=utf-8");
	assert.equal(reply.headers.get("content-encoding"), "gzip");
	assert.equal(reply.headers.get("cache-control"), "no-cache");
	assert.equal(reply.headers.get("x-content-type-options"), "nosniff");
	assert.equal(reply.headers.get("referrer-policy"), "no-referrer");
	assert.match(reply.headers.get("content-security-policy") ?? "", /^default-src 'none'; .*frame-ancestors 'none'/);
}

export function pageChecks(gateway: () => TestGateway): void {
	const open = { token: null };

	describe("the web page", () => {
		it("is available without a token, in each language, with a script that may be cached", async () => {
			for (const path of DOCUMENTS) isDocument(await gateway().get(path, open));
			const reply = await gateway().get(scriptPath(), open);
			assert.equal(reply.status, 200);
			assert.equal(reply.headers.get("content-type"), "text/javascript");
			assert.equal(reply.headers.get("cache-control"), "public, max-age=31536000, immutable");
			assert.equal(reply.headers.has("content-security-policy"), false);
		});
		it("has a manifest and an icon, for installation on a home screen", async () => {
			const manifest = await gateway().get("/app.webmanifest", open);
			assert.equal(manifest.headers.get("content-type"), "application/manifest+json");
			const icon = await gateway().get("/icon.png", open);
			assert.deepEqual([icon.status, icon.headers.get("content-type")], [200, "image/png"]);
			assert.equal(icon.headers.get("x-content-type-options"), "nosniff");
		});
		it("is answered with 304 and no body if the browser has it", async () => {
			for (const path of [...DOCUMENTS, scriptPath()]) {
				const tag = (await gateway().get(path, open)).headers.get("etag") ?? "";
				const reply = await gateway().get(path, { ...open, headers: { "If-None-Match": `"x", ${tag}` } });
				assert.deepEqual([reply.status, reply.text, reply.headers.get("etag")], [304, "", tag]);
			}
		});
		it("is answered to HEAD with the same header fields, without a body", async () => {
			for (const path of [...DOCUMENTS, scriptPath()]) {
				const get = await gateway().get(path, open);
				const head = await gateway().request("HEAD", path, open);
				assert.deepEqual([head.status, head.text], [200, ""]);
				for (const name of ["content-length", "content-type", "content-encoding", "etag", "cache-control"])
					assert.equal(head.headers.get(name), get.headers.get(name), name);
			}
		});
		it("is answered with 405 for any other method, before the origin is checked", async () => {
			for (const path of ["/", "/de", scriptPath()]) {
				for (const method of ["POST", "PUT", "DELETE", "OPTIONS", "PATCH"]) {
					const reply = await gateway().request(method, path, { ...open, headers: { Origin: "https://evil.example" } });
					isError(reply, 405, "method_not_allowed");
					assert.equal(reply.headers.get("allow"), "GET, HEAD");
				}
			}
		});
		it("has no other paths, but accepts percent-encoded forms of its paths", async () => {
			for (const path of [
				...["/EN", "/en/", "/fr", "/index.html", "/assets/", "/assets/app.js", "/web.bin", "/favicon.ico"],
				...["/../en", "/%2e%2e/en", "/./en", "/assets/../en", "/..%2fen", "/en%20", "/api/../en", "/api/v1/../../en"],
			])
				isError(await gateway().get(path, open), 404, "not_found");
			isDocument(await gateway().get("/%65n?x=y", open));
		});
		it("does not replace the API", async () => {
			isError(await gateway().get("meter/protocol", open), 401, "unauthorized");
			assert.equal((await gateway().get("meter/protocol")).headers.has("content-security-policy"), false);
		});
	});
}

/** Checks in access point mode: plain HTTP, without the captive portal's redirect. */
export function plainPageChecks(gateway: () => TestGateway): void {
	it("serves its page over plain HTTP", async () => {
		for (const path of DOCUMENTS) isDocument(await gateway().get(path, { token: null, secure: false }));
		assert.equal((await gateway().get(scriptPath(), { token: null, secure: false })).status, 200);
		const { hostname } = gateway();
		for (const Host of ["192.168.4.1", hostname, `${hostname}.LOCAL`, "localhost", "127.0.0.1:8080"])
			isDocument(await gateway().get("/", { token: null, secure: false, headers: { Host } }));
	});
}
