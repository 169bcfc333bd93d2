/** SHA-256 of the page against OpenSSL's. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { sha256 } from "../../../hosts/browser/kit/sha256.js";

describe("hosts/browser/kit/sha256", () => {
	it("hashes messages of every length up to three blocks, and of every byte", () => {
		for (let length = 0; length <= 192; length++) {
			const message = Uint8Array.from({ length }, (_, index) => (index * 89 + length * 7) % 256);
			const expected = createHash("sha256").update(message).digest("hex");
			assert.equal(Buffer.from(sha256(message)).toString("hex"), expected, `${length} bytes`);
		}
	});
});
