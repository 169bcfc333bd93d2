/** For tests of the login: a clock set by hand, real hashes from Node, and an account's record in memory. */
import { createHash } from "node:crypto";
import { NodeCrypto as HostCrypto } from "../../hosts/node/platform.js";
import type { AccountRecord } from "../../modules/auth/account.js";
import type { Clock } from "../../modules/io/host.js";

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
export class NodeCrypto extends HostCrypto {
	hashes = 0;
	hashed = 0;

	override sha256(...parts: Uint8Array[]): Uint8Array {
		for (const part of parts) this.hashed += part.length;
		this.hashes++;
		return super.sha256(...parts);
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

/** The client's side of API text, Authentication 3, by its words and with Node alone. */
export function innerOf(salt: string, password: string): Buffer {
	return createHash("sha256").update(`${salt}${password}`, "utf8").digest();
}

export function proofOf(salt: string, password: string, nonce: string): string {
	return createHash("sha256").update(innerOf(salt, password)).update(nonce, "utf8").digest("hex");
}
