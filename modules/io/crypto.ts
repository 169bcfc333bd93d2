/** Cryptography of the host contract (host.ts). */
/** Bytes. */
export const AES_KEY_LENGTH = 16;
export const AES_BLOCK_LENGTH = 16;
/** Bytes. */
export const GCM_IV_LENGTH = 12;
export const GCM_TAG_LENGTH = 16;

export interface Crypto {
	random(length: number): Uint8Array;
	/** SHA-256 (FIPS 180-4) of the concatenated parts, 32 bytes. */
	sha256(...parts: Uint8Array[]): Uint8Array;
	/** HMAC-SHA-256 (RFC 2104) of the concatenated parts, 32 bytes. */
	hmacSHA256(key: Uint8Array, ...parts: Uint8Array[]): Uint8Array;
	/**
	 * AES-128 in GCM (NIST SP 800-38D). Returns the encrypted `text`, then a tag of 16 bytes over ciphertext and
	 * `associated`. Throws a RangeError unless `key` has 16 bytes and `iv` 12. Encrypting the ciphertext again decrypts
	 * it.
	 */
	aes128GCM(key: Uint8Array, iv: Uint8Array, associated: Uint8Array, text: Uint8Array): Uint8Array;
	/**
	 * Decrypts AES-128 in cipher block chaining (NIST SP 800-38A, 6.2) without padding. Throws a RangeError unless `key`
	 * and `iv` have 16 bytes and `text` consists of one or more blocks.
	 */
	aes128CBCDecrypt(key: Uint8Array, iv: Uint8Array, text: Uint8Array): Uint8Array;
	hash(): Hash;
	/**
	 * Verifies an ECDSA signature on P-256 with SHA-256 (FIPS 186-5). `signature`: r and s, 32 bytes each. `publicKey`:
	 * P256_POINT_LENGTH bytes. Returns false also for wrong lengths, a point off the curve, and r or s out of range.
	 */
	verifyP256(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean;
	/**
	 * ECDH on P-256 (NIST SP 800-56A, 5.7.1.2) with a new key pair. Throws a RangeError for a `publicKey` of wrong length
	 * or off the curve.
	 */
	agreeP256(publicKey: Uint8Array): KeyAgreement;
	/**
	 * Reads certificates from PEM text (RFC 7468; anything around the blocks is skipped), or one certificate as DER. The
	 * result reports problems; only a file of more than CERTIFICATE_FILE_LIMIT bytes throws a RangeError.
	 */
	readCertificates(file: Uint8Array): CertificateFile;
	/** Creates a self-signed certificate (RFC 5280) with a P-256 key. Throws a RangeError for invalid options. */
	makeCertificate(options: CertificateOptions): CertificatePair;
}

/** Length of an uncompressed P-256 point (SEC 1, 2.3.3): 4, x, y. */
export const P256_POINT_LENGTH = 65;
export const P256_SIGNATURE_LENGTH = 64;

export interface Hash {
	update(bytes: Uint8Array, start?: number, end?: number): void;
	/** Returns the hash, 32 bytes. Any later call of a method throws an Error. */
	digest(): Uint8Array;
}

export interface KeyAgreement {
	readonly publicKey: Uint8Array;
	/** x coordinate of the shared point, 32 bytes. */
	readonly secret: Uint8Array;
}

/** Maximum length of a certificate file, bytes (`max_size` of the API), and maximum number of reported certificates. */
export const CERTIFICATE_FILE_LIMIT = 12288;
export const CERTIFICATE_CHAIN_LIMIT = 6;
/** Limit of a name, bytes of UTF-8. */
export const CERTIFICATE_NAME_LIMIT = 255;

export interface CertificateFile {
	/** Certificates in file order: the first CERTIFICATE_CHAIN_LIMIT, or those before the problem. */
	readonly certificates: readonly CertificateDetails[];
	/** CERTIFICATES_…. A file without certificates has CERTIFICATES_WELL. */
	readonly problem: number;
	/** PRIVATE_KEY_… of the first key: PKCS#8 (RFC 5958), SEC 1 (RFC 5915) or PKCS#1 (RFC 8017, A.1.2). */
	readonly key: number;
}
export const CERTIFICATES_WELL = 0;
/** The next block is truncated, or is not a certificate. */
export const CERTIFICATES_DAMAGED = 1;
/**
 * The TLS of this host does not support the next certificate's key, signature or critical extension, or its RSA key is
 * too slow: more than 4096 bits, or an exponent of more than 32 bits. No signature is verified with such a key.
 */
export const CERTIFICATES_UNSUPPORTED = 2;
/** The file has more certificates than are reported, and no other problem. */
export const CERTIFICATES_TOO_MANY = 3;

export const PRIVATE_KEY_ABSENT = 0;
export const PRIVATE_KEY_MATCHES = 1;
/** The key belongs to no certificate of the file. */
export const PRIVATE_KEY_FOREIGN = 2;
export const PRIVATE_KEY_ENCRYPTED = 3;
/** The key is damaged, not supported by the TLS of this host, or an RSA key of more than 4096 bits. */
export const PRIVATE_KEY_UNREADABLE = 4;
/** The key belongs to a certificate after the first one. */
export const PRIVATE_KEY_LATER = 5;

export interface CertificateDetails {
	/**
	 * Distinguished names as in RFC 4514 with a space after each comma: `CN=gateway.lan, O=Home`. Attribute types without
	 * a name are shown as numbers; control characters are escaped; names longer than CERTIFICATE_NAME_LIMIT are cut and
	 * end with `…`.
	 */
	readonly subject: string;
	readonly issuer: string;
	/** Validity, Unix ms, inclusive. */
	readonly validFromMs: number;
	readonly validToMs: number;
	readonly keyType: number;
	readonly keyBits: number;
	/** SHA-256 of the certificate in the usual notation: 32 pairs of capital hex digits with colons. */
	readonly fingerprint: string;
	/** True if the next certificate belongs to a certificate authority and has signed this one. */
	readonly issuedByNext: boolean;
}
/** ECDSA on NIST P-256, P-384 or P-521 (FIPS 186-5). */
export const KEY_TYPE_EC = 1;
export const KEY_TYPE_RSA = 2;

export interface CertificateOptions {
	/**
	 * 1 to 4 DNS names of A-Z a-z 0-9 `.` `-` `_`, up to 253 characters, or dotted IPv4 addresses. The first one has up to
	 * 64 characters and is also the subject.
	 */
	readonly names: readonly string[];
	/** Organization and organizational unit of the subject: up to 64 characters of A-Z a-z 0-9 `.-_&'()/:` and blanks. */
	readonly organization?: string;
	readonly unit?: string;
	/** Unix ms, from the years 2000 to 9999, rounded down to whole seconds. */
	readonly validFromMs: number;
	readonly validToMs: number;
	/**
	 * P-256 key as PEM text of up to CERTIFICATE_FILE_LIMIT bytes, possibly after a certificate. Without a usable key, a
	 * new one is created.
	 */
	readonly key?: Uint8Array | undefined;
}

export interface CertificatePair {
	readonly certificate: Uint8Array;
	readonly key: Uint8Array;
}
