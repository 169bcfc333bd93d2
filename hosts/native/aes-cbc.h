/* AES-128-CBC decryption (NIST SP 800-38A) for the host's `crypto`, using PSA (Mbed TLS 2.28 and 4.x). */
#ifndef AES_CBC_H
#define AES_CBC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { AES_BLOCK_SIZE = 16 };

/*
 * `length` is a multiple of AES_BLOCK_SIZE. The key has 16 bytes, the IV AES_BLOCK_SIZE. Returns false if the library
 * fails.
 */
bool cbc_decrypt(const uint8_t *key, const uint8_t *iv, const uint8_t *text, size_t length, uint8_t *into);

#endif
