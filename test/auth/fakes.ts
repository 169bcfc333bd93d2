/** Fakes for tests of the login: a clock set by hand, Node's hashes, and an account record in memory. */
import { createHash } from "node:crypto";
import { NodeCrypto as HostCrypto } from "../../hosts/node/platform.js";
import { Account, type AccountRecord, DIGEST_LENGTH } from "../../modules/auth/account.js";
import { Login, type LoginResult } from "../../modules/auth/login.js";
import { Sessions } from "../../modules/auth/sessions.js";
import type { Clock } from "../../modules/io/host.js";
import { textCodec } from "../config/memory-storage.js";

export class HandClock implements Clock {
	ms = 5000;
	utc: number | undefined;

	monotonicMs(): number {
		return this.ms;
	}

	utcMs(): number | undefined {
		return this.utc;
	}

	setUTC(utcMs: number): void {
		this.utc = utcMs;
	}
}

/** Node's cryptography, which counts hashes and hashed bytes to compare the work. */
export class NodeCrypto extends HostCrypto {
	hashes = 0;
	hashed = 0;
	readonly #seed: number | undefined;
	#drawn = 0;

	/** With a seed the random numbers are reproducible. */
	constructor(seed?: number) {
		super();
		this.#seed = seed;
	}

	override sha256(...parts: Uint8Array[]): Uint8Array {
		for (const part of parts) this.hashed += part.length;
		this.hashes++;
		return super.sha256(...parts);
	}

	override random(length: number): Uint8Array {
		if (this.#seed === undefined) return super.random(length);
		const bytes = Buffer.alloc(length);
		for (let at = 0; at < length; at += DIGEST_LENGTH) {
			createHash("sha256")
				.update(`${this.#seed} ${this.#drawn++}`)
				.digest()
				.copy(bytes, at);
		}
		return bytes;
	}

	override hmacSHA256(key: Uint8Array, ...parts: Uint8Array[]): Uint8Array {
		this.hashes++;
		return super.hmacSHA256(key, ...parts);
	}
}

export class MemoryRecord implements AccountRecord {
	salt = "";
	digest: Uint8Array = new Uint8Array(0);
	isDefault = true;
	saves = 0;
	full = false;

	save(salt: string, digest: Uint8Array, isDefault: boolean): void {
		if (this.full) throw new Error("flash full");
		this.salt = salt;
		this.digest = digest;
		this.isDefault = isDefault;
		this.saves++;
	}
}

/** The client's inner digest by section 3 of the API text on authentication, computed with Node alone. */
export function innerOf(salt: string, password: string): Buffer {
	return createHash("sha256").update(`${salt}${password}`, "utf8").digest();
}

export function proofOf(salt: string, password: string, nonce: string): string {
	return createHash("sha256").update(innerOf(salt, password)).update(nonce, "utf8").digest("hex");
}

export const PASSWORD = "K7mPq2RtXw9z";
/** The owner's address. */
export const HOME = "192.168.1.20";

export class LoginBed {
	readonly clock = new HandClock();
	readonly crypto: NodeCrypto;
	readonly record = new MemoryRecord();
	readonly sessions: Sessions;
	readonly account: Account;
	readonly login: Login;

	constructor(seed?: number) {
		const { clock, record } = this;
		const crypto = new NodeCrypto(seed);
		this.crypto = crypto;
		this.sessions = new Sessions(crypto, clock, textCodec);
		this.account = new Account(record, PASSWORD, crypto, textCodec);
		this.login = new Login({ account: this.account, sessions: this.sessions, crypto, clock, text: textCodec });
	}

	/** Logs in with a new challenge. */
	try(password: string, username = "admin", address = HOME): LoginResult {
		const { nonce, salt } = this.login.challenge();
		return this.login.loginWithProof({ address, username, nonce, proof: proofOf(salt, password, nonce) });
	}
}
