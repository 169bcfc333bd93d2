/* SHA-256 comes from PSA. HMAC is computed here from SHA-256, because PSA requires a key of at least one byte. */
#include "digest.h"

#include <string.h>

#include <mbedtls/platform_util.h>

#if defined(ESP_PLATFORM)
#include <esp_random.h>
#else
#include <errno.h>
#include <sys/random.h>
#endif

/* Pad bytes of the inner and the outer hash (RFC 2104, 2). */
enum { INNER_PAD = 0x36, OUTER_PAD = 0x5c };

bool digest_start(digest *d)
{
	d->sha256 = psa_hash_operation_init();
	return psa_crypto_init() == PSA_SUCCESS && psa_hash_setup(&d->sha256, PSA_ALG_SHA_256) == PSA_SUCCESS;
}

bool digest_update(digest *d, const void *bytes, size_t length)
{
	// `bytes` of an empty range may be null.
	return length == 0 || psa_hash_update(&d->sha256, bytes, length) == PSA_SUCCESS;
}

bool digest_finish(digest *d, uint8_t result[DIGEST_SIZE])
{
	size_t length;
	bool done = psa_hash_finish(&d->sha256, result, DIGEST_SIZE, &length) == PSA_SUCCESS;
	if (!done) psa_hash_abort(&d->sha256);
	return done;
}

void digest_abort(digest *d)
{
	psa_hash_abort(&d->sha256);
}

static bool start_padded(digest *d, uint8_t pad)
{
	uint8_t block[DIGEST_BLOCK_SIZE];
	for (size_t i = 0; i < sizeof block; i++) block[i] = (uint8_t)(d->key[i] ^ pad);
	bool started = digest_start(d) && digest_update(d, block, sizeof block);
	mbedtls_platform_zeroize(block, sizeof block);
	return started;
}

bool digest_hmac_start(digest *d, const void *key, size_t length)
{
	memset(d->key, 0, sizeof d->key);
	if (length > sizeof d->key) {
		if (!digest_start(d) || !digest_update(d, key, length) || !digest_finish(d, d->key)) return false;
	} else if (length > 0) {
		memcpy(d->key, key, length);
	}
	return start_padded(d, INNER_PAD);
}

bool digest_hmac_finish(digest *d, uint8_t result[DIGEST_SIZE])
{
	bool done = digest_finish(d, result) && start_padded(d, OUTER_PAD) && digest_update(d, result, DIGEST_SIZE) &&
		digest_finish(d, result);
	mbedtls_platform_zeroize(d->key, sizeof d->key);
	return done;
}

bool random_bytes(void *into, size_t length)
{
#if defined(ESP_PLATFORM)
	esp_fill_random(into, length);
#else
	uint8_t *at = into;
	while (length > 0) {
		ssize_t count = getrandom(at, length, 0);
		if (count < 0 && errno == EINTR) continue;
		if (count <= 0) return false;
		at += count;
		length -= (size_t)count;
	}
#endif
	return true;
}
