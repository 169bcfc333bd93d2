/*
 * ECDSA with SHA-256 (FIPS 186-5) and ECDH (NIST SP 800-56A) on P-256, using PSA. Points are uncompressed (SEC 1,
 * 2.3.3): 4, x, y.
 */
#ifndef P256_H
#define P256_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { P256_POINT_SIZE = 65, P256_SIGNATURE_SIZE = 64, P256_SECRET_SIZE = 32 };

/* `signature`: r, s. Also false for a point off the curve, r or s out of range, and a failure of the library. */
bool p256_verify(const uint8_t point[P256_POINT_SIZE], const uint8_t *message, size_t length,
	const uint8_t signature[P256_SIGNATURE_SIZE]);

typedef enum { P256_OK, P256_NO_POINT, P256_FAILED } p256_status;

/* Makes a new key. `own` gets its public point, `secret` the x coordinate of the point that it shares with `point`. */
p256_status p256_agree(const uint8_t point[P256_POINT_SIZE], uint8_t own[P256_POINT_SIZE], uint8_t secret[P256_SECRET_SIZE]);

#endif
