import assert from "node:assert/strict";
import * as client from "../../modules/io/client.js";
import { type PermitClient, TLSPermit } from "../../modules/io/tls-permit.js";
import { connectFailure } from "../../modules/publish/connect-failures.js";

class Holder implements PermitClient {
	readonly notices: string[] = [];

	permitGranted(): void {
		this.notices.push("given");
	}

	permitRequested(): void {
		this.notices.push("wanted");
	}
}

describe("publish/tls-permit", () => {
	it("is granted to one client after the other, in the order of their requests", () => {
		const tlsPermit = new TLSPermit();
		const [a, b, c] = [new Holder(), new Holder(), new Holder()];
		assert.equal(tlsPermit.request(a), true);
		assert.equal(tlsPermit.request(a), true, "a repeated request");
		assert.equal(tlsPermit.request(b), false);
		assert.equal(tlsPermit.request(b), false);
		assert.equal(tlsPermit.request(c), false);
		assert.deepEqual(a.notices, ["wanted", "wanted", "wanted"]);
		tlsPermit.release(a);
		assert.deepEqual(b.notices, ["given", "wanted"]);
		assert.deepEqual(c.notices, []);
		tlsPermit.release(b);
		assert.deepEqual(c.notices, ["given"]);
		assert.equal(tlsPermit.request(a), false);
	});

	it("is not granted to a client that has withdrawn its request", () => {
		const tlsPermit = new TLSPermit();
		const [a, b, c] = [new Holder(), new Holder(), new Holder()];
		tlsPermit.request(a);
		tlsPermit.request(b);
		tlsPermit.request(c);
		tlsPermit.release(b);
		tlsPermit.release(new Holder());
		tlsPermit.release(a);
		assert.deepEqual([b.notices, c.notices], [[], ["given"]]);
		tlsPermit.release(c);
		assert.equal(tlsPermit.request(b), true);
	});
});

describe("publish/connect-failures", () => {
	it("has a separate code and message for each reason why a connection fails", () => {
		const numbers = Object.entries(client).filter(
			([name, value]) => name.startsWith("CLIENT_") && typeof value === "number",
		);
		const codes = new Map(numbers.map(([name, value]) => [name, connectFailure(Number(value))]));
		for (const part of ["code", "message"] as const)
			assert.equal(new Set([...codes.values()].map((failure) => failure[part])).size, numbers.length, part);
		assert.equal(codes.get("CLIENT_NO_ADDRESS")?.retcode, 2);
		assert.equal(codes.get("CLIENT_TIMEOUT")?.code, "timeout");
		assert.equal(codes.get("CLIENT_HANDSHAKE")?.code, "tls_failed");
		assert.equal(codes.get("CLIENT_EXPIRED")?.code, "certificate_expired");
		assert.equal(codes.get("CLIENT_OUT_OF_MEMORY")?.retcode, 6);
		for (const failure of codes.values()) assert.match(failure.message, /^[A-Z].*\.$/);
	});
});
