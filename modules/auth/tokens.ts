/**
 * Long-lived tokens: for programs that read the gateway for years (API text, Authentication 7; decision 17). They never
 * expire and outlive restarts and password changes; each is revoked by its id. Only SHA-256 of a token is kept, so the
 * flash logs nobody in. Kept is one record after another, oldest first:
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
import type { Clock, Crypto, TextCodec } from "../io/host.js";
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

/** Where the tokens are kept; config/access.ts is one. */
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
	 * are in use. `name`: 1 to TOKEN_NAME_LIMIT characters of ASCII. Throws what the record throws; nothing is made then.
	 */
	create(name: string): string {
		const { count } = this;
		if (count >= TOKEN_SLOTS) return "";
		const token = encodeHex(this.#crypto.random(TOKEN_LENGTH / 2));
		const offset = count * RECORD_LENGTH;
		const bytes = new Uint8Array(offset + RECORD_LENGTH);
		bytes.set(this.#record.bytes.subarray(0, offset));
		new DataView(bytes.buffer).setUint32(offset, Math.floor((this.#clock.utcMs() ?? 0) / 1000));
		bytes.set(this.#crypto.sha256(token), offset + DIGEST_OFFSET);
		bytes.set(this.#text.encode(name), offset + NAME_OFFSET);
		this.#record.save(bytes);
		return this.#text.decode(token);
	}

	/** Whether the token is one of these. Takes the same time wherever a wrong one differs. */
	isValid(token: string): boolean {
		const { count } = this;
		if (count === 0 || token.length !== TOKEN_LENGTH) return false;
		const digest = this.#crypto.sha256(this.#text.encode(token));
		let valid = false;
		for (let i = 0; i < count; i++) {
			if (holdsConstantTime(this.#record.bytes, i * RECORD_LENGTH + DIGEST_OFFSET, digest)) valid = true;
		}
		return valid;
	}

	/** Revokes the token with this id; false when there is none. Throws what the record throws; it stays then. */
	revokeId(id: string): boolean {
		for (let i = 0; i < this.count; i++) {
			if (this.idAt(i) !== id) continue;
			const bytes = this.#record.bytes.slice(0, (this.count - 1) * RECORD_LENGTH);
			bytes.set(this.#record.bytes.subarray((i + 1) * RECORD_LENGTH, this.count * RECORD_LENGTH), i * RECORD_LENGTH);
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

	/** Unix time of creation in seconds; 0 when the clock was not set. */
	createdAt(index: number): number {
		const { buffer, byteOffset } = this.#record.bytes;
		return new DataView(buffer, byteOffset).getUint32(index * RECORD_LENGTH);
	}
}
