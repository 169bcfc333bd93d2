/**
 * Long-lived tokens for programs (API text, Authentication 7). They never expire and survive password changes. Only
 * their SHA-256 is stored, so the contents of flash permit no login. The records are followed by one scope byte for
 * each token, oldest first. Older firmware wrote none; missing scope bytes mean SCOPE_FULL.
 *
 *   offset  bytes  content
 *   0       4      Unix time of creation in seconds, big-endian; 0: the clock was not set
 *   4       32     SHA-256 of the token's text; its first 4 bytes are the token's id
 *   36      32     name, ASCII, padded with zeros
 *
 * Limits: TOKEN_SLOTS tokens; names of TOKEN_NAME_LIMIT characters.
 */
import { holdsConstantTime } from "../bytes/equal.js";
import { encodeHex } from "../bytes/hex.js";
import type { Crypto } from "../io/crypto.js";
import type { Clock, TextCodec } from "../io/host.js";
import { TOKEN_LENGTH } from "./sessions.js";

export const TOKEN_SLOTS = 3;
/** Maximum characters of a name, printable ASCII. */
export const TOKEN_NAME_LIMIT = 32;

const DIGEST_OFFSET = 4;
const ID_LENGTH = 4;
const NAME_OFFSET = 36;
const RECORD_LENGTH = NAME_OFFSET + TOKEN_NAME_LIMIT;
const QUESTION_MARK = 0x3f;

export const SCOPE_NONE = 0;
/** Readings, meter data and the device state, but no settings and no changes. */
export const SCOPE_READ = 1;
/** Everything; scope of sessions, and default of tokens. */
export const SCOPE_FULL = 2;

export interface TokenRecord {
	/** Bytes of the last `save`, or empty; not to be modified. */
	readonly bytes: Uint8Array;
	/** Writes atomically; takes ownership of `bytes`. Throws on failure. */
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

	get count(): number {
		return Math.floor(this.#record.bytes.length / RECORD_LENGTH);
	}

	/**
	 * Returns the new token's text, which is not stored; "" if all slots are used. `name`: 1 to TOKEN_NAME_LIMIT ASCII
	 * characters; `scope`: SCOPE_READ or SCOPE_FULL. Throws what the record throws; then no token is created.
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

	/** Takes constant time for a given length. */
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

	idOf(token: string): string {
		const digest = this.#crypto.sha256(this.#text.encode(token));
		return this.#text.decode(encodeHex(digest.slice(0, ID_LENGTH)));
	}

	/** Throws what the record throws; then the token remains. */
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

	/** Returns the token's id in lower-case hex. */
	idAt(index: number): string {
		const start = index * RECORD_LENGTH + DIGEST_OFFSET;
		return this.#text.decode(encodeHex(this.#record.bytes.slice(start, start + ID_LENGTH)));
	}

	/** Returns the name; in a damaged record, invalid bytes and an empty name become `?`. */
	nameAt(index: number): string {
		const start = index * RECORD_LENGTH + NAME_OFFSET;
		const name = this.#record.bytes.slice(start, start + TOKEN_NAME_LIMIT);
		let length = 0;
		for (; length < name.length && (length === 0 || name[length] !== 0); length++)
			if (name[length] < 0x20 || name[length] > 0x7e) name[length] = QUESTION_MARK;
		return this.#text.decode(name, 0, length);
	}

	/** Returns the scope; SCOPE_READ for an invalid byte. */
	scopeAt(index: number): number {
		const { bytes } = this.#record;
		const { count } = this;
		if (bytes.length === count * RECORD_LENGTH) return SCOPE_FULL;
		return bytes[count * RECORD_LENGTH + index] === SCOPE_FULL ? SCOPE_FULL : SCOPE_READ;
	}

	/** Returns the time of creation, Unix s; 0 if the clock was not set. */
	createdAt(index: number): number {
		const { buffer, byteOffset } = this.#record.bytes;
		return new DataView(buffer, byteOffset).getUint32(index * RECORD_LENGTH);
	}
}
