/**
 * Cryptography of the host contract (host.ts): random bytes, hashes, ciphers, keys and certificates. Types and limits.
 */
/** Lengths of the key, the initialization vector and the tag of `aes128GCM`, bytes. */
export const AES_KEY_LENGTH = 16;
export const GCM_IV_LENGTH = 12;
export const GCM_TAG_LENGTH = 16;

export interface Crypto {
	/** Returns `length` unpredictable bytes. */
	random(length: number): Uint8Array;
	/** Returns the SHA-256 (FIPS 180-4) of the concatenated parts; 32 bytes. */
	sha256(...parts: Uint8Array[]): Uint8Array;
	/** Returns the HMAC-SHA-256 (RFC 2104) of the concatenated parts; 32 bytes. */
	hmacSHA256(key: Uint8Array, ...parts: Uint8Array[]): Uint8Array;
	/**
	 * Encrypts with AES-128 in Galois/counter mode (NIST SP 800-38D). Returns the encrypted `text`, then the tag of 16
	 * bytes over it and `associated`. Throws a RangeError unless `key` has 16 bytes and `iv` 12. Encrypting ciphertext
	 * again decrypts it.
	 */
	aes128GCM(key: Uint8Array, iv: Uint8Array, associated: Uint8Array, text: Uint8Array): Uint8Array;
	/** Returns an incremental SHA-256. */
	hash(): Hash;
	/**
	 * Verifies `signature` (r and s, 32 bytes each) as ECDSA on P-256 with SHA-256 (FIPS 186-5) of `message` by the
	 * public key `publicKey` (P256_POINT_LENGTH bytes). Also returns false for a key or signature of another length, a
	 * point that is not on the curve, and an r or s out of range.
	 */
	verifyP256(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean;
	/**
	 * Performs ECDH on P-256 (NIST SP 800-56A, 5.7.1.2) with a new key for this call and `publicKey`. Throws a RangeError
	 * for a key of another length or outside the curve.
	 */
	agreeP256(publicKey: Uint8Array): KeyAgreement;
	/**
	 * Reads a file of PEM text (RFC 7468; bytes, with anything around the blocks skipped) or one certificate as DER.
	 * Reports problems in the result; throws a RangeError only for more than CERTIFICATE_FILE_LIMIT bytes.
	 */
	readCertificates(file: Uint8Array): CertificateFile;
	/** Makes a P-256 key and a self-signed certificate for it (RFC 5280). Throws a RangeError for invalid options. */
	makeCertificate(options: CertificateOptions): CertificatePair;
}

/** Length of an uncompressed P-256 point (SEC 1, 2.3.3): 4, x, y. */
export const P256_POINT_LENGTH = 65;
/** Length of an ECDSA signature on P-256: r and s. */
export const P256_SIGNATURE_LENGTH = 64;

export interface Hash {
	/** Takes bytes[start..end). */
	update(bytes: Uint8Array, start?: number, end?: number): void;
	/** Returns the 32 bytes and ends the hash; a further call of either method throws an Error. */
	digest(): Uint8Array;
}

export interface KeyAgreement {
	/** New public key, P256_POINT_LENGTH bytes. */
	readonly publicKey: Uint8Array;
	/** Shared secret: x of the common point, 32 bytes. */
	readonly secret: Uint8Array;
}

/** Maximum size of a certificate file in bytes (`max_size` of the API), and maximum number of certificates reported. */
export const CERTIFICATE_FILE_LIMIT = 12288;
export const CERTIFICATE_CHAIN_LIMIT = 6;
/** Maximum length of a certificate's name as text, bytes of UTF-8. */
export const CERTIFICATE_NAME_LIMIT = 255;

export interface CertificateFile {
	/** In the order of the file: the first CERTIFICATE_CHAIN_LIMIT, or those before the problem. */
	readonly certificates: readonly CertificateDetails[];
	/** CERTIFICATES_…; CERTIFICATES_WELL also for an empty list. */
	readonly problem: number;
	/** PRIVATE_KEY_… of the first private key: PKCS#8 (RFC 5958), SEC 1 (RFC 5915) or PKCS#1 (RFC 8017, A.1.2). */
	readonly key: number;
}
export const CERTIFICATES_WELL = 0;
/** The next block is truncated, or not a certificate. */
export const CERTIFICATES_DAMAGED = 1;
/**
 * The next certificate is not supported by this host's TLS (key, signature or critical extension), or its key makes
 * verification slow: RSA of more than 4096 bits, or with an exponent of more than 32 bits. The host verifies nothing
 * with it.
 */
export const CERTIFICATES_UNSUPPORTED = 2;
/** No other problem, but more than CERTIFICATE_CHAIN_LIMIT certificates. */
export const CERTIFICATES_TOO_MANY = 3;

export const PRIVATE_KEY_ABSENT = 0;
/** The key belongs to the first certificate. */
export const PRIVATE_KEY_MATCHES = 1;
/** The key belongs to no certificate of the file. */
export const PRIVATE_KEY_FOREIGN = 2;
export const PRIVATE_KEY_ENCRYPTED = 3;
/** The key is damaged, not supported by this host's TLS, or RSA of more than 4096 bits. */
export const PRIVATE_KEY_UNREADABLE = 4;
/** The key belongs to a certificate after the first. */
export const PRIVATE_KEY_LATER = 5;

export interface CertificateDetails {
	/**
	 * Distinguished names as in RFC 4514 with a space after each comma: `CN=gateway.lan, O=Home`. Types without a name
	 * there are numbers; control characters are escaped; names longer than CERTIFICATE_NAME_LIMIT are cut, with `…`.
	 */
	readonly subject: string;
	readonly issuer: string;
	/** Validity, Unix time in milliseconds; both ends are inclusive. */
	readonly validFromMs: number;
	readonly validToMs: number;
	readonly keyType: number;
	readonly keyBits: number;
	/** SHA-256 of the whole certificate as programs show it: 32 pairs of capital hexadecimal digits with colons between. */
	readonly fingerprint: string;
	/** True when the next certificate is an authority's and its key has signed this one. */
	readonly issuedByNext: boolean;
}
/** ECDSA on NIST P-256, P-384 or P-521 (FIPS 186-5). */
export const KEY_TYPE_EC = 1;
export const KEY_TYPE_RSA = 2;

export interface CertificateOptions {
	/**
	 * 1 to 4 names: DNS names of A-Z a-z 0-9 `.` `-` `_`, up to 253 characters, or IPv4 addresses in dotted decimal. The
	 * first, up to 64 characters, is also the subject.
	 */
	readonly names: readonly string[];
	/** Unix time in milliseconds, from 2000 to 9999; fractions of a second are cut off. */
	readonly validFromMs: number;
	readonly validToMs: number;
	/**
	 * P-256 key to use, PEM text of up to CERTIFICATE_FILE_LIMIT bytes, optionally after a certificate. A missing or
	 * unusable key is replaced by a new one.
	 */
	readonly key?: Uint8Array | undefined;
}

/** Certificate and key as PEM text. */
export interface CertificatePair {
	readonly certificate: Uint8Array;
	readonly key: Uint8Array;
}
