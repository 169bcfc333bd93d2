import assert from "node:assert/strict";
import fc from "fast-check";
import {
	LOGIN_BAD_PASSWORD,
	LOGIN_BLOCKED,
	LOGIN_INVALID_PROOF,
	LOGIN_NONCE_INVALID,
	LOGIN_OK,
	type LoginResult,
} from "../../modules/auth/login.js";
import { HOME, innerOf, LoginBench, PASSWORD, proofOf } from "./fakes.js";

describe("auth/login", () => {
	it("accepts a proof that is calculated as the API text says", () => {
		const bench = new LoginBench();
		const result = bench.try(PASSWORD);
		assert.equal(result.outcome, LOGIN_OK);
		assert.equal(result.retryAfterS, 0);
		assert.ok(bench.sessions.isValid(result.token));
	});

	it("accepts the proof in upper-case hex too", () => {
		const bench = new LoginBench();
		const { nonce, salt } = bench.login.challenge();
		const proof = proofOf(salt, PASSWORD, nonce).toUpperCase();
		assert.equal(bench.login.loginWithProof({ address: HOME, username: "admin", nonce, proof }).outcome, LOGIN_OK);
	});

	it("gives the same reply, with the same work, for a wrong user and a wrong proof", () => {
		const bench = new LoginBench();
		const work = (attempt: () => LoginResult) => {
			bench.crypto.hashes = 0;
			bench.crypto.hashed = 0;
			const result = attempt();
			return { result, hashes: bench.crypto.hashes, hashed: bench.crypto.hashed };
		};
		const wrongProof = work(() => bench.try("wrong"));
		assert.deepEqual(wrongProof.result, { outcome: LOGIN_INVALID_PROOF, token: "", retryAfterS: 0 });
		for (const username of ["Admin", "root", "", "admin ", "admin\u0000"]) {
			bench.clock.ms += 60_000;
			assert.deepEqual(
				work(() => bench.try(PASSWORD, username)),
				wrongProof,
				username,
			);
		}
		bench.clock.ms += 60_000;
		const plain = work(() => bench.login.loginWithPassword(HOME, "admin", "wrong"));
		bench.clock.ms += 60_000;
		assert.deepEqual(
			work(() => bench.login.loginWithPassword(HOME, "nobody", "wrong")),
			plain,
		);
		assert.equal(bench.sessions.count, 0);
	});

	it("uses up a nonce on success and on failure", () => {
		for (const first of [PASSWORD, "wrong"]) {
			const bench = new LoginBench();
			const { nonce, salt } = bench.login.challenge();
			const attempt = { address: HOME, username: "admin", nonce };
			bench.login.loginWithProof({ ...attempt, proof: proofOf(salt, first, nonce) });
			const again = bench.login.loginWithProof({ ...attempt, proof: proofOf(salt, PASSWORD, nonce) });
			assert.deepEqual(again, { outcome: LOGIN_NONCE_INVALID, token: "", retryAfterS: 0 });
		}
	});

	it("accepts a nonce after 59 999 ms and not after 60 000", () => {
		for (const [ageMs, outcome] of [
			[59_999, LOGIN_OK],
			[60_000, LOGIN_NONCE_INVALID],
			[60_001, LOGIN_NONCE_INVALID],
		]) {
			const bench = new LoginBench();
			const { nonce, salt } = bench.login.challenge();
			bench.clock.ms += ageMs;
			const attempt = { address: HOME, username: "admin", nonce, proof: proofOf(salt, PASSWORD, nonce) };
			assert.equal(bench.login.loginWithProof(attempt).outcome, outcome);
		}
	});

	it("accepts no nonce from before a restart", () => {
		const nonce = new LoginBench().login.challenge().nonce;
		const bench = new LoginBench();
		const attempt = { address: HOME, username: "admin", nonce, proof: proofOf(bench.account.salt, PASSWORD, nonce) };
		assert.equal(bench.login.loginWithProof(attempt).outcome, LOGIN_NONCE_INVALID);
	});

	it("blocks for a second after five failures, keeps the blocked client's nonce, and counts from zero after a success", () => {
		const bench = new LoginBench();
		for (let i = 0; i < 5; i++) assert.equal(bench.try("wrong").outcome, LOGIN_INVALID_PROOF);
		const { nonce, salt } = bench.login.challenge();
		const attempt = { address: HOME, username: "admin", nonce, proof: proofOf(salt, PASSWORD, nonce) };
		assert.deepEqual(bench.login.loginWithProof(attempt), { outcome: LOGIN_BLOCKED, token: "", retryAfterS: 1 });
		assert.equal(bench.login.loginWithPassword(HOME, "admin", PASSWORD).outcome, LOGIN_BLOCKED);
		bench.clock.ms += 999;
		assert.equal(bench.login.loginWithProof(attempt).outcome, LOGIN_BLOCKED);
		bench.clock.ms += 1;
		assert.equal(bench.login.loginWithProof(attempt).outcome, LOGIN_OK);
		assert.equal(bench.try("wrong").outcome, LOGIN_INVALID_PROOF);
		assert.equal(bench.try("wrong").outcome, LOGIN_INVALID_PROOF);
	});

	it("counts failures of all four forms together", () => {
		const bench = new LoginBench();
		const digest = innerOf(bench.account.salt, "new password");
		const change = () => {
			const { nonce, salt } = bench.login.challenge();
			return bench.login.changeWithProof({ address: HOME, nonce, proof: proofOf(salt, "wrong", nonce) }, digest);
		};
		assert.equal(bench.try("wrong").outcome, LOGIN_INVALID_PROOF);
		assert.equal(bench.login.loginWithPassword(HOME, "admin", "wrong").outcome, LOGIN_INVALID_PROOF);
		assert.equal(change().outcome, LOGIN_INVALID_PROOF);
		assert.equal(bench.login.changeWithPassword(HOME, "wrong", "new password").outcome, LOGIN_INVALID_PROOF);
		assert.equal(change().outcome, LOGIN_INVALID_PROOF);
		assert.equal(change().outcome, LOGIN_BLOCKED);
		assert.equal(bench.login.changeWithPassword(HOME, PASSWORD, "new password").outcome, LOGIN_BLOCKED);
		assert.equal(bench.try(PASSWORD, "admin", "192.168.1.21").outcome, LOGIN_OK);
	});

	it("does not count a bad nonce as a guess", () => {
		const bench = new LoginBench();
		for (let i = 0; i < 50; i++) {
			const attempt = { address: HOME, username: "admin", nonce: "00", proof: "00" };
			assert.equal(bench.login.loginWithProof(attempt).outcome, LOGIN_NONCE_INVALID);
		}
		assert.equal(bench.try(PASSWORD).outcome, LOGIN_OK);
	});

	it("keeps open sessions valid while their address is blocked", () => {
		const bench = new LoginBench();
		const { token } = bench.try(PASSWORD);
		for (let i = 0; i < 12; i++) bench.try("wrong");
		assert.equal(bench.try(PASSWORD).outcome, LOGIN_BLOCKED);
		assert.ok(bench.sessions.isValid(token));
	});

	it("uses up a nonce on the right proof for the wrong user, and on a proof with a future password", () => {
		const bench = new LoginBench();
		const { nonce, salt } = bench.login.challenge();
		const attempt = { address: HOME, username: "Admin", nonce, proof: proofOf(salt, PASSWORD, nonce) };
		assert.equal(bench.login.loginWithProof(attempt).outcome, LOGIN_INVALID_PROOF);
		assert.equal(bench.login.loginWithProof({ ...attempt, username: "admin" }).outcome, LOGIN_NONCE_INVALID);

		const second = bench.login.challenge().nonce;
		const early = { address: HOME, username: "admin", nonce: second, proof: proofOf(salt, "new password", second) };
		assert.equal(bench.login.loginWithProof(early).outcome, LOGIN_INVALID_PROOF);
		assert.equal(bench.login.changeWithPassword(HOME, PASSWORD, "new password").outcome, LOGIN_OK);
		assert.equal(bench.login.loginWithProof(early).outcome, LOGIN_NONCE_INVALID);
	});

	it("accepts 1000 right logins within a second", () => {
		const bench = new LoginBench();
		for (let i = 0; i < 1000; i++) {
			assert.equal(bench.try(PASSWORD).outcome, LOGIN_OK);
			bench.clock.ms++;
		}
	});

	it("survives any text and accepts none as a login", () => {
		const bench = new LoginBench();
		const text = fc.oneof(fc.string({ unit: "binary", maxLength: 200 }), fc.stringMatching(/^[0-9a-f]{64}$/));
		fc.assert(
			fc.property(text, text, text, text, (username, nonce, proof, password) => {
				bench.clock.ms += 60_000;
				assert.notEqual(bench.login.loginWithProof({ address: HOME, username, nonce, proof }).outcome, LOGIN_OK);
				const real = bench.login.challenge().nonce;
				const attempt = { address: HOME, username: "admin", nonce: real, proof };
				assert.equal(bench.login.loginWithProof(attempt).outcome, LOGIN_INVALID_PROOF);
				bench.clock.ms += 60_000;
				assert.equal(bench.login.loginWithPassword(HOME, "admin", password).outcome, LOGIN_INVALID_PROOF);
			}),
		);
		assert.equal(bench.sessions.count, 0);
	});

	it("accepts the plaintext password, of at most 128 characters", () => {
		const bench = new LoginBench();
		assert.ok(bench.sessions.isValid(bench.login.loginWithPassword(HOME, "admin", PASSWORD).token));
		bench.account.change(innerOf(bench.account.salt, "x".repeat(128)));
		assert.equal(bench.login.loginWithPassword(HOME, "admin", "x".repeat(128)).outcome, LOGIN_OK);
		bench.account.change(innerOf(bench.account.salt, "x".repeat(129)));
		assert.equal(bench.login.loginWithPassword(HOME, "admin", "x".repeat(129)).outcome, LOGIN_INVALID_PROOF);
	});

	it("changes the password on a proof of the old one, and ends all sessions", () => {
		const bench = new LoginBench();
		const { token } = bench.try(PASSWORD);
		const { nonce, salt } = bench.login.challenge();
		const attempt = { address: HOME, nonce, proof: proofOf(salt, PASSWORD, nonce) };
		const result = bench.login.changeWithProof(attempt, innerOf(salt, "new password"));
		assert.deepEqual(result, { outcome: LOGIN_OK, token: "", retryAfterS: 0 });
		assert.equal(bench.sessions.isValid(token), false);
		assert.equal(bench.try(PASSWORD).outcome, LOGIN_INVALID_PROOF);
		assert.equal(bench.try("new password").outcome, LOGIN_OK);
		assert.equal(bench.account.isDefault, false);
		assert.equal(bench.login.changeWithProof(attempt, innerOf(salt, PASSWORD)).outcome, LOGIN_NONCE_INVALID);
	});

	it("changes the password on the old one in plain text, to one of 8 to 128 characters", () => {
		const bench = new LoginBench();
		assert.equal(bench.login.changeWithPassword(HOME, PASSWORD, "1234567").outcome, LOGIN_BAD_PASSWORD);
		assert.equal(bench.login.changeWithPassword(HOME, PASSWORD, "x".repeat(129)).outcome, LOGIN_BAD_PASSWORD);
		assert.equal(bench.login.changeWithPassword(HOME, "wrong", "12345678").outcome, LOGIN_INVALID_PROOF);
		assert.ok(bench.account.isPassword(PASSWORD));
		assert.equal(bench.login.changeWithPassword(HOME, PASSWORD, "12345678").outcome, LOGIN_OK);
		assert.equal(bench.login.changeWithPassword(HOME, "12345678", "x".repeat(128)).outcome, LOGIN_OK);
		assert.equal(bench.try("x".repeat(128)).outcome, LOGIN_OK);
	});

	it("rejects the hash of the empty password and digests of another length, and leaves the nonce unused", () => {
		const bench = new LoginBench();
		const { nonce, salt } = bench.login.challenge();
		const attempt = { address: HOME, nonce, proof: proofOf(salt, PASSWORD, nonce) };
		for (const digest of [innerOf(salt, ""), new Uint8Array(0), new Uint8Array(31), new Uint8Array(33)])
			assert.equal(bench.login.changeWithProof(attempt, digest).outcome, LOGIN_BAD_PASSWORD);
		assert.equal(bench.login.changeWithProof(attempt, innerOf(salt, "new password")).outcome, LOGIN_OK);
	});

	it("keeps password and sessions if the change can't be stored", () => {
		const bench = new LoginBench();
		const { token } = bench.try(PASSWORD);
		bench.record.full = true;
		assert.throws(() => bench.login.changeWithPassword(HOME, PASSWORD, "new password"), /flash full/);
		assert.ok(bench.sessions.isValid(token));
		assert.equal(bench.try(PASSWORD).outcome, LOGIN_OK);
	});
});
