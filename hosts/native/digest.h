/* SHA-256 (FIPS 180-4), HMAC-SHA-256 (RFC 2104) and random bytes. */
#ifndef DIGEST_H
#define DIGEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <psa/crypto.h>

enum { DIGEST_SIZE = 32, DIGEST_BLOCK_SIZE = 64 };

typedef struct {
	psa_hash_operation_t sha256;
	/* Key of an HMAC, padded to one block. The outer hash needs it. */
	uint8_t key[DIGEST_BLOCK_SIZE];
} digest;

/* Each of these functions returns false if the library fails. *d is undefined then. */
bool digest_start(digest *d);
bool digest_update(digest *d, const void *bytes, size_t length);
bool digest_finish(digest *d, uint8_t result[DIGEST_SIZE]);

/* Frees an unfinished digest. */
void digest_abort(digest *d);

/* Begins an HMAC. The key may have any length. Pass the message with digest_update, then call digest_finish. */
bool digest_hmac_start(digest *d, const void *key, size_t length);
bool digest_hmac_finish(digest *d, uint8_t result[DIGEST_SIZE]);

/* Returns false if the system has no random bytes. */
bool random_bytes(void *into, size_t length);

#endif
