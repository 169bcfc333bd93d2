/**
 * Ciphering of APDUs in the suites 0 and 1 with AES-128-GCM and 12-byte tags (IEC 62056-5-3, 5.3 and 9.2; NIST SP
 * 800-38D). Also computes the proofs of high level security (HLS) with GMAC and SHA-256. All APDUs use global keys:
 * glo- APDUs, general-glo-ciphering from the meter, and pushes with general-ded-ciphering. Dedicated keys, ECDSA and
 * ECDH are not supported.
 *
 *   glo-           tag len SC IC(4) ciphertext [tag 12]
 *   general-glo    DB 08 <title> len SC IC(4) ciphertext [tag 12]
 *   SC             10 authenticated, 20 encrypted, 30 both; 40 broadcast key (pushes only); low four bits: the suite
 *   IV             system title of the sender (8), IC
 *   AAD            if SC is 10: SC, AK, plain text; if SC is 30: SC, AK (AK: the authentication key)
 *
 * Each invocation counter (IC) is used for one APDU or one tag only. The caller supplies the first counter, and the
 * limit up to which it has reserved counters in flash. The meter's counter must increase. Without an authentication
 * key, requests are only encrypted, and the meter's tags are accepted without a check (`unchecked`). If the meter
 * responds in the other suite (0 or 1), later requests use that suite.
 */

import { equalConstantTime, holdsConstantTime } from "../bytes/equal.js";
import { putUint32BE } from "../bytes/integers.js";
import type { Failure } from "../readout/failure.js";
import { SECRET_LIMIT, TITLE_LENGTH } from "./aarq.js";
import { type Cursor, putBytes, putLength } from "./cursor.js";
import { DLMS_MALFORMED, DLMS_METER_TITLE, DLMS_REPLAY, DLMS_SUITE_2, DLMS_TAG, DLMS_UNPROTECTED } from "./failures.js";

/**
 * AES-128-GCM. Returns the ciphertext of `text` (or its plain text, if `text` is a ciphertext), followed by a 16-byte
 * tag. The IV has 12 bytes.
 */
export type GCM = (key: Uint8Array, iv: Uint8Array, aad: Uint8Array, text: Uint8Array) => Uint8Array;

export const KEY_LENGTH = 16;
export const TAG_LENGTH = 12;
/** Number of bytes that ciphering adds to an APDU. If 256 or more bytes are ciphered, it adds one more. */
export const CIPHER_OVERHEAD = 3 + 5 + TAG_LENGTH;
export const MAC_LENGTH = 5 + TAG_LENGTH;
export const DIGEST_LENGTH = 32;
/** Number after the highest possible invocation counter. */
export const COUNTER_END = 2 ** 32;

export const GENERAL_GLO = 0xdb;
export const GENERAL_DED = 0xdc;

const AUTHENTICATED = 0x10;
const ENCRYPTED = 0x20;
/** Bit of SC which means that the broadcast key is used instead of the unicast key. */
export const BROADCAST = 0x40;
/** Bits of SC that must be 0, because suites from 2 on and compression are not supported. */
const UNSUPPORTED = 0x8e;
const SUITE = 0x0f;

/** Difference between a plain tag and its glo- tag: 01 to 0E become 21 to 2E, C0 to C7 become C8 to CF. */
const GLO_INITIATE = 0x20;
const GLO_SERVICE = 0x08;
const FIRST_SERVICE = 0xc0;

export interface CipherOptions {
	readonly gcm: GCM;
	sha256(...parts: Uint8Array[]): Uint8Array;
	readonly suite: number;
	/** Unicast key, KEY_LENGTH bytes. If `mayBroadcast` is true, it may be the broadcast key. */
	readonly encryptionKey: Uint8Array;
	/** Authentication key, KEY_LENGTH bytes; or empty. */
	readonly authenticationKey: Uint8Array;
	/** System title of the gateway, TITLE_LENGTH bytes. It must not change while the key is in use. */
	readonly title: Uint8Array;
	/** System title of the meter, if it is known before the association. */
	readonly meterTitle?: Uint8Array | undefined;
	readonly counter: number;
	readonly counterLimit: number;
	readonly meterCounter?: number;
	readonly mayBroadcast?: boolean;
}

/** Offsets in the work buffer, which contains the IV, the AAD, the challenge and the meter's system title. */
const AAD_AT = TITLE_LENGTH + 4;
const CHALLENGE_AT = AAD_AT + 1 + KEY_LENGTH;
const METER_TITLE_AT = CHALLENGE_AT + SECRET_LIMIT;

export function suiteFailure(control: number): Failure | undefined {
	return (control & SUITE) === 2 ? DLMS_SUITE_2 : undefined;
}

export class Cipher {
	/** Next invocation counter. All lower counters may have been used. */
	counter: number;
	counterLimit: number;
	/** True after an APDU with an unchecked tag, because the authentication key is missing. */
	unchecked = false;
	/** Counter of the meter's last APDU; -1 if it is unknown. */
	meterCounter: number;
	control = 0;
	readonly #options: CipherOptions;
	readonly #work = new Uint8Array(METER_TITLE_AT + TITLE_LENGTH);
	#meterTitleKnown = false;
	#suite: number;

