#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mbedtls/platform_util.h>

#include "mc.xs.h"
#include "xsmc.h"

#include "aes-cbc.h"
#include "aes-gcm.h"
#include "certificate.h"
#include "digest.h"
#include "p256.h"

enum { RANDOM_LIMIT = 4096 };

/* Limit of a time in JavaScript (ECMA-262, 21.4.1.1). */
static const double MS_LIMIT = 8.64e15;

static void check(xsMachine *the, bool done)
{
	if (!done) xsUnknownError("the cryptography library has failed");
}

/* Throws if an argument from `first` on is not a buffer. Call this function before anything is allocated. */
static void expect_buffers(xsMachine *the, xsIntegerValue first)
{
	for (xsIntegerValue i = first; i < xsmcArgc; i++) {
		void *bytes;
		xsUnsignedValue size;
		xsmcGetBufferReadable(xsArg(i), &bytes, &size);
	}
}

static bool update(xsMachine *the, digest *state, xsIntegerValue first)
{
	for (xsIntegerValue i = first; i < xsmcArgc; i++) {
		void *bytes;
		xsUnsignedValue size;
		xsmcGetBufferReadable(xsArg(i), &bytes, &size);
		if (!digest_update(state, bytes, size)) return false;
	}
	return true;
}

void xs_crypto_sha256(xsMachine *the)
{
	digest state;
	uint8_t result[DIGEST_SIZE];
	expect_buffers(the, 0);
	check(the, digest_start(&state) && update(the, &state, 0) && digest_finish(&state, result));
	xsmcSetArrayBuffer(xsResult, result, sizeof result);
}

void xs_crypto_hmac_sha256(xsMachine *the)
{
	digest state;
	uint8_t result[DIGEST_SIZE];
	void *key;
	xsUnsignedValue size;
	expect_buffers(the, 0);
	xsmcGetBufferReadable(xsArg(0), &key, &size);
	bool done =
		digest_hmac_start(&state, key, size) && update(the, &state, 1) && digest_hmac_finish(&state, result);
	// If the library has failed, the state may still contain the key.
	mbedtls_platform_zeroize(&state, sizeof state);
	check(the, done);
	xsmcSetArrayBuffer(xsResult, result, sizeof result);
}

void xs_crypto_aes_128_gcm(xsMachine *the)
{
	gcm_input input;
	void *bytes, *into;
	xsUnsignedValue size, result_size;
	for (int pass = 0; pass < 2; pass++) {
		// Calls that can throw or move memory come first. Pointers that are obtained afterwards stay valid.
		if (pass == 1) xsmcSetArrayBuffer(xsResult, NULL, (xsIntegerValue)(input.text_length + GCM_TAG_SIZE));
		xsmcGetBufferReadable(xsArg(0), &bytes, &size);
		if (size != AES_KEY_SIZE) xsRangeError("a key of AES-128 has 16 bytes");
		input.key = bytes;
		xsmcGetBufferReadable(xsArg(1), &bytes, &size);
		if (size != GCM_IV_SIZE) xsRangeError("an initialization vector has 12 bytes");
		input.iv = bytes;
		xsmcGetBufferReadable(xsArg(2), &bytes, &size);
		input.associated = bytes;
		input.associated_length = size;
		xsmcGetBufferReadable(xsArg(3), &bytes, &size);
		input.text = bytes;
		input.text_length = size;
	}
	xsmcGetBufferWritable(xsResult, &into, &result_size);
	check(the, gcm_encrypt(&input, into));
}

void xs_crypto_aes_128_cbc_decrypt(xsMachine *the)
{
	void *key, *iv, *text, *into;
	xsUnsignedValue key_size, iv_size, text_size, result_size;
	for (int pass = 0; pass < 2; pass++) {
		if (pass == 1) xsmcSetArrayBuffer(xsResult, NULL, (xsIntegerValue)text_size);
		xsmcGetBufferReadable(xsArg(0), &key, &key_size);
		xsmcGetBufferReadable(xsArg(1), &iv, &iv_size);
		xsmcGetBufferReadable(xsArg(2), &text, &text_size);
		if (key_size != AES_KEY_SIZE) xsRangeError("a key of AES-128 has 16 bytes");
		if (iv_size != AES_BLOCK_SIZE) xsRangeError("an initialization vector has 16 bytes");
		if (text_size == 0 || text_size % AES_BLOCK_SIZE != 0) xsRangeError("a text consists of blocks of 16 bytes");
	}
	xsmcGetBufferWritable(xsResult, &into, &result_size);
	check(the, cbc_decrypt(key, iv, text, text_size, into));
}

void xs_hash_destructor(void *data)
{
	if (!data) return;
	digest_abort(data);
	free(data);
}

