import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { property, uint8Array, assert as verify } from "fast-check";
import { bytesOf, hexOf, sha256 } from "../../../hosts/browser/kit/sha256.js";

describe("hosts/browser/kit/sha256", () => {
	it("hashes the examples of NIST", () => {
		const hash = (text: string) => hexOf(sha256(bytesOf(text)));
		assert.equal(hash("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
		assert.equal(hash(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
		assert.equal(
			hash("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
			"248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
		);
	});

	it("hashes as Node does, at every length around the ends of blocks", () => {
		const same = (bytes: Uint8Array) =>
			assert.equal(
				hexOf(sha256([...bytes])),
				createHash("sha256").update(bytes).digest("hex"),
				`${bytes.length} bytes`,
			);
		for (let length = 0; length <= 200; length++) same(new Uint8Array(length).fill(length));
		verify(property(uint8Array({ maxLength: 500 }), same));
	});
});