	constructor(options: CipherOptions) {
		this.#options = options;
		this.counter = options.counter;
		this.counterLimit = options.counterLimit;
		this.#suite = options.suite;
		this.meterCounter = options.meterCounter ?? -1;
		putBytes(this.#work, AAD_AT + 1, options.authenticationKey);
		const { meterTitle } = options;
		if (meterTitle !== undefined && meterTitle.length > 0) this.setMeterTitle(meterTitle, 0, meterTitle.length);
	}

	get title(): Uint8Array {
		return this.#options.title;
	}

	get complete(): boolean {
		const { encryptionKey, authenticationKey, title } = this.#options;
		const authenticates = authenticationKey.length === KEY_LENGTH || authenticationKey.length === 0;
		return encryptionKey.length === KEY_LENGTH && authenticates && title.length === TITLE_LENGTH;
	}

	get authenticates(): boolean {
		return this.#options.authenticationKey.length === KEY_LENGTH;
	}

	get meterTitle(): Uint8Array {
		return this.#work.subarray(METER_TITLE_AT);
	}

	get meterTitleKnown(): boolean {
		return this.#meterTitleKnown;
	}

	has(count: number): boolean {
		return this.counter + count <= Math.min(this.counterLimit, COUNTER_END);
	}

	/** Sets the meter's system title. Returns the failure if the title can't be accepted. */
	setMeterTitle(bytes: Uint8Array, start: number, end: number): Failure | undefined {
		if (end - start !== TITLE_LENGTH) return DLMS_METER_TITLE;
		const title = bytes.subarray(start, end);
		// If the meter had our title, it would use our IVs, and an attacker could send our own APDUs back to us.
		if (equalConstantTime(title, this.title)) return DLMS_METER_TITLE;
		this.#work.set(title, METER_TITLE_AT);
		this.#meterTitleKnown = true;
		return undefined;
	}

	/**
	 * Ciphers the APDU `bytes[start..end)` and writes the glo- APDU, possibly in place. Returns its end. Uses up one
	 * counter; throws a RangeError if `has(1)` is false.
	 */
	seal(bytes: Uint8Array, start: number, end: number, into: Uint8Array, at: number): number {
		const control = this.#suite | (this.authenticates ? AUTHENTICATED | ENCRYPTED : ENCRYPTED);
		const tag = bytes[start] + (bytes[start] < FIRST_SERVICE ? GLO_INITIATE : GLO_SERVICE);
		const counter = this.nextCounter();
		this.setIV(this.title, counter);
		const sealed = this.run(this.aad(control), bytes.subarray(start, end));
		const length = end - start + (this.authenticates ? TAG_LENGTH : 0);
		into[at] = tag;
		let to = putLength(into, at + 1, 5 + length);
		into[to++] = control;
		to = putUint32BE(into, to, counter);
		into.set(sealed.subarray(0, length), to);
		return to + length;
	}

	/**
	 * Writes the GMAC answer to a challenge: SC, IC and tag. Uses up one counter. Both keys are needed, because the tag
	 * is computed with the encryption key, over data that include the authentication key.
	 */
	answer(challenge: Uint8Array, start: number, end: number, into: Uint8Array, at: number): void {
		const counter = this.nextCounter();
		const control = AUTHENTICATED | this.#suite;
		into[at] = control;
		const to = putUint32BE(into, at + 1, counter);
		this.setIV(this.title, counter);
		into.set(this.mac(control, challenge.subarray(start, end)), to);
	}

	isAnswer(challenge: Uint8Array, bytes: Uint8Array, at: number): boolean {
		const control = bytes[at];
		const isProof = (control & ~SUITE) === AUTHENTICATED && suiteFailure(control) === undefined;
		if (!this.#meterTitleKnown || !isProof) return false;
		this.setIV(this.meterTitle, 0);
		for (let i = 0; i < 4; i++) this.#work[TITLE_LENGTH + i] = bytes[at + 1 + i];
		return equalConstantTime(this.mac(control, challenge), bytes.subarray(at + 5, at + MAC_LENGTH));
	}

	/**
	 * Returns the SHA-256 proof of HLS (IEC 62056-5-3, 9.2.7.2), over the secret, the prover's title, the other side's
	 * title, the challenge that is answered, and the prover's challenge. `isMeters` is true for the meter's proof.
	 */
	digest(secret: Uint8Array, isMeters: boolean, answered: Uint8Array, own: Uint8Array): Uint8Array {
		const { title, meterTitle } = this;
		const { sha256 } = this.#options;
		return isMeters
			? sha256(secret, meterTitle, title, answered, own)
			: sha256(secret, title, meterTitle, answered, own);
	}

	/** Deciphers the APDU at the cursor, and moves the cursor to the plain APDU. Returns the failure, or undefined. */
	open(cursor: Cursor): Failure | undefined {
		const tag = cursor.u8();
		const isGeneral = tag === GENERAL_GLO || tag === GENERAL_DED;
		if (isGeneral) {
			const problem = this.openTitle(cursor);
			if (problem !== undefined) return problem;
		}
		const length = cursor.length();
		const control = cursor.u8();
		this.control = control;
		const counter = cursor.u32();
		if (cursor.failed || length !== 5 + cursor.left) return DLMS_MALFORMED;
		const suite = suiteFailure(control);
		if (suite !== undefined) return suite;
		if (!this.#meterTitleKnown) return DLMS_METER_TITLE;
		const isProtected = (control & (AUTHENTICATED | ENCRYPTED)) !== 0;
		const unsupported = this.#options.mayBroadcast ? UNSUPPORTED : UNSUPPORTED | BROADCAST;
		if ((control & unsupported) !== 0 || !isProtected) return DLMS_UNPROTECTED;
		if (this.authenticates && (control & AUTHENTICATED) === 0) return DLMS_UNPROTECTED;
		if (counter <= this.meterCounter) return DLMS_REPLAY;
		const problem = this.decipher(cursor, control, counter);
		if (problem !== undefined) return problem;
		this.meterCounter = counter;
		this.#suite = control & SUITE;
		const inside = tag - (tag < FIRST_SERVICE ? GLO_INITIATE : GLO_SERVICE);
		return isGeneral || inside === cursor.bytes[cursor.at] ? undefined : DLMS_MALFORMED;
	}

	/**
	 * Reads the meter's system title in a general APDU, where it may be empty. If no title is known, it is adopted;
	 * otherwise it must be the known one.
	 */
	private openTitle(cursor: Cursor): Failure | undefined {
		const length = cursor.length();
		const start = cursor.skip(length);
		if (cursor.failed) return DLMS_MALFORMED;
		if (length === 0) return undefined;
		if (!this.#meterTitleKnown) return this.setMeterTitle(cursor.bytes, start, start + length);
		const title = cursor.bytes.subarray(start, start + length);
		const same = length === TITLE_LENGTH && holdsConstantTime(this.#work, METER_TITLE_AT, title);
		return same ? undefined : DLMS_METER_TITLE;
	}

	private decipher(cursor: Cursor, control: number, counter: number): Failure | undefined {
		const { bytes, at, end } = cursor;
		const authenticated = (control & AUTHENTICATED) !== 0;
		const textEnd = authenticated ? end - TAG_LENGTH : end;
		if (textEnd <= at) return DLMS_MALFORMED;
		const text = bytes.subarray(at, textEnd);
		const encrypted = (control & ENCRYPTED) !== 0;
		const aad = encrypted ? this.aad(control) : this.longAAD(control, text);
		this.setIV(this.meterTitle, counter);
		// GCM enciphers and deciphers in the same way, so enciphering the ciphertext returns the plain text.
		// Enciphering the plain text again returns the right tag.
		const plain = encrypted ? this.run(aad, text).subarray(0, text.length) : text;
		cursor.set(plain, 0, plain.length);
		if (!authenticated) return undefined;
		if (!this.authenticates) {
			this.unchecked = true;
			return undefined;
		}
		const plainText = encrypted ? plain : this.#work.subarray(0, 0);
		const tag = this.run(aad, plainText).subarray(plainText.length, plainText.length + TAG_LENGTH);
		return equalConstantTime(tag, bytes.subarray(textEnd, end)) ? undefined : DLMS_TAG;
	}

	private nextCounter(): number {
		if (!this.has(1)) throw new RangeError("an invocation counter is used that was not kept ahead");
		return this.counter++;
	}

	private setIV(title: Uint8Array, counter: number): void {
		putUint32BE(this.#work, putBytes(this.#work, 0, title), counter);
	}

	private run(aad: Uint8Array, text: Uint8Array): Uint8Array {
		return this.#options.gcm(this.#options.encryptionKey, this.#work.subarray(0, AAD_AT), aad, text);
	}

	/** Returns the AAD before the plain text: SC and AK if the APDU is authenticated, otherwise nothing. */
	private aad(control: number): Uint8Array {
		this.#work[AAD_AT] = control;
		return this.#work.subarray(AAD_AT, (control & AUTHENTICATED) === 0 ? AAD_AT : CHALLENGE_AT);
	}

	private longAAD(control: number, text: Uint8Array): Uint8Array {
		const aad = new Uint8Array(1 + KEY_LENGTH + text.length);
		aad.set(this.aad(control));
		aad.set(text, 1 + KEY_LENGTH);
		return aad;
	}

	/** Returns the GMAC tag over a challenge, which has at most SECRET_LIMIT bytes. */
	private mac(control: number, challenge: Uint8Array): Uint8Array {
		this.#work[AAD_AT] = control;
		this.#work.set(challenge, CHALLENGE_AT);
		const aad = this.#work.subarray(AAD_AT, CHALLENGE_AT + challenge.length);
		return this.run(aad, this.#work.subarray(0, 0)).subarray(0, TAG_LENGTH);
	}
}