/* The object's host data are the state of an unfinished hash. xs_hash_digest frees them. */
void xs_hash(xsMachine *the)
{
	digest *state = malloc(sizeof(digest));
	if (!state) xsUnknownError("out of memory");
	if (!digest_start(state)) {
		free(state);
		check(the, false);
	}
	xsmcSetHostData(xsThis, state);
}

static digest *hash_of(xsMachine *the)
{
	digest *state = xsmcGetHostData(xsThis);
	if (!state) xsUnknownError("the hash was given already");
	return state;
}

void xs_hash_update(xsMachine *the)
{
	digest *state = hash_of(the);
	void *bytes;
	xsUnsignedValue size;
	double start = xsmcToNumber(xsArg(1)), end = xsmcToNumber(xsArg(2));
	xsmcGetBufferReadable(xsArg(0), &bytes, &size);
	if (!(start >= 0 && start <= end && end <= (double)size)) xsRangeError("beyond the bytes");
	check(the, digest_update(state, (uint8_t *)bytes + (size_t)start, (size_t)end - (size_t)start));
}

void xs_hash_digest(xsMachine *the)
{
	uint8_t result[DIGEST_SIZE];
	digest *state = hash_of(the);
	bool done = digest_finish(state, result);
	free(state);
	xsmcSetHostData(xsThis, NULL);
	check(the, done);
	xsmcSetArrayBuffer(xsResult, result, sizeof result);
}

void xs_crypto_verify_p256(xsMachine *the)
{
	void *point, *message, *signature;
	xsUnsignedValue point_size, size, signature_size;
	xsmcGetBufferReadable(xsArg(0), &point, &point_size);
	xsmcGetBufferReadable(xsArg(1), &message, &size);
	xsmcGetBufferReadable(xsArg(2), &signature, &signature_size);
	bool fits = point_size == P256_POINT_SIZE && signature_size == P256_SIGNATURE_SIZE;
	xsmcSetBoolean(xsResult, fits && p256_verify(point, message, size, signature));
}

/* Argument: publicKey. Returns a new public key, followed by the shared secret. */
void xs_crypto_agree_p256(xsMachine *the)
{
	uint8_t result[P256_POINT_SIZE + P256_SECRET_SIZE];
	void *point;
	xsUnsignedValue size;
	xsmcGetBufferReadable(xsArg(0), &point, &size);
	p256_status status =
		size == P256_POINT_SIZE ? p256_agree(point, result, result + P256_POINT_SIZE) : P256_NO_POINT;
	if (status == P256_NO_POINT) xsRangeError("that is not a point of P-256");
	check(the, status == P256_OK);
	xsmcSetArrayBuffer(xsResult, result, sizeof result);
	mbedtls_platform_zeroize(result, sizeof result);
}

void xs_crypto_random(xsMachine *the)
{
	void *bytes;
	xsUnsignedValue size;
	xsIntegerValue length = xsmcToInteger(xsArg(0));
	if (length < 0 || length > RANDOM_LIMIT) xsRangeError("at most 4096 random bytes");
	xsmcSetArrayBuffer(xsResult, NULL, length);
	xsmcGetBufferWritable(xsResult, &bytes, &size);
	check(the, random_bytes(bytes, size));
}

static void set_number(xsMachine *the, xsSlot *object, xsIdentifier name, double value)
{
	xsSlot number;
	xsmcSetNumber(number, value);
	xsmcSet(*object, name, number);
}

void xs_crypto_read_certificates(xsMachine *the)
{
	void *bytes;
	xsUnsignedValue size;
	xsmcVars(3);
	xsmcGetBufferReadable(xsArg(0), &bytes, &size);
	certificate_file *file = malloc(sizeof(certificate_file));
	if (!file) xsUnknownError("out of memory");
	certificate_status status = certificate_read(bytes, size, file);
	if (status != CERTIFICATE_OK) {
		free(file);
		if (status == CERTIFICATE_RANGE) xsRangeError("the file is too large");
		xsUnknownError("the certificates can't be read");
	}
	xsTry {
		xsmcSetNewObject(xsResult);
		xsmcSetNewArray(xsVar(0), 0);
		xsmcSet(xsResult, xsID_certificates, xsVar(0));
		for (size_t i = 0; i < file->count; i++) {
			const certificate_details *details = &file->certificates[i];
			xsmcSetNewObject(xsVar(1));
			xsmcSetIndex(xsVar(0), (xsIndex)i, xsVar(1));
			xsmcSetString(xsVar(2), (xsStringValue)details->subject);
			xsmcSet(xsVar(1), xsID_subject, xsVar(2));
			xsmcSetString(xsVar(2), (xsStringValue)details->issuer);
			xsmcSet(xsVar(1), xsID_issuer, xsVar(2));
			set_number(the, &xsVar(1), xsID_validFromMs, (double)details->valid_from_ms);
			set_number(the, &xsVar(1), xsID_validToMs, (double)details->valid_to_ms);
			set_number(the, &xsVar(1), xsID_keyType, details->key_type);
			set_number(the, &xsVar(1), xsID_keyBits, details->key_bits);
			xsmcSetString(xsVar(2), (xsStringValue)details->fingerprint);
			xsmcSet(xsVar(1), xsID_fingerprint, xsVar(2));
			xsmcSetBoolean(xsVar(2), details->issued_by_next);
			xsmcSet(xsVar(1), xsID_issuedByNext, xsVar(2));
		}
		set_number(the, &xsResult, xsID_problem, file->problem);
		set_number(the, &xsResult, xsID_key, file->key);
	}
	xsCatch {
		free(file);
		xsThrow(xsException);
	}
	free(file);
}

