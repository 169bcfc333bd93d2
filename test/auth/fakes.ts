/** For tests of the login: a clock set by hand, real hashes from Node, and an account's record in memory. */
import { createHash, createHmac, randomBytes } from "node:crypto";
import type { AccountRecord } from "../../modules/auth/account.js";
import type { Clock, Crypto } from "../../modules/io/host.js";

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

/** Counts what it is asked for, so that a test can compare the work. */
export class NodeCrypto implements Crypto {
	hashes = 0;
	hashed = 0;

	random(length: number): Uint8Array {
		return new Uint8Array(randomBytes(length));
	}

	sha256(...parts: Uint8Array[]): Uint8Array {
		const hash = createHash("sha256");
		for (const part of parts) {
			hash.update(part);
			this.hashed += part.length;
		}
		this.hashes++;
		return new Uint8Array(hash.digest());
	}

	hmacSHA256(key: Uint8Array, ...parts: Uint8Array[]): Uint8Array {
		const hmac = createHmac("sha256", key);
		for (const part of parts) hmac.update(part);
		this.hashes++;
		return new Uint8Array(hmac.digest());
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

/** The client's side of API text, Authentication 3, by its words and with Node alone. */
export function innerOf(salt: string, password: string): Buffer {
	return createHash("sha256").update(`${salt}${password}`, "utf8").digest();
}

export function proofOf(salt: string, password: string, nonce: string): string {
	return createHash("sha256").update(innerOf(salt, password)).update(nonce, "utf8").digest("hex");
}
