import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { Canary } from "./canary.js";

describe("api/canary", () => {
	const secret = 'pass "word" ü';
	const canary = new Canary(["first secret", secret]);

	it("finds a secret in any of its forms and in any case", () => {
		const digest = createHash("sha256").update(secret).digest();
		for (const text of [
			"first secret",
			`x${secret.toUpperCase()}x`,
			JSON.stringify({ password: secret }),
			Buffer.from(secret).toString("hex").toUpperCase(),
			Buffer.from(secret).toString("base64"),
			encodeURIComponent(secret),
			[...secret].reverse().join(""),
			digest.toString("hex"),
			digest.toString("base64"),
		]) {
			assert.throws(() => canary.check("a reply", text), /^AssertionError.*a reply holds the secret/, text);
		}
	});
	it("accepts text without a secret", () => {
		canary.check("a reply", '{"token_set":true,"id":"0a1b2c3d"}');
	});
	it("rejects a secret that is short enough to occur by chance", () => {
		assert.throws(() => new Canary(["admin"]));
	});
});
