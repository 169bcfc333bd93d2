/**
 * Long-lived tokens for programs (API text, Authentication 7). They never expire and survive password changes. Only the
 * SHA-256 of a token is stored, so an attacker who can read the flash can't log in. The records below, oldest first,
 * are followed by one scope byte for each token. Older firmware wrote no scope bytes; its tokens have SCOPE_FULL.
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
import { putUint32BE, uint32BE } from "../bytes/integers.js";
import type { Crypto } from "../io/crypto.js";
import type { Clock, TextCodec } from "../io/host.js";
import { SCOPE_FULL, SCOPE_NONE, SCOPE_READ } from "./scope.js";
import { TOKEN_LENGTH } from "./sessions.js";

export const TOKEN_SLOTS = 3;
/** Maximum number of characters of a name, which are printable ASCII. */
export const TOKEN_NAME_LIMIT = 32;

const DIGEST_OFFSET = 4;
const ID_LENGTH = 4;
const NAME_OFFSET = 36;
const RECORD_LENGTH = NAME_OFFSET + TOKEN_NAME_LIMIT;
const QUESTION_MARK = 0x3f;

export interface TokenRecord {
	/** Bytes of the last `save`, or empty. The reader must not modify them. */
	readonly bytes: Uint8Array;
	/** Writes the bytes atomically and takes ownership of them. Throws on failure. */
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
	 * Creates a token and returns its text, which is not stored; "" if there are TOKEN_SLOTS tokens already. `name` has
	 * 1 to TOKEN_NAME_LIMIT ASCII characters; `scope` is SCOPE_READ or SCOPE_FULL. If the record throws, rethrows its
	 * error and creates no token.
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
		putUint32BE(bytes, offset, Math.floor((this.#clock.utcMs() ?? 0) / 1000));
		bytes.set(this.#crypto.sha256(token), offset + DIGEST_OFFSET);
		bytes.set(this.#text.encode(name), offset + NAME_OFFSET);
		this.#record.save(bytes);
		return this.#text.decode(token);
	}

	/** Returns the scope of the token, or SCOPE_NONE. The time does not depend on which bytes match. */
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

	/**
	 * Revokes the token with this id. Returns false if there is none. If the record throws, rethrows its error, and the
	 * token remains.
	 */
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

	/** Returns the name of a token. In a damaged record, each invalid byte becomes `?`, and so does an empty name. */
	nameAt(index: number): string {
		const start = index * RECORD_LENGTH + NAME_OFFSET;
		const name = this.#record.bytes.slice(start, start + TOKEN_NAME_LIMIT);
		let length = 0;
		for (; length < name.length && (length === 0 || name[length] !== 0); length++)
			if (name[length] < 0x20 || name[length] > 0x7e) name[length] = QUESTION_MARK;
		return this.#text.decode(name, 0, length);
	}

	/** Returns the scope of a token. An invalid scope byte means SCOPE_READ. */
	scopeAt(index: number): number {
		const { bytes } = this.#record;
		const { count } = this;
		if (bytes.length === count * RECORD_LENGTH) return SCOPE_FULL;
		return bytes[count * RECORD_LENGTH + index] === SCOPE_FULL ? SCOPE_FULL : SCOPE_READ;
	}

	/** Returns the time of creation, Unix s; 0 if the clock was not set. */
	createdAt(index: number): number {
		return uint32BE(this.#record.bytes, index * RECORD_LENGTH);
	}
}
