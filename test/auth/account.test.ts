import assert from "node:assert/strict";
import { ENTRIES } from "../../modules/app/parts.js";
import { Account } from "../../modules/auth/account.js";
import { ConfigStore } from "../../modules/config/store.js";
import { AccessSettings } from "../../modules/parts/auth/settings.js";
import { MemoryStorage, textCodec } from "../config/memory-storage.js";
import { innerOf, MemoryRecord, NodeCrypto, proofOf } from "./fakes.js";

const NONCE = "0123456789abcdef".repeat(4);

function make(record = new MemoryRecord(), labelPassword = "K7mPq2RtXw9z"): { record: MemoryRecord; account: Account } {
	return { record, account: new Account(record, labelPassword, new NodeCrypto(), textCodec) };
}

describe("auth/account", () => {
	it("is made with the label's password, a new salt and the default flag", () => {
		const { record, account } = make();
		assert.equal(record.saves, 1);
		assert.match(account.salt, /^[0-9a-f]{32}$/);
		assert.notEqual(account.salt, make().account.salt);
		assert.equal(account.isDefault, true);
		assert.deepEqual(Buffer.from(record.digest), innerOf(account.salt, "K7mPq2RtXw9z"));
	});

	it("stays unchanged if it was made before, whatever the label says", () => {
		const { record, account } = make();
		const again = make(record, "another").account;
		assert.equal(record.saves, 1);
		assert.equal(again.salt, account.salt);
		assert.ok(again.isPassword("K7mPq2RtXw9z"));
	});

	it("is made again if half of it is missing", () => {
		for (const [salt, length] of [
			["", 32],
			["00", 0],
			["00", 31],
		] as const) {
			const record = new MemoryRecord();
			record.salt = salt;
			record.digest = new Uint8Array(length);
			assert.ok(make(record).account.isPassword("K7mPq2RtXw9z"));
			assert.equal(record.saves, 1);
		}
	});

	it("accepts a proof that a client makes according to the API text, and rejects a changed one", () => {
		for (const password of ["K7mPq2RtXw9z", "", "żółw 😀 ß", "x".repeat(128)]) {
			const { account } = make(new MemoryRecord(), password);
			const proof = Buffer.from(proofOf(account.salt, password, NONCE), "hex");
			const nonce = Buffer.from(NONCE);
			assert.ok(account.isProof(proof, nonce));
			assert.equal(account.isProof(proof.subarray(1), nonce), false);
			assert.equal(account.isProof(new Uint8Array(0), nonce), false);
			assert.equal(account.isProof(proof, Buffer.from(NONCE.replace("0", "1"))), false);
			for (let bit = 0; bit < 256; bit++) {
				const wrong = Buffer.from(proof);
				wrong[bit >> 3] ^= 1 << (bit & 7);
				assert.equal(account.isProof(wrong, nonce), false);
			}
			// The inner digest, which a stolen copy of the flash contains, is not accepted as a proof.
			assert.equal(account.isProof(innerOf(account.salt, password), nonce), false);
		}
	});

	it("accepts a proof that was computed with sha256sum", () => {
		const record = new MemoryRecord();
		// printf %s 00112233445566778899aabbccddeeffsecret123 | sha256sum
		record.salt = "00112233445566778899aabbccddeeff";
		record.digest = Buffer.from("3018c25d7b026f4b8c3f8bdee13461e3dec9da9c54f8dcff59b56a516fc0f1cf", "hex");
		const { account } = make(record);
		assert.ok(account.isPassword("secret123"));
		// (printf %s <inner> | xxd -r -p; printf %s <nonce>) | sha256sum
		assert.ok(
			account.isProof(
				Buffer.from("1ee405488a50a9ea9fcd66e52dd32e945e4fc7ad7a11422f27136ddd914570ce", "hex"),
				Buffer.from(NONCE),
			),
		);
	});

	it("accepts the password in plain text and no other", () => {
		const { account } = make();
		assert.ok(account.isPassword("K7mPq2RtXw9z"));
		for (const wrong of ["", "k7mpq2rtxw9z", "K7mPq2RtXw9", "K7mPq2RtXw9z "])
			assert.equal(account.isPassword(wrong), false);
	});

	it("keeps its salt when the password changes, and is no longer default", () => {
		const { record, account } = make();
		const salt = account.salt;
		account.change(account.digestOf("new password"));
		assert.equal(account.salt, salt);
		assert.equal(account.isDefault, false);
		assert.ok(account.isPassword("new password"));
		assert.equal(account.isPassword("K7mPq2RtXw9z"), false);
		assert.ok(make(record).account.isPassword("new password"));
	});

	it("keeps its password if the change can't be stored", () => {
		const { record, account } = make();
		record.full = true;
		assert.throws(() => account.change(account.digestOf("new password")), /flash full/);
		assert.ok(account.isPassword("K7mPq2RtXw9z"));
		assert.equal(account.isDefault, true);
	});

	it("survives a restart in the settings, and is made again if they are gone", () => {
		const storage = new MemoryStorage();
		const open = () =>
			new Account(
				new AccessSettings(new ConfigStore(storage, textCodec, ENTRIES)),
				"label secret",
				new NodeCrypto(),
				textCodec,
			);
		const account = open();
		assert.ok(account.isPassword("label secret"));
		account.change(account.digestOf("my password"));
		assert.ok(open().isPassword("my password"));
		assert.equal(open().salt, account.salt);
		storage.delete("access");
		const reset = open();
		assert.ok(reset.isPassword("label secret"));
		assert.equal(reset.isDefault, true);
		assert.notEqual(reset.salt, account.salt);
	});
});
