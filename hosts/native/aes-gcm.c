#include "aes-gcm.h"

#include <psa/crypto.h>

bool gcm_encrypt(const gcm_input *input, uint8_t *into)
{
	psa_key_attributes_t attributes = PSA_KEY_ATTRIBUTES_INIT;
	psa_key_id_t key;
	size_t length;
	psa_set_key_type(&attributes, PSA_KEY_TYPE_AES);
	psa_set_key_algorithm(&attributes, PSA_ALG_GCM);
	psa_set_key_usage_flags(&attributes, PSA_KEY_USAGE_ENCRYPT);
	if (psa_crypto_init() != PSA_SUCCESS ||
		psa_import_key(&attributes, input->key, AES_KEY_SIZE, &key) != PSA_SUCCESS)
		return false;
	psa_status_t status = psa_aead_encrypt(key, PSA_ALG_GCM, input->iv, GCM_IV_SIZE, input->associated,
		input->associated_length, input->text, input->text_length, into, input->text_length + GCM_TAG_SIZE, &length);
	psa_destroy_key(key);
	return status == PSA_SUCCESS;
}
