/**
 * The account (user `admin`). It stores a salt and `inner = SHA256(salt ‖ password)`. Clients prove the password with
 * `SHA256(inner ‖ nonce)` (API text, Authentication 3).
 */
import { equalConstantTime } from "../bytes/equal.js";
import { encodeHex } from "../bytes/hex.js";
import type { Crypto } from "../io/crypto.js";
import type { TextCodec } from "../io/host.js";

export const USERNAME = "admin";
export const DIGEST_LENGTH = 32;
const SALT_LENGTH = 16;

export interface AccountRecord {
	/** Salt in hex; empty if there is no account yet. */
	readonly salt: string;
	/** `inner`, DIGEST_LENGTH bytes; empty if there is no account yet. */
	readonly digest: Uint8Array;
	readonly isDefault: boolean;
	/** Writes salt, digest and flag atomically. Takes ownership of `digest`. Throws on failure. */
	save(salt: string, digest: Uint8Array, isDefault: boolean): void;
}

export class Account {
	readonly #record: AccountRecord;
	readonly #crypto: Crypto;
	readonly #text: TextCodec;

	constructor(record: AccountRecord, labelPassword: string, crypto: Crypto, text: TextCodec) {
		this.#record = record;
		this.#crypto = crypto;
		this.#text = text;
		if (record.salt === "" || record.digest.length !== DIGEST_LENGTH) {
			const salt = text.decode(encodeHex(crypto.random(SALT_LENGTH)));
			record.save(salt, this.innerDigest(salt, labelPassword), true);
		}
	}

	get salt(): string {
		return this.#record.salt;
	}

	get isDefault(): boolean {
		return this.#record.isDefault;
	}

	/** Returns whether `proof` is SHA256(inner ‖ nonce). The time depends on the length of `proof` only. */
	isProof(proof: Uint8Array, nonce: Uint8Array): boolean {
		return equalConstantTime(this.#crypto.sha256(this.#record.digest, nonce), proof);
	}

	/** Returns whether the password is right. The time depends on the length of the password only. */
	isPassword(password: string): boolean {
		return equalConstantTime(this.#record.digest, this.digestOf(password));
	}

	digestOf(password: string): Uint8Array {
		return this.innerDigest(this.#record.salt, password);
	}

	change(digest: Uint8Array): void {
		this.#record.save(this.#record.salt, digest, false);
	}

	private innerDigest(salt: string, password: string): Uint8Array {
		return this.#crypto.sha256(this.#text.encode(salt), this.#text.encode(password));
	}
}
