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

/*
 * Checks a signature, which consists of r and s. Also returns false if the point is not on the curve, if r or s is out
 * of range, or if the library fails.
 */
bool p256_verify(const uint8_t point[P256_POINT_SIZE], const uint8_t *message, size_t length,
	const uint8_t signature[P256_SIGNATURE_SIZE]);

typedef enum { P256_OK, P256_NO_POINT, P256_FAILED } p256_status;

/*
 * Makes a new key. `own` gets the public point of this key. `secret` gets the x coordinate of the point that the new
 * key and `point` share.
 */
p256_status p256_agree(const uint8_t point[P256_POINT_SIZE], uint8_t own[P256_POINT_SIZE], uint8_t secret[P256_SECRET_SIZE]);

#endif
