/**
 * Logging in and changing the password, in the challenge form and in the plaintext form of firmware 1.0.x (whether that
 * one is allowed on a connection is the API's to say). One order of checks for all of them:
 *  1. the limiter: while an address is blocked nothing is looked at, so its nonce stays good for later;
 *  2. the nonce, which is used up from here on, whatever comes after;
 *  3. user and proof, with the same work for an unknown user as for a wrong proof.
 * Failures of step 3 count in the limiter; a bad nonce tells nothing about the password and doesn't.
 *
 * Everything given here comes from strangers: any text is fine. Limits: PASSWORD_LIMIT characters of a password; the
 * routes' body limit bounds the rest.
 */
import { equalConstantTime } from "../bytes/equal.js";
import { decodeHex } from "../bytes/hex.js";
import type { Crypto } from "../io/crypto.js";
import type { Clock, TextCodec } from "../io/host.js";
import { type Account, DIGEST_LENGTH, USERNAME } from "./account.js";
import { Nonces } from "./nonce.js";
import { LoginRateLimiter } from "./rate-limiter.js";
import type { Sessions } from "./sessions.js";

/** It is done; after a login `token` is the new session's. */
export const LOGIN_OK = 0;
/** Wrong user, wrong proof or wrong password. */
export const LOGIN_INVALID_PROOF = 1;
/** The nonce is not ours, expired or was used. */
export const LOGIN_NONCE_INVALID = 2;
/** Too many attempts: try again after `retryAfterS`. Nothing was used up. */
export const LOGIN_BLOCKED = 3;
/** The new password is too short, too long or empty. Nothing was used up. */
export const LOGIN_BAD_PASSWORD = 4;

/** Shortest new password, characters; in the challenge form only the client can see that. */
export const PASSWORD_MINIMUM = 8;
/** Longest password, characters. */
export const PASSWORD_LIMIT = 128;

export interface LoginResult {
	/** LOGIN_… */
	readonly outcome: number;
	/** Empty unless a login succeeded. */
	readonly token: string;
	/** Whole seconds, at least 1, when blocked; else 0. */
	readonly retryAfterS: number;
}

export interface Challenge {
	readonly nonce: string;
	readonly salt: string;
}

/** What the challenge form sends: `address` is where it came from, nonce and proof are text as received. */
export interface ProofAttempt {
	readonly address: string;
	readonly nonce: string;
	/** Hex. */
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

	/** The password is still the one on the label. */
	get passwordIsDefault(): boolean {
		return this.#account.isDefault;
	}

	/** A nonce, good for NONCE_LIFETIME_MS, and the salt. */
	challenge(): Challenge {
		return { nonce: this.#text.decode(this.#nonces.issue()), salt: this.#account.salt };
	}

	loginWithProof(attempt: ProofAttempt & { readonly username: string }): LoginResult {
		return this.login(attempt.address, this.checkProof(attempt, attempt.username));
	}

	loginWithPassword(address: string, username: string, password: string): LoginResult {
		return this.login(address, this.checkPassword(address, username, password));
	}

	/** `newDigest`: SHA-256 of salt and new password. A change ends all sessions. */
	changeWithProof(attempt: ProofAttempt, newDigest: Uint8Array): LoginResult {
		const isEmpty = equalConstantTime(this.#account.digestOf(""), newDigest);
		if (newDigest.length !== DIGEST_LENGTH || isEmpty) return outcomeOf(LOGIN_BAD_PASSWORD);
		return this.change(this.checkProof(attempt, USERNAME), newDigest);
	}

	/** A change ends all sessions. */
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
		// What is no hex is compared too, as no bytes at all: equal to nothing.
		const proof = decodeHex(hex, 0, hex.length) ?? new Uint8Array(0);
		const proven = this.#account.isProof(proof, nonce);
		return this.judge(attempt.address, proven && username === USERNAME);
	}

	private checkPassword(address: string, username: string, password: string): LoginResult {
		const waitS = this.#limiter.retryAfterS(address);
		if (waitS > 0) return blocked(waitS);
		const proven = password.length <= PASSWORD_LIMIT && this.#account.isPassword(password);
		return this.judge(address, proven && username === USERNAME);
	}

	private judge(address: string, proven: boolean): LoginResult {
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
