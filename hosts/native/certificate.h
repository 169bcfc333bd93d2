/*
 * X.509 certificates (RFC 5280) and private keys as PEM text (RFC 7468), using Mbed TLS: reads a file for the host's
 * `crypto`, and makes the gateway's self-signed certificate. Gives the same results as hosts/node/x509.ts. Plain C for
 * one caller at a time.
 */
#ifndef CERTIFICATE_H
#define CERTIFICATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	/* `max_size` of the API, bytes. */
	CERTIFICATE_FILE_LIMIT = 12288,
	CERTIFICATE_CHAIN_LIMIT = 6,
	/* Bytes of UTF-8; a longer name is cut and ends in "…". */
	CERTIFICATE_NAME_LIMIT = 255,
	/* 32 pairs of digits, each followed by a colon or the NUL. */
	CERTIFICATE_FINGERPRINT_SIZE = 96,
	/* The first name is the common name (RFC 5280, A.1). */
	CERTIFICATE_NAMES_LIMIT = 4,
	CERTIFICATE_COMMON_NAME_LIMIT = 64,
	/* Organization and its unit (RFC 5280, A.1). */
	CERTIFICATE_ORGANIZATION_LIMIT = 64,
	CERTIFICATE_DNS_NAME_LIMIT = 253,
	/* Size of each PEM text that certificate_make makes, with the NUL. */
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
	/* Names are well-formed UTF-8 without control characters, NUL-terminated. */
	char subject[CERTIFICATE_NAME_LIMIT + 1];
	char issuer[CERTIFICATE_NAME_LIMIT + 1];
	/* Unix time, ms. */
	int64_t valid_from_ms;
	int64_t valid_to_ms;
	certificate_key_type key_type;
	unsigned key_bits;
	/* SHA-256 of the DER as text: AB:CD:… */
	char fingerprint[CERTIFICATE_FINGERPRINT_SIZE];
	/* The next certificate in the file is the authority that signed this certificate. */
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
	/* An argument exceeds its limit, which becomes a RangeError. */
	CERTIFICATE_RANGE = 1,
	CERTIFICATE_FAILED = 2,
} certificate_status;

/*
 * Parses PEM text or one DER certificate into *file (about 3.4 KB, too large for a small stack). Problems of the file
 * are reported in *file, not in the status.
 */
certificate_status certificate_read(const uint8_t *bytes, size_t length, certificate_file *file);

typedef struct {
	/* DNS names of A-Z a-z 0-9 . - _, or IPv4 addresses (ipv4.h), NUL-terminated. */
	const char *names[CERTIFICATE_NAMES_LIMIT];
	size_t name_count;
	/* Organization in the subject, and its unit, of A-Z a-z 0-9 . - _ & ' ( ) / : and blanks; NULL or "" for none. */
	const char *organization;
	const char *unit;
	/* Unix time, ms, from 2000-01-01 to 9999-12-31; fractions of a second are dropped. */
	int64_t valid_from_ms;
	int64_t valid_to_ms;
	/* NUL-terminated PEM text of the P-256 key to use. If it is NULL or unusable, a new key is made. */
	const char *own_key;
} certificate_options;

/*
 * Makes a P-256 key and a certificate signed with it, both as NUL-terminated PEM text. The caller must erase `key`.
 * Needs about 6 KB of stack, including the library.
 */
certificate_status certificate_make(
	const certificate_options *options, char certificate[CERTIFICATE_PEM_SIZE], char key[PRIVATE_KEY_PEM_SIZE]);

#endif
