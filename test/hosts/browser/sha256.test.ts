import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { sha256 } from "../../../hosts/browser/kit/sha256.js";

describe("hosts/browser/kit/sha256", () => {
	const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");

	it("gives the digest of FIPS 180-4's example", () => {
		const digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
		assert.equal(hex(sha256(new TextEncoder().encode("abc"))), digest);
	});

	it("agrees with OpenSSL on messages of every length up to four blocks", () => {
		for (let length = 0; length <= 256; length++) {
			const message = Uint8Array.from({ length }, (_, i) => (i * 31 + length) & 255);
			assert.equal(hex(sha256(message)), createHash("sha256").update(message).digest("hex"), `${length} bytes`);
		}
	});

	it("takes constants from roots that no engine's rounding changes", () => {
		for (let n = 2; n < 312; n++)
			for (const root of [n ** (1 / 2), n ** (1 / 3)]) {
				const part = (root * 2 ** 32) % 1;
				// Squares and cubes aside, of which no prime is one.
				if (Number.isInteger(Math.round(root * 1e6) / 1e6)) continue;
				assert.ok(Math.min(part, 1 - part) > 2 ** -16, String(n));
			}
	});
});
