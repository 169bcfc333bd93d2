/**
 * Failures of associations. The members `diagnostic` and `exception` of Association have the exact response of the
 * meter.
 */
import { type Failure, failure, finalFailure, METER_AUTH_FAILED, METER_ERROR } from "../readout/failure.js";

export const DLMS_MALFORMED = failure(
	METER_ERROR,
	"dlms/malformed",
	40,
	"The meter's answer could not be understood. Try again; then check client_address, auth and use_encryption.",
);
/** The AARE has a diagnostic that is not listed below, or none. */
export const DLMS_REJECTED = failure(
	METER_AUTH_FAILED,
	"dlms/rejected",
	41,
	"The meter refuses the association and does not say why. Check client_address; then auth; then password and keys.",
);
/**
 * Diagnostic 2 of the AARE: wrong context (plain or ciphered, logical or short names). Gurux software sends it for a
 * wrong mechanism, too.
 */
export const DLMS_CONTEXT = finalFailure(
	METER_AUTH_FAILED,
	"dlms/context",
	42,
	"The meter refuses the application context: change use_encryption; then check client_address and auth. A meter with short names (SN) can't be read.",
);
/** Diagnostic 3 of the AARE: the meter does not know our system title. */
export const DLMS_TITLE = finalFailure(
	METER_AUTH_FAILED,
	"dlms/title",
	43,
	"The meter does not take the gateway's system title. It may have to be registered in the meter.",
);
/** Diagnostic 11 of the AARE: this client address needs another mechanism. */
export const DLMS_MECHANISM = finalFailure(
	METER_AUTH_FAILED,
	"dlms/mechanism",
	44,
	"This client_address needs another auth. Try the others; then check client_address. If none fits, the meter needs an HLS mechanism that this gateway does not support.",
);
/** Diagnostic 12 or 14 of the AARE: this client address needs authentication, or a stronger mechanism. */
export const DLMS_AUTHENTICATION_REQUIRED = finalFailure(
	METER_AUTH_FAILED,
	"dlms/authentication-required",
	45,
	"This client_address needs authentication. Change auth; then check client_address. If neither low nor high_gmac nor high_sha256 fits, the meter needs an HLS mechanism that this gateway does not support.",
);
/** Diagnostic 13 of the AARE: wrong password, key or client address. */
export const DLMS_AUTHENTICATION = finalFailure(
	METER_AUTH_FAILED,
	"dlms/authentication",
	46,
	"Authentication failed. Check password, or block_cipher_key, auth_key and security_suite; then client_address.",
);
/** The ACSE provider of the meter reports that there is no common version. */
export const DLMS_ACSE_VERSION = finalFailure(
	METER_ERROR,
	"dlms/acse-version",
	47,
	"The meter knows no version of ACSE that we do.",
);
/** Initiate error 1: another version of DLMS. */
export const DLMS_VERSION = finalFailure(METER_ERROR, "dlms/version", 48, "The meter has another version of DLMS.");
export const DLMS_CONFORMANCE = finalFailure(
	METER_ERROR,
	"dlms/conformance",
	49,
	"The meter offers none of the services that reading needs. Check client_address. A meter with short names (SN) can't be read.",
);
/** Initiate error 3: the APDUs that the meter accepts are too short. */
export const DLMS_PDU_SIZE = finalFailure(
	METER_ERROR,
	"dlms/pdu-size",
	50,
	"The meter takes messages that are too short to ask with.",
);
export const DLMS_INITIATE = finalFailure(
	METER_ERROR,
	"dlms/initiate",
	51,
	"The meter refuses to begin. Check client_address; then use_encryption.",
);
export const DLMS_DECIPHERING = finalFailure(
	METER_AUTH_FAILED,
	"dlms/deciphering",
	52,
	"The meter can't decipher what it is sent. Check block_cipher_key; then auth_key; then security_suite; then client_address. A meter of security suite 2 can't be read.",
);
/** The gateway's invocation counter is too low. `exception.counter` is the counter that the meter expects. */
export const DLMS_COUNTER = finalFailure(
	METER_AUTH_FAILED,
	"dlms/counter",
	53,
	"The meter refuses the invocation counter as too low, and the public client can't read the expected one.",
);
/** HLS pass 4: the meter refuses our answer, because the keys are wrong. */
export const DLMS_HLS_REFUSED = finalFailure(
	METER_AUTH_FAILED,
	"dlms/hls-refused",
	54,
	"The meter refuses the answer to its challenge. Check auth_key, with high_sha256 password; then block_cipher_key; then client_address.",
);
/** HLS pass 4: the meter's answer is wrong, because it does not have the keys. */
export const DLMS_METER_UNVERIFIED = finalFailure(
	METER_AUTH_FAILED,
	"dlms/meter-unverified",
	55,
	"The meter's answer to the challenge is wrong: it does not have these keys. Check auth_key; do not trust this meter.",
);
export const DLMS_TAG = finalFailure(
	METER_AUTH_FAILED,
	"dlms/tag",
	56,
	"An answer fails its authentication. Check auth_key; then block_cipher_key; it may have been changed on its way.",
);
/** The response has less protection than the request, or it is protected with an unknown key. */
export const DLMS_UNPROTECTED = finalFailure(
	METER_AUTH_FAILED,
	"dlms/unprotected",
	57,
	"An answer is less protected than it must be. Check auth_key and use_encryption.",
);
export const DLMS_REPLAY = finalFailure(
	METER_AUTH_FAILED,
	"dlms/replay",
	58,
	"The meter's invocation counter did not grow: an answer may have been recorded and played back.",
);
/** The meter's system title is missing, equals ours, or has changed. */
export const DLMS_METER_TITLE = finalFailure(
	METER_AUTH_FAILED,
	"dlms/meter-title",
	59,
	"The meter sends no usable system title, which is needed to decrypt its data. Check auth and client_address.",
);
/** The meter dropped the association (exception 1, 1). */
export const DLMS_LOST = failure(
	METER_ERROR,
	"dlms/lost",
	60,
	"The meter dropped the association. Check client_address and auth.",
);
/** The meter has sent another exception or service error before the association was established. */
export const DLMS_EXCEPTION = failure(
	METER_ERROR,
	"dlms/exception",
	61,
	"The meter refuses the service with an exception. Check client_address, auth, use_encryption and the keys (block_cipher_key, auth_key).",
);
export const DLMS_KEY_MISSING = finalFailure(
	METER_AUTH_FAILED,
	"dlms/key-missing",
	62,
	"A key is missing: use_encryption needs block_cipher_key, auth high_gmac needs auth_key, too, auth high_sha256 needs password.",
);
export const DLMS_COUNTER_EXHAUSTED = finalFailure(
	METER_AUTH_FAILED,
	"dlms/counter-exhausted",
	63,
	"No invocation counter is left under this block_cipher_key. The meter needs another key.",
);

