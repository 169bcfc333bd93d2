/*
 * X.509 certificates (RFC 5280) and private keys as PEM text (RFC 7468), using Mbed TLS: reads a file for the host's
 * `crypto`, and makes the gateway's self-signed certificate. Gives the same results as hosts/node/x509.ts. Only one
 * thread at a time may call these functions.
 */
#ifndef CERTIFICATE_H
#define CERTIFICATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	/* Size limit of an uploaded file, bytes; `max_size` in the API. */
	CERTIFICATE_FILE_LIMIT = 12288,
	CERTIFICATE_CHAIN_LIMIT = 6,
	/* Limit of a name's text, bytes of UTF-8. A longer name is cut and ends in "…". */
	CERTIFICATE_NAME_LIMIT = 255,
	/* Size of a fingerprint's text: 32 pairs of digits, each followed by a colon or the NUL. */
	CERTIFICATE_FINGERPRINT_SIZE = 96,
	/*
	 * Number of names of a certificate. The first name is also the common name, which must not exceed
	 * CERTIFICATE_COMMON_NAME_LIMIT (RFC 5280, A.1).
	 */
	CERTIFICATE_NAMES_LIMIT = 4,
	CERTIFICATE_COMMON_NAME_LIMIT = 64,
	/* Limit of the organization and of its unit (RFC 5280, A.1). */
	CERTIFICATE_ORGANIZATION_LIMIT = 64,
	CERTIFICATE_DNS_NAME_LIMIT = 253,
	/* Size of each PEM text from certificate_make, with the NUL. */
	CERTIFICATE_PEM_SIZE = 2560,
	PRIVATE_KEY_PEM_SIZE = 320,
};

/* Kinds of keys, numbered as in modules/io/host.ts. */
typedef enum { KEY_TYPE_EC = 1, KEY_TYPE_RSA = 2 } certificate_key_type;
typedef enum {
	CERTIFICATES_WELL = 0,
	CERTIFICATES_DAMAGED = 1,
	CERTIFICATES_UNSUPPORTED = 2,
	CERTIFICATES_TOO_MANY = 3,
} certificates_problem;
typedef enum {
	PRIVATE_KEY_ABSENT = 0,
	PRIVATE_KEY_MATCHES = 1,
	PRIVATE_KEY_FOREIGN = 2,
	PRIVATE_KEY_ENCRYPTED = 3,
	PRIVATE_KEY_UNREADABLE = 4,
	PRIVATE_KEY_LATER = 5,
} private_key_state;

typedef struct {
	/* Names are NUL-terminated, well-formed UTF-8 without control characters. */
	char subject[CERTIFICATE_NAME_LIMIT + 1];
	char issuer[CERTIFICATE_NAME_LIMIT + 1];
	/* Unix time, ms. */
	int64_t valid_from_ms;
	int64_t valid_to_ms;
	certificate_key_type key_type;
	unsigned key_bits;
	/* SHA-256 of the DER as text: AB:CD:… */
	char fingerprint[CERTIFICATE_FINGERPRINT_SIZE];
	/* True if the next certificate in the file belongs to the authority that signed this certificate. */
	bool issued_by_next;
} certificate_details;

typedef struct {
	certificates_problem problem;
	private_key_state key;
	size_t count;
	certificate_details certificates[CERTIFICATE_CHAIN_LIMIT];
} certificate_file;

typedef enum {
	CERTIFICATE_OK = 0,
	/* An argument exceeds its limit. In JavaScript this status becomes a RangeError. */
	CERTIFICATE_RANGE = 1,
	CERTIFICATE_FAILED = 2,
} certificate_status;

/*
 * Parses PEM text or one DER certificate into *file. *file has about 3.4 KB, too much for a small stack. Problems of
 * the file are reported in *file, not in the status.
 */
certificate_status certificate_read(const uint8_t *bytes, size_t length, certificate_file *file);

typedef struct {
	/* DNS names of the characters A-Z a-z 0-9 . - _, or IPv4 addresses (ipv4.h), NUL-terminated. */
	const char *names[CERTIFICATE_NAMES_LIMIT];
	size_t name_count;
	/*
	 * Organization in the subject, and its unit. They consist of A-Z a-z 0-9 . - _ & ' ( ) / : and blanks. NULL or ""
	 * omits them.
	 */
	const char *organization;
	const char *unit;
	/* Unix time, ms, from 2000-01-01 to 9999-12-31; fractions of a second are dropped. */
	int64_t valid_from_ms;
	int64_t valid_to_ms;
	/* NUL-terminated PEM text of the P-256 key to use. If the pointer is NULL or the text unusable, a new key is made. */
	const char *own_key;
} certificate_options;

/*
 * Makes a certificate and, unless own_key is usable, the P-256 key that signs it. Writes both as NUL-terminated PEM
 * text. The caller must erase `key`. Needs about 6 KB of stack, including Mbed TLS.
 */
certificate_status certificate_make(
	const certificate_options *options, char certificate[CERTIFICATE_PEM_SIZE], char key[PRIVATE_KEY_PEM_SIZE]);

#endif
