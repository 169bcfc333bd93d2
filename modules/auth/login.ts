/**
 * Login and change of the password. A client sends a proof (the challenge form), or the password as plain text (the
 * form of firmware 1.0.x). The checks run in this order:
 * 1. The rate limiter: while it blocks an address, nothing else is checked, and the nonce remains valid.
 * 2. The nonce (challenge form only). From here on it is used up, even if a later check fails.
 * 3. User, and proof or password. For an unknown user the same computation is done as for a wrong proof.
 *
 * Only a failure in step 3 counts in the rate limiter, because a refused nonce reveals nothing about the password.
 */
import { equalConstantTime } from "../bytes/equal.js";
import { decodeHex } from "../bytes/hex.js";
import type { Crypto } from "../io/crypto.js";
import type { Clock, TextCodec } from "../io/host.js";
import { type Account, DIGEST_LENGTH, USERNAME } from "./account.js";
import { Nonces } from "./nonce.js";
import { LoginRateLimiter } from "./rate-limiter.js";
import type { Sessions } from "./sessions.js";

export const LOGIN_OK = 0;
export const LOGIN_INVALID_PROOF = 1;
/** The nonce was not issued by this gateway since its start, or it has expired, or it was used before. */
export const LOGIN_NONCE_INVALID = 2;
/** The client must wait for `retryAfterS`; the nonce remains valid. */
export const LOGIN_BLOCKED = 3;
/** The new password is empty, too short or too long; the nonce remains valid. */
export const LOGIN_BAD_PASSWORD = 4;

/** Minimum number of characters of a new password. In the challenge form only the client can check this. */
export const PASSWORD_MINIMUM = 8;
export const PASSWORD_LIMIT = 128;

export interface LoginResult {
	readonly outcome: number;
	/** Session token after success; otherwise empty. */
	readonly token: string;
	/** Seconds to wait (a whole number, at least 1) if the attempt is blocked; otherwise 0. */
	readonly retryAfterS: number;
}

export interface Challenge {
	readonly nonce: string;
	readonly salt: string;
}

export interface ProofAttempt {
	readonly address: string;
	readonly nonce: string;
	readonly proof: string;
}

export interface LoginOptions {
	readonly account: Account;
	readonly sessions: Sessions;
	readonly crypto: Crypto;
	readonly clock: Clock;
	readonly text: TextCodec;
}

export class Login {
	readonly #account: Account;
	readonly #sessions: Sessions;
	readonly #text: TextCodec;
	readonly #nonces: Nonces;
	readonly #limiter: LoginRateLimiter;

	constructor(options: LoginOptions) {
		this.#account = options.account;
		this.#sessions = options.sessions;
		this.#text = options.text;
		this.#nonces = new Nonces(options.crypto, options.clock);
		this.#limiter = new LoginRateLimiter(options.clock, options.crypto, options.text);
	}

	get passwordIsDefault(): boolean {
		return this.#account.isDefault;
	}

	challenge(): Challenge {
		return { nonce: this.#text.decode(this.#nonces.issue()), salt: this.#account.salt };
	}

	loginWithProof(attempt: ProofAttempt & { readonly username: string }): LoginResult {
		return this.login(attempt.address, this.checkProof(attempt, attempt.username));
	}

	loginWithPassword(address: string, username: string, password: string): LoginResult {
		return this.login(address, this.checkPassword(address, username, password));
	}

	/** Changes the password. `newDigest` is the inner digest of the new one. Success ends all sessions. */
	changeWithProof(attempt: ProofAttempt, newDigest: Uint8Array): LoginResult {
		const isEmpty = equalConstantTime(this.#account.digestOf(""), newDigest);
		if (newDigest.length !== DIGEST_LENGTH || isEmpty) return outcomeOf(LOGIN_BAD_PASSWORD);
		return this.change(this.checkProof(attempt, USERNAME), newDigest);
	}

	changeWithPassword(address: string, oldPassword: string, newPassword: string): LoginResult {
		if (newPassword.length < PASSWORD_MINIMUM || newPassword.length > PASSWORD_LIMIT)
			return outcomeOf(LOGIN_BAD_PASSWORD);
		return this.change(this.checkPassword(address, USERNAME, oldPassword), this.#account.digestOf(newPassword));
	}

	private login(address: string, checked: LoginResult): LoginResult {
		if (checked.outcome !== LOGIN_OK) return checked;
		return { outcome: LOGIN_OK, token: this.#sessions.create(address), retryAfterS: 0 };
	}

	private change(checked: LoginResult, newDigest: Uint8Array): LoginResult {
		if (checked.outcome !== LOGIN_OK) return checked;
		this.#account.change(newDigest);
		this.#sessions.revokeAll();
		return checked;
	}

	private checkProof(attempt: ProofAttempt, username: string): LoginResult {
		const waitS = this.#limiter.retryAfterS(attempt.address);
		if (waitS > 0) return blocked(waitS);
		const nonce = this.#text.encode(attempt.nonce);
		if (!this.#nonces.take(nonce)) return outcomeOf(LOGIN_NONCE_INVALID);
		const hex = this.#text.encode(attempt.proof);
		// If the text is not hex, the proof becomes empty, which never matches.
		const proof = decodeHex(hex, 0, hex.length) ?? new Uint8Array(0);
		const proven = this.#account.isProof(proof, nonce);
		return this.settle(attempt.address, proven && username === USERNAME);
	}

	private checkPassword(address: string, username: string, password: string): LoginResult {
		const waitS = this.#limiter.retryAfterS(address);
		if (waitS > 0) return blocked(waitS);
		const proven = password.length <= PASSWORD_LIMIT && this.#account.isPassword(password);
		return this.settle(address, proven && username === USERNAME);
	}

	private settle(address: string, proven: boolean): LoginResult {
		if (!proven) {
			this.#limiter.failed(address);
			return outcomeOf(LOGIN_INVALID_PROOF);
		}
		this.#limiter.succeeded(address);
		return outcomeOf(LOGIN_OK);
	}
}

function outcomeOf(outcome: number): LoginResult {
	return { outcome, token: "", retryAfterS: 0 };
}

function blocked(retryAfterS: number): LoginResult {
	return { outcome: LOGIN_BLOCKED, token: "", retryAfterS };
}
