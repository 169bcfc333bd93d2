import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { hashOf, proofOf } from "../../../hosts/browser/kit/password-hash.js";

describe("hosts/browser/kit/password-hash", () => {
	const expected = (...parts: (string | Uint8Array)[]) => {
		const hash = createHash("sha256");
		for (const part of parts) hash.update(part);
		return hash.digest("hex");
	};

	it("hashes passwords in UTF-8, and proves them with the nonce", () => {
		for (const password of ["", "password", "Zażółć gęślą jaźń", "ß".repeat(64), "🔌 and more"]) {
			assert.equal(hashOf("salt", password), expected("salt", password));
			const hash = createHash("sha256").update(`salt${password}`).digest();
			assert.equal(proofOf("salt", password, "0a".repeat(32)), expected(hash, "0a".repeat(32)));
		}
	});
});
