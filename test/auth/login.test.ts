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
import { HOME, innerOf, LoginBed, PASSWORD, proofOf } from "./fakes.js";

describe("auth/login", () => {
	it("accepts a proof that is calculated as the API text says", () => {
		const bed = new LoginBed();
		const result = bed.try(PASSWORD);
		assert.equal(result.outcome, LOGIN_OK);
		assert.equal(result.retryAfterS, 0);
		assert.ok(bed.sessions.isValid(result.token));
	});

	it("accepts the proof in upper-case hex too", () => {
		const bed = new LoginBed();
		const { nonce, salt } = bed.login.challenge();
		const proof = proofOf(salt, PASSWORD, nonce).toUpperCase();
		assert.equal(bed.login.loginWithProof({ address: HOME, username: "admin", nonce, proof }).outcome, LOGIN_OK);
	});

	it("gives the same reply, with the same work, for a wrong user and a wrong proof", () => {
		const bed = new LoginBed();
		const work = (attempt: () => LoginResult) => {
			bed.crypto.hashes = 0;
			bed.crypto.hashed = 0;
			const result = attempt();
			return { result, hashes: bed.crypto.hashes, hashed: bed.crypto.hashed };
		};
		const wrongProof = work(() => bed.try("wrong"));
		assert.deepEqual(wrongProof.result, { outcome: LOGIN_INVALID_PROOF, token: "", retryAfterS: 0 });
		for (const username of ["Admin", "root", "", "admin ", "admin\u0000"]) {
			bed.clock.ms += 60_000;
			assert.deepEqual(
				work(() => bed.try(PASSWORD, username)),
				wrongProof,
				username,
			);
		}
		bed.clock.ms += 60_000;
		const plain = work(() => bed.login.loginWithPassword(HOME, "admin", "wrong"));
		bed.clock.ms += 60_000;
		assert.deepEqual(
			work(() => bed.login.loginWithPassword(HOME, "nobody", "wrong")),
			plain,
		);
		assert.equal(bed.sessions.count, 0);
	});

	it("uses up a nonce on success and on failure", () => {
		for (const first of [PASSWORD, "wrong"]) {
			const bed = new LoginBed();
			const { nonce, salt } = bed.login.challenge();
			const attempt = { address: HOME, username: "admin", nonce };
			bed.login.loginWithProof({ ...attempt, proof: proofOf(salt, first, nonce) });
			const again = bed.login.loginWithProof({ ...attempt, proof: proofOf(salt, PASSWORD, nonce) });
			assert.deepEqual(again, { outcome: LOGIN_NONCE_INVALID, token: "", retryAfterS: 0 });
		}
	});

	it("accepts a nonce after 59 999 ms and not after 60 000", () => {
		for (const [ageMs, outcome] of [
			[59_999, LOGIN_OK],
			[60_000, LOGIN_NONCE_INVALID],
			[60_001, LOGIN_NONCE_INVALID],
		]) {
			const bed = new LoginBed();
			const { nonce, salt } = bed.login.challenge();
			bed.clock.ms += ageMs;
			const attempt = { address: HOME, username: "admin", nonce, proof: proofOf(salt, PASSWORD, nonce) };
			assert.equal(bed.login.loginWithProof(attempt).outcome, outcome);
		}
	});

	it("accepts no nonce from before a restart", () => {
		const nonce = new LoginBed().login.challenge().nonce;
		const bed = new LoginBed();
		const attempt = { address: HOME, username: "admin", nonce, proof: proofOf(bed.account.salt, PASSWORD, nonce) };
		assert.equal(bed.login.loginWithProof(attempt).outcome, LOGIN_NONCE_INVALID);
	});

	it("blocks for a second after five failures, keeps the blocked client's nonce, and counts from zero after a success", () => {
		const bed = new LoginBed();
		for (let i = 0; i < 5; i++) assert.equal(bed.try("wrong").outcome, LOGIN_INVALID_PROOF);
		const { nonce, salt } = bed.login.challenge();
		const attempt = { address: HOME, username: "admin", nonce, proof: proofOf(salt, PASSWORD, nonce) };
		assert.deepEqual(bed.login.loginWithProof(attempt), { outcome: LOGIN_BLOCKED, token: "", retryAfterS: 1 });
		assert.equal(bed.login.loginWithPassword(HOME, "admin", PASSWORD).outcome, LOGIN_BLOCKED);
		bed.clock.ms += 999;
		assert.equal(bed.login.loginWithProof(attempt).outcome, LOGIN_BLOCKED);
		bed.clock.ms += 1;
		assert.equal(bed.login.loginWithProof(attempt).outcome, LOGIN_OK);
		assert.equal(bed.try("wrong").outcome, LOGIN_INVALID_PROOF);
		assert.equal(bed.try("wrong").outcome, LOGIN_INVALID_PROOF);
	});

	it("counts failures of all four forms together", () => {
		const bed = new LoginBed();
		const digest = innerOf(bed.account.salt, "new password");
		const change = () => {
			const { nonce, salt } = bed.login.challenge();
			return bed.login.changeWithProof({ address: HOME, nonce, proof: proofOf(salt, "wrong", nonce) }, digest);
		};
		assert.equal(bed.try("wrong").outcome, LOGIN_INVALID_PROOF);
		assert.equal(bed.login.loginWithPassword(HOME, "admin", "wrong").outcome, LOGIN_INVALID_PROOF);
		assert.equal(change().outcome, LOGIN_INVALID_PROOF);
		assert.equal(bed.login.changeWithPassword(HOME, "wrong", "new password").outcome, LOGIN_INVALID_PROOF);
		assert.equal(change().outcome, LOGIN_INVALID_PROOF);
		assert.equal(change().outcome, LOGIN_BLOCKED);
		assert.equal(bed.login.changeWithPassword(HOME, PASSWORD, "new password").outcome, LOGIN_BLOCKED);
		assert.equal(bed.try(PASSWORD, "admin", "192.168.1.21").outcome, LOGIN_OK);
	});

	it("does not count a bad nonce as a guess", () => {
		const bed = new LoginBed();
		for (let i = 0; i < 50; i++) {
			const attempt = { address: HOME, username: "admin", nonce: "00", proof: "00" };
			assert.equal(bed.login.loginWithProof(attempt).outcome, LOGIN_NONCE_INVALID);
		}
		assert.equal(bed.try(PASSWORD).outcome, LOGIN_OK);
	});

	it("keeps open sessions valid while their address is blocked", () => {
		const bed = new LoginBed();
		const { token } = bed.try(PASSWORD);
		for (let i = 0; i < 12; i++) bed.try("wrong");
		assert.equal(bed.try(PASSWORD).outcome, LOGIN_BLOCKED);
		assert.ok(bed.sessions.isValid(token));
	});

	it("uses up a nonce on the right proof for the wrong user, and on a proof with a future password", () => {
		const bed = new LoginBed();
		const { nonce, salt } = bed.login.challenge();
		const attempt = { address: HOME, username: "Admin", nonce, proof: proofOf(salt, PASSWORD, nonce) };
		assert.equal(bed.login.loginWithProof(attempt).outcome, LOGIN_INVALID_PROOF);
		assert.equal(bed.login.loginWithProof({ ...attempt, username: "admin" }).outcome, LOGIN_NONCE_INVALID);

		const second = bed.login.challenge().nonce;
		const early = { address: HOME, username: "admin", nonce: second, proof: proofOf(salt, "new password", second) };
		assert.equal(bed.login.loginWithProof(early).outcome, LOGIN_INVALID_PROOF);
		assert.equal(bed.login.changeWithPassword(HOME, PASSWORD, "new password").outcome, LOGIN_OK);
		assert.equal(bed.login.loginWithProof(early).outcome, LOGIN_NONCE_INVALID);
	});

	it("accepts 1000 right logins within a second", () => {
		const bed = new LoginBed();
		for (let i = 0; i < 1000; i++) {
			assert.equal(bed.try(PASSWORD).outcome, LOGIN_OK);
			bed.clock.ms++;
		}
	});

	it("survives any text and accepts none as a login", () => {
		const bed = new LoginBed();
		const text = fc.oneof(fc.string({ unit: "binary", maxLength: 200 }), fc.stringMatching(/^[0-9a-f]{64}$/));
		fc.assert(
			fc.property(text, text, text, text, (username, nonce, proof, password) => {
				bed.clock.ms += 60_000;
				assert.notEqual(bed.login.loginWithProof({ address: HOME, username, nonce, proof }).outcome, LOGIN_OK);
				const real = bed.login.challenge().nonce;
				const attempt = { address: HOME, username: "admin", nonce: real, proof };
				assert.equal(bed.login.loginWithProof(attempt).outcome, LOGIN_INVALID_PROOF);
				bed.clock.ms += 60_000;
				assert.equal(bed.login.loginWithPassword(HOME, "admin", password).outcome, LOGIN_INVALID_PROOF);
			}),
		);
		assert.equal(bed.sessions.count, 0);
	});

	it("accepts the plaintext password, of at most 128 characters", () => {
		const bed = new LoginBed();
		assert.ok(bed.sessions.isValid(bed.login.loginWithPassword(HOME, "admin", PASSWORD).token));
		bed.account.change(innerOf(bed.account.salt, "x".repeat(128)));
		assert.equal(bed.login.loginWithPassword(HOME, "admin", "x".repeat(128)).outcome, LOGIN_OK);
		bed.account.change(innerOf(bed.account.salt, "x".repeat(129)));
		assert.equal(bed.login.loginWithPassword(HOME, "admin", "x".repeat(129)).outcome, LOGIN_INVALID_PROOF);
	});

	it("changes the password on a proof of the old one, and ends all sessions", () => {
		const bed = new LoginBed();
		const { token } = bed.try(PASSWORD);
		const { nonce, salt } = bed.login.challenge();
		const attempt = { address: HOME, nonce, proof: proofOf(salt, PASSWORD, nonce) };
		const result = bed.login.changeWithProof(attempt, innerOf(salt, "new password"));
		assert.deepEqual(result, { outcome: LOGIN_OK, token: "", retryAfterS: 0 });
		assert.equal(bed.sessions.isValid(token), false);
		assert.equal(bed.try(PASSWORD).outcome, LOGIN_INVALID_PROOF);
		assert.equal(bed.try("new password").outcome, LOGIN_OK);
		assert.equal(bed.account.isDefault, false);
		assert.equal(bed.login.changeWithProof(attempt, innerOf(salt, PASSWORD)).outcome, LOGIN_NONCE_INVALID);
	});

	it("changes the password on the old one in plain text, to one of 8 to 128 characters", () => {
		const bed = new LoginBed();
		assert.equal(bed.login.changeWithPassword(HOME, PASSWORD, "1234567").outcome, LOGIN_BAD_PASSWORD);
		assert.equal(bed.login.changeWithPassword(HOME, PASSWORD, "x".repeat(129)).outcome, LOGIN_BAD_PASSWORD);
		assert.equal(bed.login.changeWithPassword(HOME, "wrong", "12345678").outcome, LOGIN_INVALID_PROOF);
		assert.ok(bed.account.isPassword(PASSWORD));
		assert.equal(bed.login.changeWithPassword(HOME, PASSWORD, "12345678").outcome, LOGIN_OK);
		assert.equal(bed.login.changeWithPassword(HOME, "12345678", "x".repeat(128)).outcome, LOGIN_OK);
		assert.equal(bed.try("x".repeat(128)).outcome, LOGIN_OK);
	});

	it("rejects the hash of the empty password and digests of another length, and leaves the nonce unused", () => {
		const bed = new LoginBed();
		const { nonce, salt } = bed.login.challenge();
		const attempt = { address: HOME, nonce, proof: proofOf(salt, PASSWORD, nonce) };
		for (const digest of [innerOf(salt, ""), new Uint8Array(0), new Uint8Array(31), new Uint8Array(33)])
			assert.equal(bed.login.changeWithProof(attempt, digest).outcome, LOGIN_BAD_PASSWORD);
		assert.equal(bed.login.changeWithProof(attempt, innerOf(salt, "new password")).outcome, LOGIN_OK);
	});

	it("keeps password and sessions if the change can't be stored", () => {
		const bed = new LoginBed();
		const { token } = bed.try(PASSWORD);
		bed.record.full = true;
		assert.throws(() => bed.login.changeWithPassword(HOME, PASSWORD, "new password"), /flash full/);
		assert.ok(bed.sessions.isValid(token));
		assert.equal(bed.try(PASSWORD).outcome, LOGIN_OK);
	});
});
