import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { SESSION_LIFETIME_MS, SESSION_LIMIT, Sessions } from "../../modules/auth/sessions.js";
import { textCodec } from "../config/memory-storage.js";
import { HandClock, NodeCrypto } from "./fakes.js";

function make(): { clock: HandClock; sessions: Sessions } {
	const clock = new HandClock();
	return { clock, sessions: new Sessions(new NodeCrypto(), clock, textCodec) };
}

describe("auth/sessions", () => {
	it("issues tokens of 64 hex characters, each valid and each different", () => {
		const { sessions } = make();
		const tokens = Array.from({ length: 6 }, () => sessions.create());
		for (const token of tokens) {
			assert.match(token, /^[0-9a-f]{64}$/);
			assert.ok(sessions.isValid(token));
		}
		assert.equal(new Set(tokens).size, 6);
	});

	it("accepts no other token", () => {
		const { sessions } = make();
		assert.equal(sessions.isValid("0".repeat(64)), false);
		const token = sessions.create();
		const other = (token[0] === "0" ? "1" : "0") + token.slice(1);
		for (const wrong of ["", token.slice(1), `${token}0`, token.toUpperCase(), other, "é".repeat(32), "0".repeat(64)])
			assert.equal(sessions.isValid(wrong), wrong === token, wrong);
		assert.equal(sessions.revoke(other), false);
		assert.ok(sessions.isValid(token));
	});

	it("ends a session 1800 s after the login, used or not", () => {
		assert.equal(SESSION_LIFETIME_MS, 1_800_000);
		const { clock, sessions } = make();
		const token = sessions.create();
		// A second session, which is never used.
		sessions.create();
		clock.ms += 1_799_999;
		assert.ok(sessions.isValid(token));
		clock.ms += 1;
		assert.equal(sessions.isValid(token), false);
		assert.equal(sessions.count, 0);
		assert.equal(sessions.revoke(token), false);
	});

	it("ends the oldest of six sessions when a seventh begins", () => {
		assert.equal(SESSION_LIMIT, 6);
		const { clock, sessions } = make();
		const tokens: string[] = [];
		for (let i = 0; i < 7; i++) {
			tokens.push(sessions.create());
			clock.ms += 10;
		}
		assert.deepEqual(
			tokens.map((token) => sessions.isValid(token)),
			[false, true, true, true, true, true, true],
		);
		assert.equal(sessions.count, 6);
	});

	it("ends no session when a seventh begins if one of the six has expired or was ended", () => {
		for (const end of [true, false]) {
			const { clock, sessions } = make();
			const first = sessions.create();
			clock.ms += 1000;
			const tokens = Array.from({ length: 5 }, () => sessions.create());
			if (end) sessions.revoke(first);
			else clock.ms += SESSION_LIFETIME_MS - 1000;
			tokens.push(sessions.create());
			assert.ok(tokens.every((token) => sessions.isValid(token)));
			assert.equal(sessions.isValid(first), false);
		}
	});

	it("ends the session of a token at once, and no other", () => {
		for (let ended = 0; ended < 6; ended++) {
			const { sessions } = make();
			const tokens = Array.from({ length: 6 }, () => sessions.create());
			assert.equal(sessions.revoke(tokens[ended]), true);
			assert.equal(sessions.revoke(tokens[ended]), false);
			for (const [i, token] of tokens.entries()) assert.equal(sessions.isValid(token), i !== ended);
		}
	});

	it("ends all sessions", () => {
		const { sessions } = make();
		const tokens = Array.from({ length: 6 }, () => sessions.create());
		sessions.revokeAll();
		assert.ok(tokens.every((token) => !sessions.isValid(token)));
		assert.equal(sessions.count, 0);
		assert.ok(sessions.isValid(sessions.create()));
	});

	it("lists sessions by an id that is not part of the token, oldest first, and ends them by that id", () => {
		const { clock, sessions } = make();
		const tokens: string[] = [];
		for (let i = 0; i < 3; i++) {
			tokens.push(sessions.create());
			clock.ms += 1500;
		}
		assert.equal(sessions.count, 3);
		for (let i = 0; i < 3; i++) {
			assert.equal(sessions.idAt(i), createHash("sha256").update(tokens[i]).digest("hex").slice(0, 8));
			assert.equal(sessions.ageMsAt(i), (3 - i) * 1500);
			assert.equal(sessions.createdAt(i), 0);
		}
		clock.utc = Date.UTC(2026, 0, 1, 0, 0, 10);
		assert.equal(sessions.createdAt(0), Date.UTC(2026, 0, 1, 0, 0, 5.5) / 1000);
		const id = sessions.idAt(1);
		assert.equal(sessions.revokeId(id), true);
		assert.equal(sessions.revokeId(id), false);
		assert.equal(sessions.revokeId(""), false);
		assert.deepEqual(
			tokens.map((token) => sessions.isValid(token)),
			[true, false, true],
		);
	});

	it("remembers the address of each session, and finds the session of a token", () => {
		const { clock, sessions } = make();
		const tokens: string[] = [];
		for (let i = 0; i < 7; i++) {
			tokens.push(sessions.create(`192.0.2.${i}`));
			clock.ms += 1000;
		}
		assert.deepEqual(
			tokens.map((token) => sessions.positionOf(token)),
			[-1, 0, 1, 2, 3, 4, 5],
		);
		sessions.revoke(tokens[3]);
		const addresses = () => Array.from({ length: sessions.count }, (_, i) => sessions.addressAt(i));
		assert.deepEqual(addresses(), ["192.0.2.1", "192.0.2.2", "192.0.2.4", "192.0.2.5", "192.0.2.6"]);
		clock.ms += SESSION_LIFETIME_MS - 5000;
		assert.deepEqual(addresses(), ["192.0.2.4", "192.0.2.5", "192.0.2.6"]);
		sessions.revokeAll();
		sessions.create("192.0.2.9");
		assert.deepEqual(addresses(), ["192.0.2.9"]);
	});
});
