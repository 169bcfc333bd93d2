#include "p256.h"

#include <psa/crypto.h>

/* First byte of an uncompressed point (SEC 1, 2.3.3). */
enum { UNCOMPRESSED = 4 };

/* Fails with PSA_ERROR_INVALID_ARGUMENT unless the bytes are an uncompressed point on the curve. */
static psa_status_t import_point(const uint8_t point[P256_POINT_SIZE], psa_key_id_t *key)
{
	psa_key_attributes_t attributes = PSA_KEY_ATTRIBUTES_INIT;
	if (point[0] != UNCOMPRESSED) return PSA_ERROR_INVALID_ARGUMENT;
	psa_set_key_type(&attributes, PSA_KEY_TYPE_ECC_PUBLIC_KEY(PSA_ECC_FAMILY_SECP_R1));
	psa_set_key_bits(&attributes, 256);
	psa_set_key_algorithm(&attributes, PSA_ALG_ECDSA(PSA_ALG_SHA_256));
	psa_set_key_usage_flags(&attributes, PSA_KEY_USAGE_VERIFY_MESSAGE);
	psa_status_t status = psa_crypto_init();
	return status == PSA_SUCCESS ? psa_import_key(&attributes, point, P256_POINT_SIZE, key) : status;
}

bool p256_verify(const uint8_t point[P256_POINT_SIZE], const uint8_t *message, size_t length,
	const uint8_t signature[P256_SIGNATURE_SIZE])
{
	psa_key_id_t key;
	if (import_point(point, &key) != PSA_SUCCESS) return false;
	psa_status_t status = psa_verify_message(
		key, PSA_ALG_ECDSA(PSA_ALG_SHA_256), message, length, signature, P256_SIGNATURE_SIZE);
	psa_destroy_key(key);
	return status == PSA_SUCCESS;
}

p256_status p256_agree(const uint8_t point[P256_POINT_SIZE], uint8_t own[P256_POINT_SIZE], uint8_t secret[P256_SECRET_SIZE])
{
	psa_key_attributes_t attributes = PSA_KEY_ATTRIBUTES_INIT;
	psa_key_id_t key;
	size_t own_size, secret_size;
	// This checks the point before psa_raw_key_agreement, which reports other mistakes with the same error as an invalid
	// point.
	psa_status_t status = import_point(point, &key);
	if (status == PSA_ERROR_INVALID_ARGUMENT) return P256_NO_POINT;
	if (status != PSA_SUCCESS) return P256_FAILED;
	psa_destroy_key(key);
	psa_set_key_type(&attributes, PSA_KEY_TYPE_ECC_KEY_PAIR(PSA_ECC_FAMILY_SECP_R1));
	psa_set_key_bits(&attributes, 256);
	psa_set_key_algorithm(&attributes, PSA_ALG_ECDH);
	psa_set_key_usage_flags(&attributes, PSA_KEY_USAGE_DERIVE);
	if (psa_generate_key(&attributes, &key) != PSA_SUCCESS) return P256_FAILED;
	bool done = psa_export_public_key(key, own, P256_POINT_SIZE, &own_size) == PSA_SUCCESS &&
		psa_raw_key_agreement(PSA_ALG_ECDH, key, point, P256_POINT_SIZE, secret, P256_SECRET_SIZE, &secret_size) ==
			PSA_SUCCESS;
	psa_destroy_key(key);
	return done ? P256_OK : P256_FAILED;
}
