import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { SCOPE_FULL, SCOPE_NONE, SCOPE_READ } from "../../modules/auth/scope.js";
import { TOKEN_SLOTS, type TokenRecord, Tokens } from "../../modules/auth/tokens.js";
import { textCodec } from "../config/memory-storage.js";
import { HandClock, NodeCrypto } from "./fakes.js";

class MemoryTokens implements TokenRecord {
	bytes: Uint8Array = new Uint8Array(0);
	full = false;

	save(bytes: Uint8Array): void {
		if (this.full) throw new Error("flash full");
		this.bytes = bytes;
	}
}

function make() {
	const record = new MemoryTokens();
	const clock = new HandClock();
	return { record, clock, tokens: new Tokens(record, new NodeCrypto(), clock, textCodec) };
}

describe("auth/tokens", () => {
	it("makes tokens of 64 hex characters, each valid and different, until all slots are in use", () => {
		assert.equal(TOKEN_SLOTS, 3);
		const { tokens } = make();
		const made = ["a", "b", "c"].map((name) => tokens.create(name));
		for (const token of made) {
			assert.match(token, /^[0-9a-f]{64}$/);
			assert.equal(tokens.scopeOf(token), SCOPE_FULL);
		}
		assert.equal(new Set(made).size, 3);
		assert.equal(tokens.create("d"), "");
		assert.equal(tokens.count, 3);
	});

	it("accepts no other token", () => {
		const { tokens } = make();
		assert.equal(tokens.scopeOf("0".repeat(64)), SCOPE_NONE);
		const token = tokens.create("x");
		const other = (token[0] === "0" ? "1" : "0") + token.slice(1);
		for (const wrong of [
			"",
			token.slice(1),
			`${token}0`,
			token.toUpperCase(),
			other,
			"\u00e9".repeat(64),
			"0".repeat(64),
		])
			assert.equal(tokens.scopeOf(wrong), wrong === token ? SCOPE_FULL : SCOPE_NONE, wrong);
	});

	it("does the same work for every token, right or wrong", () => {
		const crypto = new NodeCrypto();
		const tokens = new Tokens(new MemoryTokens(), crypto, new HandClock(), textCodec);
		const made = [tokens.create("a"), tokens.create("b"), tokens.create("c")];
		const work = (token: string) => {
			crypto.hashes = crypto.hashed = 0;
			tokens.scopeOf(token);
			return [crypto.hashes, crypto.hashed];
		};
		for (const token of [...made, `${made[0].slice(1)}0`, "0".repeat(64)]) assert.deepEqual(work(token), [1, 64]);
	});

	it("stores the hash of a token, not the token", () => {
		const { record, tokens } = make();
		const token = tokens.create("x");
		const copy = Buffer.from(record.bytes);
		assert.ok(copy.includes(createHash("sha256").update(token).digest()));
		assert.equal(copy.includes(token), false);
		assert.equal(copy.includes(Buffer.from(token, "hex")), false);
		assert.equal(token.includes(tokens.idAt(0)), false);
	});

	it("lists tokens oldest first, with the name and the time of creation, which is 0 while the clock is not set", () => {
		const { clock, tokens } = make();
		tokens.create("x".repeat(32));
		clock.utc = 4_102_444_799_999;
		tokens.create("y");
		clock.utc = 1_704_067_200_000;
		tokens.create(" ~");
		const list = Array.from({ length: tokens.count }, (_, i) => [tokens.nameAt(i), tokens.createdAt(i)]);
		assert.deepEqual(list, [
			["x".repeat(32), 0],
			["y", 4_102_444_799],
			[" ~", 1_704_067_200],
		]);
	});

	it("revokes a single token by its id", () => {
		for (let revoked = 0; revoked < 3; revoked++) {
			const { tokens } = make();
			const made = ["a", "b", "c"].map((name) => tokens.create(name));
			const id = tokens.idAt(revoked);
			assert.equal(id, createHash("sha256").update(made[revoked]).digest("hex").slice(0, 8));
			assert.equal(tokens.revokeId(id), true);
			assert.equal(tokens.revokeId(id), false);
			assert.equal(tokens.revokeId(""), false);
			assert.equal(tokens.count, 2);
			for (const [i, token] of made.entries())
				assert.equal(tokens.scopeOf(token), i === revoked ? SCOPE_NONE : SCOPE_FULL);
			const names = [tokens.nameAt(0), tokens.nameAt(1)];
			assert.deepEqual(
				names,
				["a", "b", "c"].filter((_, i) => i !== revoked),
			);
		}
	});

	it("lists a damaged record, with question marks for invalid characters of its name, and revokes it", () => {
		const { record, tokens } = make();
		tokens.create("good");
		record.bytes = Uint8Array.of(...record.bytes, ...new Uint8Array(68).fill(0xff));
		record.bytes.set([0x61, 0xc3, 0x28, 0x0a], 68 + 36);
		assert.deepEqual([tokens.nameAt(0), tokens.nameAt(1)], ["good", `a?(${"?".repeat(29)}`]);
		assert.equal(tokens.idAt(1), "ffffffff");
		record.bytes.fill(0, 68 + 36);
		assert.equal(tokens.nameAt(1), "?");
		assert.equal(tokens.revokeId("ffffffff"), true);
		assert.equal(tokens.count, 1);
	});

	it("keeps the scope of each token when another is revoked", () => {
		const scopes = [SCOPE_READ, SCOPE_FULL, SCOPE_READ];
		for (let revoked = 0; revoked < 3; revoked++) {
			const { tokens } = make();
			const made = scopes.map((scope, i) => tokens.create(String(i), scope));
			assert.equal(tokens.revokeId(tokens.idAt(revoked)), true);
			for (const [i, token] of made.entries())
				assert.equal(tokens.scopeOf(token), i === revoked ? SCOPE_NONE : scopes[i], `${revoked} ${i}`);
			const left = scopes.filter((_, i) => i !== revoked);
			assert.deepEqual([tokens.scopeAt(0), tokens.scopeAt(1)], left);
			tokens.create("new", SCOPE_READ);
			assert.deepEqual([tokens.scopeAt(0), tokens.scopeAt(1), tokens.scopeAt(2)], [...left, SCOPE_READ]);
		}
	});

	it("treats old tokens without a stored scope as full, even if there are new ones too", () => {
		const { record, tokens } = make();
		const old = [tokens.create("a"), tokens.create("b")];
		record.bytes = record.bytes.slice(0, 2 * 68);
		assert.deepEqual([tokens.count, tokens.scopeAt(0), tokens.scopeAt(1)], [2, SCOPE_FULL, SCOPE_FULL]);
		const reader = tokens.create("c", SCOPE_READ);
		const scopes = () => [...old, reader].map((token) => tokens.scopeOf(token));
		assert.deepEqual(scopes(), [SCOPE_FULL, SCOPE_FULL, SCOPE_READ]);
		tokens.revokeId(tokens.idAt(0));
		assert.deepEqual(scopes(), [SCOPE_NONE, SCOPE_FULL, SCOPE_READ]);
	});

	it("allows only reading if the scope is damaged", () => {
		const { record, tokens } = make();
		const token = tokens.create("a");
		for (const wrong of [0, 3, 255]) {
			record.bytes[68] = wrong;
			assert.equal(tokens.scopeOf(token), SCOPE_READ);
		}
	});

	it("finds the tokens again after a restart", () => {
		const { record, tokens } = make();
		const token = tokens.create("x");
		assert.equal(new Tokens(record, new NodeCrypto(), new HandClock(), textCodec).scopeOf(token), SCOPE_FULL);
	});

	it("changes nothing if the tokens can't be saved", () => {
		const { record, tokens } = make();
		const token = tokens.create("x");
		record.full = true;
		assert.throws(() => tokens.create("y"), /flash full/);
		assert.throws(() => tokens.revokeId(tokens.idAt(0)), /flash full/);
		assert.equal(tokens.count, 1);
		assert.equal(tokens.scopeOf(token), SCOPE_FULL);
	});

	it("has no tokens in a record that is too short for one", () => {
		const { record, tokens } = make();
		record.bytes = new Uint8Array(67);
		assert.equal(tokens.count, 0);
		assert.equal(tokens.scopeOf("0".repeat(64)), SCOPE_NONE);
	});
});
