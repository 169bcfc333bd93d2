import assert from "node:assert/strict";
import { ENTRIES } from "../../modules/app/parts.js";
import { TOKEN_NAME_LIMIT, TOKEN_SLOTS, Tokens } from "../../modules/auth/tokens.js";
import { ConfigStore } from "../../modules/config/store.js";
import { AccessSettings, TokenSettings } from "../../modules/parts/auth/settings.js";
import { MemoryStorage, textCodec } from "../config/memory-storage.js";
import { HandClock, NodeCrypto } from "./fakes.js";

describe("auth/settings", () => {
	it("stores no account at first, and keeps the saved one over a restart", () => {
		const storage = new MemoryStorage();
		const access = new AccessSettings(new ConfigStore(storage, textCodec, ENTRIES));
		assert.equal(access.salt, "");
		assert.equal(access.digest.length, 0);
		assert.equal(access.isDefault, true);
		access.save("0a0b", new Uint8Array(32).fill(3), false);
		const again = new AccessSettings(new ConfigStore(storage, textCodec, ENTRIES));
		assert.equal(again.salt, "0a0b");
		assert.deepEqual(again.digest, new Uint8Array(32).fill(3));
		assert.equal(again.isDefault, false);
		assert.equal(storage.writes, 1);
	});

	it("stores no tokens at first, and keeps the saved ones over a restart", () => {
		const storage = new MemoryStorage();
		const tokens = new TokenSettings(new ConfigStore(storage, textCodec, ENTRIES));
		assert.equal(tokens.bytes.length, 0);
		tokens.save(new Uint8Array(204).fill(7));
		assert.deepEqual(
			new TokenSettings(new ConfigStore(storage, textCodec, ENTRIES)).bytes,
			new Uint8Array(204).fill(7),
		);
		assert.deepEqual([...storage.values.keys()], ["tokens"]);
	});

	it("has room for the greatest number of tokens", () => {
		const storage = new MemoryStorage();
		const record = new TokenSettings(new ConfigStore(storage, textCodec, ENTRIES));
		const tokens = new Tokens(record, new NodeCrypto(), new HandClock(), textCodec);
		for (let i = 0; i < TOKEN_SLOTS; i++) tokens.create("x".repeat(TOKEN_NAME_LIMIT));
		assert.equal(new TokenSettings(new ConfigStore(storage, textCodec, ENTRIES)).bytes.length, 207);
	});
});
