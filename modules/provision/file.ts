/**
 * Signed settings file (docs/fleet.md). It is a backup with a counter, an addressee and a signature. Numbers are
 * little-endian.
 *
 *     0    4   "SMGS"
 *     4    1   form: 1
 *     5    1   0
 *     6    2   length n of the settings, bytes
 *     8    4   counter, 1 to 4294967295
 *    12   32   addressee: a serial number or a group, ASCII padded with zeros; zeros only: every gateway
 *    44    8   id of the key: first 8 bytes of the SHA-256 of its point
 *    52    n   the settings: a backup (docs/backup.md)
 *  52+n   64   signature of all bytes before: ECDSA on P-256 with SHA-256, r and s
 *
 * Limit: a file has at most FILE_LIMIT bytes.
 */
import { uint16LE, uint32LE } from "../bytes/integers.js";
import { type Crypto, P256_POINT_LENGTH, P256_SIGNATURE_LENGTH } from "../io/crypto.js";
import type { Cost } from "../io/memory.js";
import { holds } from "../update/front.js";

/**
 * Maximum length of a file. It is the maximum length of a value in flash, because all entries that a file changes are
 * first stored as one value.
 */
export const FILE_LIMIT = 4500;
export const SETTINGS_AT = 52;

/** Memory for a file while it is received. Applying its settings needs RESTORE_COST. */
export const FILE_COST: Cost = Object.freeze({ slots: 60, chunkBytes: FILE_LIMIT + 512 });

/** "SMGS" as a little-endian number. */
const MAGIC = 0x5347_4d53;
/** Form 1, and a zero byte. */
const FORM = 1;
const FORM_AT = 4;
const LENGTH_AT = 6;
const COUNTER_AT = 8;
const ADDRESSEE_AT = 12;
const KEY_ID_AT = 44;
const KEY_ID_LENGTH = 8;

/** The file has an unknown form, or is incomplete. */
export const INVALID_FILE = "provision_invalid";
/** The key is unknown, or the signature was not made with it. */
export const BAD_SIGNATURE = "provision_bad_signature";
export const WRONG_DEVICE = "provision_wrong_device";
/** The counter is not higher than that of the last file. */
export const REPLAY = "provision_replay";

/** Returns the counter of a file; 0 if the bytes are not a file. */
export function counterOf(file: Uint8Array): number {
	const isFile =
		file.length > SETTINGS_AT + P256_SIGNATURE_LENGTH &&
		file.length <= FILE_LIMIT &&
		uint32LE(file, 0) === MAGIC &&
		uint16LE(file, FORM_AT) === FORM &&
		uint16LE(file, LENGTH_AT) === settingsEnd(file) - SETTINGS_AT;
	return isFile ? uint32LE(file, COUNTER_AT) : 0;
}

export function settingsEnd(file: Uint8Array): number {
	return file.length - P256_SIGNATURE_LENGTH;
}

/**
 * Returns true if the signature was made with one of the keys, which are points in hex. `counterOf` must have accepted
 * the file before.
 */
export function isTrusted(
	file: Uint8Array,
	keys: readonly Uint8Array[],
	crypto: Pick<Crypto, "sha256" | "verifyP256">,
): boolean {
	const key = keys.find((point) => holds(file, KEY_ID_AT, crypto.sha256(point), KEY_ID_LENGTH));
	const end = settingsEnd(file);
	return key?.length === P256_POINT_LENGTH && crypto.verifyP256(key, file.subarray(0, end), file.subarray(end));
}

/** Returns true if the addressee is empty or equals one of the names. */
export function isFor(file: Uint8Array, names: readonly string[]): boolean {
	let end = KEY_ID_AT;
	while (end > ADDRESSEE_AT && file[end - 1] === 0) end--;
	return end === ADDRESSEE_AT || names.includes(String.fromCharCode(...file.subarray(ADDRESSEE_AT, end)));
}
