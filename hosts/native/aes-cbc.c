#include "aes-cbc.h"

#include <psa/crypto.h>

enum { KEY_SIZE = 16 };

static psa_status_t decrypt(
	psa_key_id_t key, const uint8_t *iv, const uint8_t *text, size_t length, uint8_t *into)
{
	psa_cipher_operation_t operation = PSA_CIPHER_OPERATION_INIT;
	size_t done = 0, rest = 0;
	psa_status_t status = psa_cipher_decrypt_setup(&operation, key, PSA_ALG_CBC_NO_PADDING);
	if (status == PSA_SUCCESS) status = psa_cipher_set_iv(&operation, iv, AES_BLOCK_SIZE);
	if (status == PSA_SUCCESS) status = psa_cipher_update(&operation, text, length, into, length, &done);
	if (status == PSA_SUCCESS) status = psa_cipher_finish(&operation, into + done, length - done, &rest);
	psa_cipher_abort(&operation);
	return status;
}

bool cbc_decrypt(const uint8_t *key, const uint8_t *iv, const uint8_t *text, size_t length, uint8_t *into)
{
	psa_key_attributes_t attributes = PSA_KEY_ATTRIBUTES_INIT;
	psa_key_id_t id;
	psa_set_key_type(&attributes, PSA_KEY_TYPE_AES);
	psa_set_key_algorithm(&attributes, PSA_ALG_CBC_NO_PADDING);
	psa_set_key_usage_flags(&attributes, PSA_KEY_USAGE_DECRYPT);
	if (psa_crypto_init() != PSA_SUCCESS || psa_import_key(&attributes, key, KEY_SIZE, &id) != PSA_SUCCESS)
		return false;
	psa_status_t status = decrypt(id, iv, text, length, into);
	psa_destroy_key(id);
	return status == PSA_SUCCESS;
}