enum { ARG_ORGANIZATION = 3, ARG_UNIT, ARG_NAMES };

/* Working memory that would be too large for the microcontroller's stack. */
typedef struct {
	char organization[CERTIFICATE_ORGANIZATION_LIMIT + 2];
	char unit[CERTIFICATE_ORGANIZATION_LIMIT + 2];
	char names[CERTIFICATE_NAMES_LIMIT][CERTIFICATE_DNS_NAME_LIMIT + 2];
	char certificate[CERTIFICATE_PEM_SIZE];
	char key[PRIVATE_KEY_PEM_SIZE];
	size_t own_key_size;
	char own_key[];
} certificate_texts;

static void free_texts(certificate_texts *texts)
{
	mbedtls_platform_zeroize(texts->key, sizeof texts->key);
	mbedtls_platform_zeroize(texts->own_key, texts->own_key_size);
	free(texts);
}

static int64_t whole_ms(double ms)
{
	return ms >= 0 && ms < MS_LIMIT ? (int64_t)ms : -1;
}

/*
 * Arguments: validFromMs, validToMs, key or undefined, organization, unit, ...names. Returns two ArrayBuffers with PEM
 * text: the certificate and its key.
 */
void xs_crypto_make_certificate(xsMachine *the)
{
	certificate_options options = {
		.valid_from_ms = whole_ms(xsmcToNumber(xsArg(0))),
		.valid_to_ms = whole_ms(xsmcToNumber(xsArg(1))),
		.name_count = (size_t)(xsmcArgc - ARG_NAMES),
	};
	void *key = NULL;
	xsUnsignedValue key_size = 0;
	if (options.name_count > CERTIFICATE_NAMES_LIMIT) xsRangeError("a certificate has 1 to 4 names");
	// Calls that can throw or move memory come first. Here these are the conversions of arguments to strings.
	for (xsIntegerValue i = ARG_ORGANIZATION; i < xsmcArgc; i++) xsmcToString(xsArg(i));
	xsmcVars(1);
	if (xsmcTypeOf(xsArg(2)) != xsUndefinedType) xsmcGetBufferReadable(xsArg(2), &key, &key_size);
	if (key_size > CERTIFICATE_FILE_LIMIT) xsRangeError("the key is too large");
	certificate_texts *texts = malloc(sizeof(certificate_texts) + key_size + 1);
	if (!texts) xsUnknownError("out of memory");
	texts->own_key_size = key_size + 1;
	if (key_size > 0) memcpy(texts->own_key, key, key_size);
	texts->own_key[key_size] = 0;
	options.own_key = texts->own_key;
	snprintf(texts->organization, sizeof texts->organization, "%s", xsmcToString(xsArg(ARG_ORGANIZATION)));
	options.organization = texts->organization;
	snprintf(texts->unit, sizeof texts->unit, "%s", xsmcToString(xsArg(ARG_UNIT)));
	options.unit = texts->unit;
	for (size_t i = 0; i < options.name_count; i++) {
		snprintf(texts->names[i], sizeof texts->names[i], "%s", xsmcToString(xsArg((xsIntegerValue)i + ARG_NAMES)));
		options.names[i] = texts->names[i];
	}
	certificate_status status = certificate_make(&options, texts->certificate, texts->key);
	if (status != CERTIFICATE_OK) {
		free_texts(texts);
		if (status == CERTIFICATE_RANGE) xsRangeError("a name or a time of the certificate is not allowed");
		xsUnknownError("the certificate can't be made");
	}
	xsTry {
		xsmcSetNewArray(xsResult, 0);
		xsmcSetArrayBuffer(xsVar(0), texts->certificate, (xsIntegerValue)strlen(texts->certificate));
		xsmcSetIndex(xsResult, 0, xsVar(0));
		xsmcSetArrayBuffer(xsVar(0), texts->key, (xsIntegerValue)strlen(texts->key));
		xsmcSetIndex(xsResult, 1, xsVar(0));
	}
	xsCatch {
		free_texts(texts);
		xsThrow(xsException);
	}
	free_texts(texts);
}
