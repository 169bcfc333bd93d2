/** HPKE as the sender: the vectors of RFC 9180, and another maker's receiver. */
import assert from "node:assert/strict";
import { createECDH } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Aes128Gcm, CipherSuite, DhkemP256HkdfSha256, HkdfSha256 } from "@hpke/core";
import { NodeCrypto } from "../../hosts/node/platform.js";
import { Sealer } from "../../modules/hpke/sealer.js";
import { textCodec } from "../config/memory-storage.js";
import { ROOT } from "../hosts/native/compile.js";

/** Names as in RFC 9180, values as hex; all messages have the text `pt`. */
interface Vectors {
	readonly info: string;
	readonly skRm: string;
	readonly pkRm: string;
	readonly skEm: string;
	readonly enc: string;
	readonly pt: string;
	/** Ciphertexts in the order of their sequence numbers. */
	readonly ct: readonly string[];
}

const vectors: Vectors = JSON.parse(readFileSync(join(ROOT, "test/hpke/rfc9180-vectors.json"), "utf8"));
const bytes = (hex: string) => new Uint8Array(Buffer.from(hex, "hex"));
const hex = (data: Uint8Array) => Buffer.from(data).toString("hex");

/** Uses the vectors' key in place of a new one. */
class FixedCrypto extends NodeCrypto {
	override agreeP256(publicKey: Uint8Array) {
		const own = createECDH("prime256v1");
		own.setPrivateKey(vectors.skEm, "hex");
		return { publicKey: new Uint8Array(own.getPublicKey()), secret: new Uint8Array(own.computeSecret(publicKey)) };
	}
}

const suite = new CipherSuite({ kem: new DhkemP256HkdfSha256(), kdf: new HkdfSha256(), aead: new Aes128Gcm() });

describe("HPKE", () => {
	it("seals the 257 messages of RFC 9180's vectors, byte for byte", () => {
		const sealer = new Sealer({ crypto: new FixedCrypto(), text: textCodec }, bytes(vectors.pkRm), bytes(vectors.info));
		assert.equal(hex(sealer.encapsulated), vectors.enc);
		assert.equal(vectors.ct.length, 257);
		for (const [number, expected] of vectors.ct.entries()) {
			const associated = textCodec.encode(`Count-${number}`);
			assert.equal(hex(sealer.seal(associated, bytes(vectors.pt))), expected, `message ${number}`);
		}
	});

	it("seals messages that another maker's receiver opens in the same order only", async () => {
		const { publicKey, privateKey } = await suite.kem.generateKeyPair();
		const receiver = new Uint8Array(await suite.kem.serializePublicKey(publicKey));
		const info = textCodec.encode("what both know");
		const seen = new Set<string>();
		for (const length of [0, 1, 1024, 5000]) {
			const sealer = new Sealer({ crypto: new NodeCrypto(), text: textCodec }, receiver, info);
			const enc = sealer.encapsulated;
			seen.add(hex(enc));
			const messages = [0, 1, 2].map((number) => new Uint8Array(length).fill(number));
			const sealed = messages.map((message, number) => sealer.seal(Uint8Array.of(number), message));
			const open = (given: Uint8Array) => suite.createRecipientContext({ recipientKey: privateKey, enc, info: given });
			const recipient = await open(info);
			for (const [number, message] of messages.entries()) {
				assert.equal(sealed[number].length, length + 16);
				const opened = await recipient.open(sealed[number], Uint8Array.of(number));
				assert.deepEqual(new Uint8Array(opened), message);
			}
			await assert.rejects(async () => (await open(info)).open(sealed[1], Uint8Array.of(1)), "the second as the first");
			await assert.rejects(async () => (await open(info)).open(sealed[0], Uint8Array.of(1)), "with other data");
			await assert.rejects(async () => (await open(bytes("00"))).open(sealed[0], Uint8Array.of(0)), "with other info");
		}
		assert.equal(seen.size, 4, "a new key each time");
	});

	it("throws a RangeError if the receiver's key is not a point of P-256", () => {
		const world = { crypto: new NodeCrypto(), text: textCodec };
		const none = new Uint8Array(0);
		for (const point of [none, new Uint8Array(65), bytes(vectors.pkRm).fill(1, 64)])
			assert.throws(() => new Sealer(world, point, none), RangeError);
	});
});
