/**
 * The one account (decisions in the README: user `admin`). Kept are a salt and `inner = SHA256(salt ‖ password)`, never
 * the password; a client proves that it knows the password with `SHA256(inner ‖ nonce)` (API text, Authentication 3).
 * Until it is changed the password is the one printed on the device's label.
 */
import { equalConstantTime } from "../bytes/equal.js";
import { encodeHex } from "../bytes/hex.js";
import type { Crypto } from "../io/crypto.js";
import type { TextCodec } from "../io/host.js";

export const USERNAME = "admin";
/** Bytes of an inner digest, of a proof, and of any SHA-256. */
export const DIGEST_LENGTH = 32;
/** Random bytes of a salt; its text is hex. */
const SALT_LENGTH = 16;

/** Where the account is kept; auth/settings.ts is one. */
export interface AccountRecord {
	/** Hex text; empty when there is no account yet. */
	readonly salt: string;
	/** The inner digest, DIGEST_LENGTH bytes; empty when there is no account yet. */
	readonly digest: Uint8Array;
	/** Whether the password is still the one on the label. */
	readonly isDefault: boolean;
	/** Writes all three or none; throws when it can't. The digest is the record's from then on. */
	save(salt: string, digest: Uint8Array, isDefault: boolean): void;
}

export class Account {
	readonly #record: AccountRecord;
	readonly #crypto: Crypto;
	readonly #text: TextCodec;

	/** Takes the account from `record`; makes it with the label's password when there is none. */
	constructor(record: AccountRecord, labelPassword: string, crypto: Crypto, text: TextCodec) {
		this.#record = record;
		this.#crypto = crypto;
		this.#text = text;
		if (record.salt === "" || record.digest.length !== DIGEST_LENGTH) {
			const salt = text.decode(encodeHex(crypto.random(SALT_LENGTH)));
			record.save(salt, this.innerDigest(salt, labelPassword), true);
		}
	}

	/** For the client; no secret. */
	get salt(): string {
		return this.#record.salt;
	}

	get isDefault(): boolean {
		return this.#record.isDefault;
	}

	/** Whether `proof` is SHA256(inner ‖ nonce). Takes the same time for every proof of the right length. */
	isProof(proof: Uint8Array, nonce: Uint8Array): boolean {
		return equalConstantTime(this.#crypto.sha256(this.#record.digest, nonce), proof);
	}

	/** Whether this is the password. Takes the same time for every password of the same length. */
	isPassword(password: string): boolean {
		return equalConstantTime(this.#record.digest, this.digestOf(password));
	}

	/** The inner digest of a password under the account's salt. */
	digestOf(password: string): Uint8Array {
		return this.innerDigest(this.#record.salt, password);
	}

	/** Changes the password to the one with this inner digest; the salt stays. */
	change(digest: Uint8Array): void {
		this.#record.save(this.#record.salt, digest, false);
	}

	private innerDigest(salt: string, password: string): Uint8Array {
		return this.#crypto.sha256(this.#text.encode(salt), this.#text.encode(password));
	}
}
