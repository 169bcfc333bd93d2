/*
 * SHA-256 (FIPS 180-4), HMAC-SHA-256 (RFC 2104) and random bytes for the host's `crypto`; SHA-256 by Mbed TLS. A
 * message comes in any number of parts. No heap, no state between calls.
 */
#ifndef DIGEST_H
#define DIGEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <psa/crypto.h>

enum { DIGEST_SIZE = 32, DIGEST_BLOCK_SIZE = 64 };

typedef struct {
	psa_hash_operation_t sha256;
	/* HMAC: the key as one block, for the outer hash. */
	uint8_t key[DIGEST_BLOCK_SIZE];
} digest;

/* Each function returns false when the library fails; *d is undefined then. */
bool digest_start(digest *d);
bool digest_update(digest *d, const void *bytes, size_t length);
bool digest_finish(digest *d, uint8_t result[DIGEST_SIZE]);

/* Releases the library's memory of a digest that was started and is not finished. */
void digest_abort(digest *d);

/* A key of any length. Between start and finish: digest_update. */
bool digest_hmac_start(digest *d, const void *key, size_t length);
bool digest_hmac_finish(digest *d, uint8_t result[DIGEST_SIZE]);

/* Fills `into` with unpredictable bytes; false when the system has none to give. */
bool random_bytes(void *into, size_t length);

#endif
