/**
 * Long-lived tokens: for programs that read the gateway for years (API text, Authentication 7; decision 17). They never
 * expire and outlive restarts and password changes; each is revoked by its id. Only SHA-256 of a token is kept, so the
 * flash logs nobody in. Kept is one record after another, oldest first, and behind the last one a byte for each, its
 * scope; tokens of before there were scopes lack it and are SCOPE_FULL:
 *
 *   offset  bytes  what
 *   0       4      Unix time of creation in seconds, high byte first; 0: the clock was not set
 *   4       32     SHA-256 of the token's text; its first 4 bytes are the token's id
 *   36      32     name, ASCII, filled up with zeros
 *
 * Limits: TOKEN_SLOTS tokens; names as long as TOKEN_NAME_LIMIT.
 */
import { holdsConstantTime } from "../bytes/equal.js";
import { encodeHex } from "../bytes/hex.js";
import type { Crypto } from "../io/crypto.js";
import type { Clock, TextCodec } from "../io/host.js";
import { TOKEN_LENGTH } from "./sessions.js";

/** Tokens at once. */
export const TOKEN_SLOTS = 3;
/** Characters of a name, printable ASCII. */
export const TOKEN_NAME_LIMIT = 32;

const DIGEST_OFFSET = 4;
const ID_LENGTH = 4;
const NAME_OFFSET = 36;
const RECORD_LENGTH = NAME_OFFSET + TOKEN_NAME_LIMIT;
const QUESTION_MARK = 0x3f;

/** What a token lets its holder do, each of them all of what stands before it; also what a route asks for. */
export const SCOPE_NONE = 0;
/** Readings, what they were read with, and the state of the device; nothing is changed and no setting is shown. */
export const SCOPE_READ = 1;
/** Everything: of each session, and of a token that was made without a scope. */
export const SCOPE_FULL = 2;

/** Where the tokens are kept; auth/settings.ts is one. */
export interface TokenRecord {
	/** As `save` was given them; empty when there are none yet. Not to be changed. */
	readonly bytes: Uint8Array;
	/** Writes all or nothing; throws when it can't. The bytes are the record's from then on. */
	save(bytes: Uint8Array): void;
}

export class Tokens {
	readonly #record: TokenRecord;
	readonly #crypto: Crypto;
	readonly #clock: Clock;
	readonly #text: TextCodec;

	constructor(record: TokenRecord, crypto: Crypto, clock: Clock, text: TextCodec) {
		this.#record = record;
		this.#crypto = crypto;
		this.#clock = clock;
		this.#text = text;
	}

	/** How many there are; they are listed as 0 to count - 1, oldest first. */
	get count(): number {
		return Math.floor(this.#record.bytes.length / RECORD_LENGTH);
	}

	/**
	 * Makes a token, the last listed then; returns its text, which is nowhere else from then on, or "" when all slots
	 * are in use. `name`: 1 to TOKEN_NAME_LIMIT characters of ASCII; `scope`: SCOPE_READ or SCOPE_FULL. Throws what the record throws; nothing is made then.
	 */
	create(name: string, scope = SCOPE_FULL): string {
		const { count } = this;
		if (count >= TOKEN_SLOTS) return "";
		const token = encodeHex(this.#crypto.random(TOKEN_LENGTH / 2));
		const offset = count * RECORD_LENGTH;
		const bytes = new Uint8Array((count + 1) * (RECORD_LENGTH + 1));
		bytes.set(this.#record.bytes.subarray(0, offset));
		for (let i = 0; i < count; i++) bytes[offset + RECORD_LENGTH + i] = this.scopeAt(i);
		bytes[bytes.length - 1] = scope;
		new DataView(bytes.buffer).setUint32(offset, Math.floor((this.#clock.utcMs() ?? 0) / 1000));
		bytes.set(this.#crypto.sha256(token), offset + DIGEST_OFFSET);
		bytes.set(this.#text.encode(name), offset + NAME_OFFSET);
		this.#record.save(bytes);
		return this.#text.decode(token);
	}

	/** SCOPE_NONE when the token is none of these. Takes the same time wherever a wrong one differs. */
	scopeOf(token: string): number {
		const { count } = this;
		if (count === 0 || token.length !== TOKEN_LENGTH) return SCOPE_NONE;
		const digest = this.#crypto.sha256(this.#text.encode(token));
		let scope = SCOPE_NONE;
		for (let i = 0; i < count; i++) {
			if (holdsConstantTime(this.#record.bytes, i * RECORD_LENGTH + DIGEST_OFFSET, digest)) scope = this.scopeAt(i);
		}
		return scope;
	}

	/** Revokes the token with this id; false when there is none. Throws what the record throws; it stays then. */
	revokeId(id: string): boolean {
		const { count } = this;
		for (let i = 0; i < count; i++) {
			if (this.idAt(i) !== id) continue;
			const left = count - 1;
			const bytes = new Uint8Array(left * (RECORD_LENGTH + 1));
			bytes.set(this.#record.bytes.subarray(0, i * RECORD_LENGTH));
			bytes.set(this.#record.bytes.subarray((i + 1) * RECORD_LENGTH, count * RECORD_LENGTH), i * RECORD_LENGTH);
			for (let j = 0; j < left; j++) bytes[left * RECORD_LENGTH + j] = this.scopeAt(j < i ? j : j + 1);
			this.#record.save(bytes);
			return true;
		}
		return false;
	}

	/** Id of a listed token, lower-case hex; tells nothing about the token. */
	idAt(index: number): string {
		const start = index * RECORD_LENGTH + DIGEST_OFFSET;
		return this.#text.decode(encodeHex(this.#record.bytes.slice(start, start + ID_LENGTH)));
	}

	/** A byte that is in no name, of a record that is damaged, is shown as `?`; so is no name at all. */
	nameAt(index: number): string {
		const start = index * RECORD_LENGTH + NAME_OFFSET;
		const name = this.#record.bytes.slice(start, start + TOKEN_NAME_LIMIT);
		let length = 0;
		for (; length < name.length && (length === 0 || name[length] !== 0); length++)
			if (name[length] < 0x20 || name[length] > 0x7e) name[length] = QUESTION_MARK;
		return this.#text.decode(name, 0, length);
	}

	/** SCOPE_READ or SCOPE_FULL. A byte that is neither, of a record that is damaged, gives the smaller one. */
	scopeAt(index: number): number {
		const { bytes } = this.#record;
		const { count } = this;
		if (bytes.length === count * RECORD_LENGTH) return SCOPE_FULL;
		return bytes[count * RECORD_LENGTH + index] === SCOPE_FULL ? SCOPE_FULL : SCOPE_READ;
	}

	/** Unix time of creation in seconds; 0 when the clock was not set. */
	createdAt(index: number): number {
		const { buffer, byteOffset } = this.#record.bytes;
		return new DataView(buffer, byteOffset).getUint32(index * RECORD_LENGTH);
	}
}
