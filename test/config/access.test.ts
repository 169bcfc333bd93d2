import assert from "node:assert/strict";
import { AccessSettings } from "../../modules/config/access.js";
import { ConfigStore } from "../../modules/config/store.js";
import { MemoryStorage, textCodec } from "./memory-storage.js";

describe("config/access", () => {
	it("shows no account before there is one, and the saved one over a restart", () => {
		const storage = new MemoryStorage();
		const access = new AccessSettings(new ConfigStore(storage, textCodec));
		assert.equal(access.salt, "");
		assert.equal(access.digest.length, 0);
		assert.equal(access.isDefault, true);
		access.save("0a0b", new Uint8Array(32).fill(3), false);
		const again = new AccessSettings(new ConfigStore(storage, textCodec));
		assert.equal(again.salt, "0a0b");
		assert.deepEqual(again.digest, new Uint8Array(32).fill(3));
		assert.equal(again.isDefault, false);
		assert.equal(storage.writes, 1);
	});
});
