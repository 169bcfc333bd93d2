/* The natives of crypto.ts: digests (digest.h) and certificates (certificate.h) for XS. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mc.xs.h"
#include "xsmc.h"

#include "certificate.h"
#include "digest.h"

enum { RANDOM_LIMIT = 4096 };

static void check(xsMachine *the, bool done)
{
	if (!done) xsUnknownError("the cryptography library has failed");
}

/* Adds the arguments from `first` on. */
static void update(xsMachine *the, digest *state, xsIntegerValue first)
{
	xsIntegerValue count = xsmcArgc;
	for (xsIntegerValue i = first; i < count; i++) {
		void *bytes;
		xsUnsignedValue size;
		xsmcGetBufferReadable(xsArg(i), &bytes, &size);
		check(the, digest_update(state, bytes, size));
	}
}

/* (...parts): an ArrayBuffer */
void xs_crypto_sha256(xsMachine *the)
{
	digest state;
	uint8_t result[DIGEST_SIZE];
	check(the, digest_start(&state));
	update(the, &state, 0);
	check(the, digest_finish(&state, result));
	xsmcSetArrayBuffer(xsResult, result, sizeof result);
}

/* (key, ...parts): an ArrayBuffer */
void xs_crypto_hmac_sha256(xsMachine *the)
{
	digest state;
	uint8_t result[DIGEST_SIZE];
	void *key;
	xsUnsignedValue size;
	xsmcGetBufferReadable(xsArg(0), &key, &size);
	check(the, digest_hmac_start(&state, key, size));
	update(the, &state, 1);
	check(the, digest_hmac_finish(&state, result));
	xsmcSetArrayBuffer(xsResult, result, sizeof result);
}

/* (length): an ArrayBuffer */
void xs_crypto_random(xsMachine *the)
{
	uint8_t bytes[RANDOM_LIMIT];
	xsIntegerValue length = xsmcToInteger(xsArg(0));
	if (length < 0 || length > RANDOM_LIMIT) xsRangeError("at most 4096 random bytes");
	check(the, random_bytes(bytes, (size_t)length));
	xsmcSetArrayBuffer(xsResult, bytes, length);
}

static void set_number(xsMachine *the, xsSlot *object, xsIdentifier name, double value)
{
	xsSlot number;
	xsmcSetNumber(number, value);
	xsmcSet(*object, name, number);
}

/* (file): a CertificateFile of the host contract */
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

/* (validFromMs, validToMs, ...names): an array of two ArrayBuffers with PEM, certificate and key */
void xs_crypto_make_certificate(xsMachine *the)
{
	char names[CERTIFICATE_NAMES_LIMIT][CERTIFICATE_DNS_NAME_LIMIT + 2];
	certificate_options options = {
		.valid_from_ms = (int64_t)xsmcToNumber(xsArg(0)),
		.valid_to_ms = (int64_t)xsmcToNumber(xsArg(1)),
		.name_count = (size_t)(xsmcArgc - 2),
	};
	if (options.name_count > CERTIFICATE_NAMES_LIMIT) xsRangeError("a certificate has 1 to 4 names");
	for (size_t i = 0; i < options.name_count; i++) {
		snprintf(names[i], sizeof names[i], "%s", xsmcToString(xsArg((xsIntegerValue)i + 2)));
		options.names[i] = names[i];
	}
	char certificate[CERTIFICATE_PEM_SIZE], key[CERTIFICATE_PEM_SIZE];
	certificate_status status = certificate_make(&options, certificate, key);
	if (status == CERTIFICATE_RANGE) xsRangeError("a name or a time of the certificate is not allowed");
	if (status != CERTIFICATE_OK) xsUnknownError("the certificate can't be made");
	xsmcVars(2);
	xsmcSetNewArray(xsResult, 0);
	xsmcSetArrayBuffer(xsVar(0), certificate, (xsIntegerValue)strlen(certificate));
	xsmcSetIndex(xsResult, 0, xsVar(0));
	xsmcSetArrayBuffer(xsVar(1), key, (xsIntegerValue)strlen(key));
	xsmcSetIndex(xsResult, 1, xsVar(1));
	explicit_bzero(key, sizeof key);
}
