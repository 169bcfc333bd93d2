/**
 * Telegrams of the Siemens AMIS TD-3511 (Netz OÖ, "Spezifikation Kundenschnittstelle AMIS", 2021-11-05): SND_UD of
 * EN 13757-2 with records of EN 13757-3, ciphered by AES-128-CBC as mode 5 of the Open Metering System.
 *
 * | bytes | field |
 * |---|---|
 * | 3 | C: 53 or 73; A: F0; CI: 5B |
 * | 8 | identification (4), maker (2), version, medium |
 * | 4 | access number, status, configuration: 50 05 (five blocks, mode 5) |
 * | 80 | records between 2F 2F and 2F 2F |
 *
 * The IV is maker, identification, version, medium, and the access number eight times. The cipher has no authentication
 * tag. The check is instead that the bytes from DIF to VIFE of all records equal those of the specification. Damage to
 * any block changes some of these bytes, and so does a wrong key. But damage to the header changes the IV, which may
 * change nothing except the time. The caller therefore compares the headers of two telegrams.
 */
import { encodeHex } from "../bytes/hex.js";
import { AES_BLOCK_LENGTH, type Crypto } from "../io/crypto.js";
import { isSame, SlaveTelegram } from "../mbus/telegram.js";
import { BILLING_PERIOD_CURRENT } from "../obis/code.js";

const CI_AT = 2;
const CI_SENT = 0x5b;
/** CI of a slave's answer that has the same header as these telegrams. */
const CI_ANSWER = 0x72;
const IDENT_AT = 3;
const MAKER_AT = 7;
const VERSION_AT = 9;
const MEDIUM_AT = 10;
const MEDIUM_ELECTRICITY = 2;
const ACCESS_AT = 11;
const CONFIGURATION_AT = 13;
const BLOCKS = 0x50;
const MODE = 0x05;
const DATA_AT = 15;

/**
 * Deciphered records in hex, with `.` for each digit of data. The records are time, 1.8.0, 2.8.0, 3.8.1, 4.8.1, 1.7.0,
 * 2.7.0, 3.7.0, 4.7.0 and 1.128.0.
 */
const FORM =
	"2f2f066d............0403........04833c........8410fb8273........8410fb82f33c........" +
	"042b........04ab3c........04fb14........04fb943c........0483ff04........2f2f";
const DATA = 0x2e;
const FRAME_LENGTH = DATA_AT + FORM.length / 2;
/** Number of hex digits of the fill bytes 2F 2F. */
const FILLERS = 4;

/** Results of `decipher`: this one and the next two. */
export const DECIPHERED = 0;
/** The key is wrong, or the telegram is damaged. */
export const UNDECIPHERED = 1;
/** The records differ from those of the specification. */
export const UNKNOWN = 2;

/** Returns true if C, A, CI and the data of a frame have the header and length of a telegram. */
export function isTelegram(frame: Uint8Array): boolean {
	const isCiphered = frame[CONFIGURATION_AT] === BLOCKS && frame[CONFIGURATION_AT + 1] === MODE;
	return frame.length === FRAME_LENGTH && frame[CI_AT] === CI_SENT && isCiphered;
}

/** Returns true if two telegrams have the same header, except for C and the access number. */
export function isSameMeter(frame: Uint8Array, other: Uint8Array): boolean {
	return isSame(frame, other, 1, ACCESS_AT) && isSame(frame, other, ACCESS_AT + 1, DATA_AT);
}

/**
 * Returns a copy of the telegram in the form of a slave's answer. `decipher` later replaces the ciphered data in it.
 */
export function asAnswer(frame: Uint8Array): Uint8Array {
	const answer = frame.slice();
	answer[CI_AT] = CI_ANSWER;
	answer[MEDIUM_AT] = MEDIUM_ELECTRICITY;
	return answer;
}

/** Deciphers the telegram `frame`, and puts the records into `answer`. Returns DECIPHERED, UNDECIPHERED or UNKNOWN. */
export function decipher(frame: Uint8Array, answer: Uint8Array, key: Uint8Array, crypto: Crypto): number {
	const iv = new Uint8Array(AES_BLOCK_LENGTH).fill(frame[ACCESS_AT], ACCESS_AT - IDENT_AT);
	iv.set(frame.subarray(IDENT_AT, ACCESS_AT));
	// In the IV the maker precedes the identification.
	iv.copyWithin(VERSION_AT - MAKER_AT, 0, MAKER_AT - IDENT_AT);
	iv.set(frame.subarray(MAKER_AT, VERSION_AT));
	const clear = crypto.aes128CBCDecrypt(key, iv, frame.subarray(DATA_AT));
	answer.set(clear, DATA_AT);
	const form = encodeHex(clear);
	const { length } = form;
	if (!isAsSpecified(form, 0, FILLERS) || !isAsSpecified(form, length - FILLERS, length)) return UNDECIPHERED;
	return isAsSpecified(form, 0, length) ? DECIPHERED : UNKNOWN;
}

function isAsSpecified(form: Uint8Array, start: number, end: number): boolean {
	for (let i = start; i < end; i++) {
		const expected = FORM.charCodeAt(i);
		if (expected !== DATA && expected !== form[i]) return false;
	}
	return true;
}

/**
 * Writes the records. Only the record of the balance (import minus export) has no standard code. It has a VIFE of the
 * maker, and is reported as 1-0:1.128.0.
 */
export class AMISTelegram extends SlaveTelegram {
	protected override hasCode(): boolean {
		if (this.header.isPlain) return super.hasCode();
		this.groups.set(Uint8Array.of(1, 0, 1, 128, 0, BILLING_PERIOD_CURRENT));
		return true;
	}
}
