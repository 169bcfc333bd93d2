import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { acceptOf, KEY_LENGTH } from "../../modules/websocket/accept.js";

describe("The proof of a WebSocket server", () => {
	it("is that of the example in RFC 6455, 1.3", () => {
		assert.equal(acceptOf("dGhlIHNhbXBsZSBub25jZQ=="), "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
	});

	it("is Node's SHA-1 in base64 for any key", () => {
		for (let i = 0; i < 200; i++) {
			const key = createHash("sha256").update(`${i}`).digest("base64").slice(0, KEY_LENGTH);
			const expected = createHash("sha1").update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest("base64");
			assert.equal(acceptOf(key), expected, key);
		}
	});
});
