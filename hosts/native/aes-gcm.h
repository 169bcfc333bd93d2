/* AES-128-GCM (NIST SP 800-38D), using PSA (Mbed TLS 2.28 and 4.x). */
#ifndef AES_GCM_H
#define AES_GCM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { AES_KEY_SIZE = 16, GCM_IV_SIZE = 12, GCM_TAG_SIZE = 16 };

typedef struct {
	const uint8_t *key;
	const uint8_t *iv;
	const uint8_t *associated;
	size_t associated_length;
	const uint8_t *text;
	size_t text_length;
} gcm_input;

/*
 * Writes text_length + GCM_TAG_SIZE bytes to `into`: first the ciphertext, then the tag. Returns false if the library
 * fails.
 */
bool gcm_encrypt(const gcm_input *input, uint8_t *into);

#endif
