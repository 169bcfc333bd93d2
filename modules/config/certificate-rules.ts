/**
 * Rules for a PEM file with which the TLS server identifies itself. The file has a chain, with the server's own
 * certificate first, and the unencrypted key (API text, Certificate).
 */
import {
	CERTIFICATE_FILE_LIMIT,
	CERTIFICATES_DAMAGED,
	CERTIFICATES_TOO_MANY,
	CERTIFICATES_UNSUPPORTED,
	type CertificateDetails,
	type CertificateFile,
	KEY_TYPE_EC,
	PRIVATE_KEY_ABSENT,
	PRIVATE_KEY_ENCRYPTED,
	PRIVATE_KEY_FOREIGN,
	PRIVATE_KEY_LATER,
	PRIVATE_KEY_UNREADABLE,
} from "../io/crypto.js";

export const TOO_LARGE = `The file is too large: at most ${CERTIFICATE_FILE_LIMIT} bytes are accepted.`;
const NO_CERTIFICATE = "No certificate was found in the file: PEM text is needed.";
const DAMAGED = "A certificate in the file is damaged or incomplete.";
const TOO_MANY = "The chain is too long.";
const NO_KEY = "No private key was found in the file: it belongs after the certificates.";
const KEY_ENCRYPTED = "The private key is encrypted: remove its password first.";
const KEY_MISMATCH = "The private key does not match the certificate.";
const KEY_UNSUPPORTED = "The key type or size is not supported: EC P-256 or P-384, or RSA of 2048 to 4096 bits.";
const WRONG_ORDER = "The chain order is wrong: the server certificate comes first, then the one that issued it.";
const NOT_TEXT = "The file contains a zero byte: PEM text is needed.";
const MORE = "The file has more data after its last block: nothing may follow the certificates and the key.";
const EXPIRED = "The certificate has expired.";

const DASHES = "-----";
const END = "-----END ";
const CERTIFICATE_BEGIN = "-----BEGIN CERTIFICATE-----";
const CERTIFICATE_END = "-----END CERTIFICATE-----";
const DASH = 0x2d;
const SPACE = 0x20;
const NEWLINE = 0x0a;
/** White space that may follow the last block. */
const WHITE = Object.freeze([0x09, 0x0a, 0x0d, SPACE]);
const EC_BITS = Object.freeze([256, 384]);
const RSA_BITS_MIN = 2048;

/**
 * Returns the reason for a refusal, or "". `file` is the parsed form of `bytes`. `nowMs` is the Unix time; undefined
 * while the clock is not set.
 */
export function refusalOf(bytes: Uint8Array, file: CertificateFile, nowMs: number | undefined): string {
	const { certificates, problem, key } = file;
	if (problem === CERTIFICATES_DAMAGED) return DAMAGED;
	if (problem === CERTIFICATES_TOO_MANY) return TOO_MANY;
	if (problem === CERTIFICATES_UNSUPPORTED) return KEY_UNSUPPORTED;
	if (certificates.length === 0) return NO_CERTIFICATE;
	if (key === PRIVATE_KEY_ABSENT) return NO_KEY;
	if (key === PRIVATE_KEY_ENCRYPTED) return KEY_ENCRYPTED;
	if (!isSupported(certificates[0]) || key === PRIVATE_KEY_UNREADABLE) return KEY_UNSUPPORTED;
	if (key === PRIVATE_KEY_LATER) return WRONG_ORDER;
	if (key === PRIVATE_KEY_FOREIGN) return KEY_MISMATCH;
	// The TLS library reads a PEM text only up to its first zero byte.
	if (bytes.includes(0)) return NOT_TEXT;
	if (!endsWithBlock(bytes)) return MORE;
	for (let i = 0; i + 1 < certificates.length; i++) if (!certificates[i].issuedByNext) return WRONG_ORDER;
	if (nowMs !== undefined) {
		for (const { validToMs } of certificates) if (validToMs < nowMs) return EXPIRED;
	}
	return "";
}

/**
 * Returns "" if the text has certificates with which a server can be verified, and no private key. Otherwise returns
 * the reason for the refusal, as a sentence about the field `cert`.
 */
export function trustRefusalOf({ certificates, problem, key }: CertificateFile): string {
	if (key !== PRIVATE_KEY_ABSENT) return "cert has a private key in it: only certificates belong there.";
	if (problem === CERTIFICATES_DAMAGED) return "A certificate in cert is damaged or incomplete.";
	if (problem === CERTIFICATES_UNSUPPORTED)
		return "A certificate in cert has a key, a signature or an extension of a kind that is not supported.";
	return certificates.length > 0 ? "" : "cert has no certificate in it: PEM text is needed.";
}

/**
 * Moves the certificates in the PEM text to its beginning, and overwrites the rest with zeros. Returns the length of
 * the certificates.
 */
export function keepCertificates(pem: Uint8Array): number {
	let length = 0;
	let isInside = false;
	for (let at = 0; at < pem.length; at++) {
		if (pem[at] === DASH && hasAt(pem, at, CERTIFICATE_BEGIN)) isInside = true;
		if (isInside && pem[at] === DASH && hasAt(pem, at, CERTIFICATE_END)) {
			pem.copyWithin(length, at, at + CERTIFICATE_END.length);
			length += CERTIFICATE_END.length;
			at += CERTIFICATE_END.length;
			if (at < pem.length) pem[length++] = NEWLINE;
			isInside = false;
		} else if (isInside) pem[length++] = pem[at];
	}
	pem.fill(0, length);
	return length;
}

function isSupported({ keyType, keyBits }: CertificateDetails): boolean {
	if (keyType === KEY_TYPE_EC) return EC_BITS.includes(keyBits);
	// There is no upper limit here, because the parser rejects keys of more than 4096 bits.
	return keyBits >= RSA_BITS_MIN;
}

function endsWithBlock(bytes: Uint8Array): boolean {
	let end = bytes.length;
	while (end > 0 && WHITE.includes(bytes[end - 1])) end--;
	let label = end - DASHES.length;
	while (label > 0 && bytes[label - 1] >= SPACE && bytes[label - 1] !== DASH) label--;
	return hasAt(bytes, end - DASHES.length, DASHES) && hasAt(bytes, label - DASHES.length, END);
}

function hasAt(bytes: Uint8Array, at: number, word: string): boolean {
	for (let i = 0; i < word.length; i++) if (bytes[at + i] !== word.charCodeAt(i)) return false;
	return true;
}