/** The meter requires a mechanism that is not supported or not configured. Its number is the one in the Green Book. */
export const DLMS_HLS_2 = mechanism("2", "HLS by its maker's own rule (mechanism 2)");
export const DLMS_HLS_MD5 = mechanism("md5", "HLS with MD5 (mechanism 3)");
export const DLMS_HLS_SHA1 = mechanism("sha1", "HLS with SHA-1 (mechanism 4)");
export const DLMS_HLS_SHA256 = finalFailure(
	METER_AUTH_FAILED,
	"dlms/hls-sha256",
	66,
	"The meter needs HLS with SHA-256 (mechanism 6) at this client_address: auth high_sha256, with its secret as password.",
);
export const DLMS_HLS_ECDSA = mechanism("ecdsa", "HLS with ECDSA (mechanism 7)");
export const DLMS_SUITE_2 = finalFailure(
	METER_AUTH_FAILED,
	"dlms/security-suite-2",
	67,
	"The meter ciphers by security suite 2, the gateway by suites 0 and 1. Ask the meter's operator for one of these.",
);
export const DLMS_SHORT_NAMES = finalFailure(
	METER_ERROR,
	"dlms/short-names",
	68,
	"The meter uses short names (SN), which this gateway can't read. Try the protocol iec62056; then another client_address.",
);

function mechanism(name: string, description: string): Failure {
	return finalFailure(
		METER_AUTH_FAILED,
		`dlms/hls-${name}`,
		66,
		`The meter needs ${description}, which this gateway does not support. Ask its operator for a client_address with low, high_gmac or high_sha256.`,
	);
}
