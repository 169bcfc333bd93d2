/**
 * Session tokens (API text, Authentication 1 and 6). Only the SHA-256 of a token is in memory, so an attacker who can
 * read the memory can't log in. Sessions end with a restart.
 *
 *   offset  bytes  content
 *   0       8      time of the login, monotonic ms, IEEE 754 binary64, big-endian
 *   8       32     SHA-256 of the token's text
 *
 * Records are in order of age, oldest first. Limits: a session ends SESSION_LIFETIME_MS after the login. If there are
 * already SESSION_LIMIT sessions, a new login ends the oldest one.
 */

import { holdsConstantTime } from "../bytes/equal.js";
import { encodeHex, putHex } from "../bytes/hex.js";
import { removeAt } from "../bytes/list.js";
import type { Crypto } from "../io/crypto.js";
import type { Clock, TextCodec } from "../io/host.js";

export const SESSION_LIMIT = 6;
export const SESSION_LIFETIME_MS = 1_800_000;
export const TOKEN_LENGTH = 64;
export const SESSION_ID_LENGTH = 8;

const DIGEST_OFFSET = 8;
const DIGEST_LENGTH = 32;
const RECORD_LENGTH = DIGEST_OFFSET + DIGEST_LENGTH;

export class Sessions {
	readonly #crypto: Crypto;
	readonly #clock: Clock;
	readonly #text: TextCodec;
	readonly #table = new Uint8Array(SESSION_LIMIT * RECORD_LENGTH);
	readonly #view = new DataView(this.#table.buffer);
	readonly #addresses: string[] = [];
	#count = 0;

	constructor(crypto: Crypto, clock: Clock, text: TextCodec) {
		this.#crypto = crypto;
		this.#clock = clock;
		this.#text = text;
	}

	create(address = ""): string {
		this.dropExpired();
		if (this.#count === SESSION_LIMIT) this.drop(0);
		const token = encodeHex(this.#crypto.random(TOKEN_LENGTH / 2));
		const offset = this.#count++ * RECORD_LENGTH;
		this.#view.setFloat64(offset, this.#clock.monotonicMs());
		this.#table.set(this.#crypto.sha256(token), offset + DIGEST_OFFSET);
		this.#addresses.push(address);
		return this.#text.decode(token);
	}

	isValid(token: string): boolean {
		return this.positionOf(token) >= 0;
	}

	revoke(token: string): boolean {
		const index = this.positionOf(token);
		if (index >= 0) this.drop(index);
		return index >= 0;
	}

	revokeId(id: string): boolean {
		this.dropExpired();
		for (let i = 0; i < this.#count; i++) {
			if (this.idAt(i) !== id) continue;
			this.drop(i);
			return true;
		}
		return false;
	}

	revokeAll(): void {
		this.#count = this.#addresses.length = 0;
	}

	/** Number of open sessions. The index of the oldest is 0. Indices are valid until another method is called. */
	get count(): number {
		this.dropExpired();
		return this.#count;
	}

	/** Returns the id of a session: the start of its digest in hex, which does not reveal the token. */
	idAt(index: number): string {
		const id = new Uint8Array(SESSION_ID_LENGTH);
		const digest = index * RECORD_LENGTH + DIGEST_OFFSET;
		for (let i = 0; i < SESSION_ID_LENGTH / 2; i++) putHex(id, i * 2, this.#table[digest + i]);
		return this.#text.decode(id);
	}

	ageMsAt(index: number): number {
		return this.#clock.monotonicMs() - this.#view.getFloat64(index * RECORD_LENGTH);
	}

	/** Returns the time of the login, Unix s; 0 while the clock is not set. */
	createdAt(index: number): number {
		const utcMs = this.#clock.utcMs();
		return utcMs === undefined ? 0 : Math.max(0, Math.floor((utcMs - this.ageMsAt(index)) / 1000));
	}

	addressAt(index: number): string {
		return this.#addresses[index];
	}

	/** Returns the index of the session with this token, or -1. The time does not depend on which bytes match. */
	positionOf(token: string): number {
		if (token.length !== TOKEN_LENGTH) return -1;
		this.dropExpired();
		const digest = this.#crypto.sha256(this.#text.encode(token));
		let found = -1;
		for (let i = 0; i < this.#count; i++) {
			if (holdsConstantTime(this.#table, i * RECORD_LENGTH + DIGEST_OFFSET, digest)) found = i;
		}
		return found;
	}

	private dropExpired(): void {
		while (this.#count > 0 && this.ageMsAt(0) >= SESSION_LIFETIME_MS) this.drop(0);
	}

	private drop(index: number): void {
		this.#table.copyWithin(index * RECORD_LENGTH, (index + 1) * RECORD_LENGTH, this.#count * RECORD_LENGTH);
		removeAt(this.#addresses, index);
		this.#count--;
	}
}
