/** Cryptography of the host contract (host.ts): random bytes, hashes, ciphers, keys and certificates. Types, and their limits. */
/** Bytes of a key and of an initialization vector of `aes128GCM`, and of its tag. */
export const AES_KEY_LENGTH = 16;
export const GCM_IV_LENGTH = 12;
export const GCM_TAG_LENGTH = 16;

export interface Crypto {
	/** `length` unpredictable bytes. */
	random(length: number): Uint8Array;
	/** SHA-256 (FIPS 180-4) of the parts one after another; 32 bytes. */
	sha256(...parts: Uint8Array[]): Uint8Array;
	/** HMAC-SHA-256 (RFC 2104) of the parts one after another; 32 bytes. */
	hmacSHA256(key: Uint8Array, ...parts: Uint8Array[]): Uint8Array;
	/**
	 * AES-128 in Galois/counter mode (NIST SP 800-38D): `text` encrypted, then the tag of 16 bytes over it and `associated`.
	 * `key` has 16 bytes, `iv` 12; else a RangeError. What was encrypted is decrypted by being encrypted again.
	 */
	aes128GCM(key: Uint8Array, iv: Uint8Array, associated: Uint8Array, text: Uint8Array): Uint8Array;
	/** A SHA-256 of what is given to it piece by piece. */
	hash(): Hash;
	/**
	 * Whether `signature` (r and s, 32 bytes each) is ECDSA on P-256 with SHA-256 (FIPS 186-5) of `message` by the key whose
	 * public half is `publicKey` (P256_POINT_LENGTH bytes). False too for a key or a signature of another length, a point
	 * that is not on the curve, and an r or s out of range.
	 */
	verifyP256(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean;
	/**
	 * ECDH on P-256 (NIST SP 800-56A, 5.7.1.2) of a new key, made for this call alone, with `publicKey`. A RangeError for
	 * one of another length, or that is not on the curve.
	 */
	agreeP256(publicKey: Uint8Array): KeyAgreement;
	/**
	 * What stands in a file of PEM text (RFC 7468; bytes, anything around the blocks is skipped) or in one certificate as
	 * DER. What is wrong with the file is told in the result; only more than CERTIFICATE_FILE_LIMIT bytes are a RangeError.
	 */
	readCertificates(file: Uint8Array): CertificateFile;
	/** A P-256 key and a certificate for it (RFC 5280), signed by itself. Throws a RangeError for what is not allowed. */
	makeCertificate(options: CertificateOptions): CertificatePair;
}

/** Bytes of a point of P-256 in its uncompressed form (SEC 1, 2.3.3): 4, x, y. */
export const P256_POINT_LENGTH = 65;
/** Bytes of an ECDSA signature on P-256: r and s. */
export const P256_SIGNATURE_LENGTH = 64;

/** SHA-256 of a stream of bytes. */
export interface Hash {
	/** Takes bytes[start..end). */
	update(bytes: Uint8Array, start?: number, end?: number): void;
	/** The 32 bytes; it is over then: another call of either method is an Error. */
	digest(): Uint8Array;
}

export interface KeyAgreement {
	/** The new key's public half, P256_POINT_LENGTH bytes. */
	readonly publicKey: Uint8Array;
	/** x of the point that both sides know, 32 bytes. */
	readonly secret: Uint8Array;
}

/** The longest file of certificates, bytes (`max_size` of the API), and the most certificates that are told of one. */
export const CERTIFICATE_FILE_LIMIT = 12288;
export const CERTIFICATE_CHAIN_LIMIT = 6;
/** The longest name of a certificate as text, bytes of UTF-8. */
export const CERTIFICATE_NAME_LIMIT = 255;

export interface CertificateFile {
	/** In the order of the file: the first CERTIFICATE_CHAIN_LIMIT, or those before the problem. */
	readonly certificates: readonly CertificateDetails[];
	/** CERTIFICATES_…; CERTIFICATES_WELL also when there are none. */
	readonly problem: number;
	/** PRIVATE_KEY_… of the first private key: PKCS#8 (RFC 5958), SEC 1 (RFC 5915) or PKCS#1 (RFC 8017, A.1.2). */
	readonly key: number;
}
export const CERTIFICATES_WELL = 0;
/** The next block is cut off, or no certificate. */
export const CERTIFICATES_DAMAGED = 1;
/**
 * The next one has a key, a signature or a critical extension of a kind that the TLS of this host doesn't know, or a key
 * that takes long to verify by: RSA of more than 4096 bits, or with an exponent of more than 32. Nothing is verified by it.
 */
export const CERTIFICATES_UNSUPPORTED = 2;
/** Nothing else, but there are more than CERTIFICATE_CHAIN_LIMIT. */
export const CERTIFICATES_TOO_MANY = 3;

export const PRIVATE_KEY_ABSENT = 0;
/** It is the key of the first certificate. */
export const PRIVATE_KEY_MATCHES = 1;
/** It is of none of them. */
export const PRIVATE_KEY_FOREIGN = 2;
export const PRIVATE_KEY_ENCRYPTED = 3;
/** It is damaged, or of a kind that the TLS of this host doesn't know, or RSA of more than 4096 bits. */
export const PRIVATE_KEY_UNREADABLE = 4;
/** It is the key of a certificate behind the first. */
export const PRIVATE_KEY_LATER = 5;

export interface CertificateDetails {
	/**
	 * Distinguished names as in RFC 4514 with a space after each comma: `CN=gateway.lan, O=Home`. Types without a name
	 * there are numbers; control characters are escaped; what is longer than CERTIFICATE_NAME_LIMIT is cut, with `…`.
	 */
	readonly subject: string;
	readonly issuer: string;
	/** Unix time in milliseconds; both ends belong to the time. */
	readonly validFromMs: number;
	readonly validToMs: number;
	/** KEY_TYPE_… */
	readonly keyType: number;
	readonly keyBits: number;
	/** The certificate that follows is an authority's, and its key has signed this one. */
	readonly issuedByNext: boolean;
}
/** ECDSA on NIST P-256, P-384 or P-521 (FIPS 186-5). */
export const KEY_TYPE_EC = 1;
export const KEY_TYPE_RSA = 2;

export interface CertificateOptions {
	/**
	 * 1 to 4 DNS names of A-Z a-z 0-9 `.` `-` `_`, up to 253 characters, or IPv4 addresses in dotted decimal; the first,
	 * up to 64, is the subject's too.
	 */
	readonly names: readonly string[];
	/** Unix time in milliseconds, from 2000 to 9999; fractions of a second are cut off. */
	readonly validFromMs: number;
	readonly validToMs: number;
	/**
	 * PEM text with the P-256 key that it is to be for, up to CERTIFICATE_FILE_LIMIT bytes; a certificate may stand before
	 * it. Without one, and where it can't be used, there is a new key.
	 */
	readonly key?: Uint8Array | undefined;
}

/** Both as PEM text. */
export interface CertificatePair {
	readonly certificate: Uint8Array;
	readonly key: Uint8Array;
}
