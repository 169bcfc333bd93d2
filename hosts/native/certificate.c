/*
 * Reads files with certificates and keys. To save memory, PEM blocks are decoded one at a time, and at most three
 * parsed certificates exist at a time: the first one, which is compared with the key, and two neighbours, between which
 * a signature is checked.
 */
#include "certificate.h"

#include <stdlib.h>
#include <string.h>

#include <mbedtls/asn1.h>
#include <mbedtls/base64.h>
#include <mbedtls/platform_util.h>

#include "certificate-name.h"
#include "certificate-time.h"
#include "digest.h"
#include "mbedtls-compat.h"

static const char BEGIN[] = "-----BEGIN ", END[] = "-----END ", DASHES[] = "-----";

enum {
	/* The longest label is "ENCRYPTED PRIVATE KEY". */
	LABEL_SIZE = 32,
	/*
	 * Limit of a public RSA exponent, bytes. If the exponent were as long as the key, a chip would compute for half a
	 * minute.
	 */
	EXPONENT_SIZE = 4,
};

typedef struct {
	const uint8_t *at, *end;
} text_range;

typedef struct {
	char label[LABEL_SIZE];
	/* Text between the BEGIN line and the END line; both pointers are NULL if the END line is missing. */
	text_range body;
} pem_block;

typedef struct {
	certificate_file *file;
	/* Parsed certificates: the first certificate in the file, then two that are used alternately. */
	mbedtls_x509_crt parsed[3];
	bool out_of_memory;
	bool too_many;
} reader;

static const uint8_t *find(text_range range, const char *text)
{
	size_t length = strlen(text);
	while ((size_t)(range.end - range.at) >= length) {
		const uint8_t *hit = memchr(range.at, text[0], (size_t)(range.end - range.at) - length + 1);
		if (!hit) return NULL;
		if (memcmp(hit, text, length) == 0) return hit;
		range.at = hit + 1;
	}
	return NULL;
}

static bool next_block(text_range *from, pem_block *block)
{
	const uint8_t *begin;
	while ((begin = find(*from, BEGIN))) {
		from->at = begin + sizeof BEGIN - 1;
		const uint8_t *dashes = find(*from, DASHES);
		size_t length = dashes ? (size_t)(dashes - from->at) : LABEL_SIZE;
		if (length >= LABEL_SIZE) continue;
		memcpy(block->label, from->at, length);
		block->label[length] = 0;
		text_range rest = { dashes + sizeof DASHES - 1, from->end };
		char closing[sizeof END + LABEL_SIZE + sizeof DASHES] = "";
		strcat(strcat(strcat(closing, END), block->label), DASHES);
		const uint8_t *end = find(rest, closing);
		block->body = (text_range){ end ? rest.at : NULL, end };
		// If a block has no END line, continue after its BEGIN line, because it may contain other blocks.
		if (end) from->at = end + strlen(closing);
		return true;
	}
	return false;
}

static void free_bytes(uint8_t *bytes, size_t length)
{
	mbedtls_platform_zeroize(bytes, length);
	free(bytes);
}

/* The caller must free the result with free_bytes. */
static uint8_t *decode(reader *r, text_range body, size_t *length)
{
	// The BEGIN line must end here. Mbed TLS, which parses the file again for handshakes, requires this.
	if (body.at < body.end && *body.at == ' ') body.at++;
	if (body.at < body.end && *body.at == '\r') body.at++;
	if (body.at >= body.end || *body.at++ != '\n') return NULL;
	size_t size = (size_t)(body.end - body.at) / 4 * 3 + 3;
	uint8_t *bytes = malloc(size);
	if (!bytes) {
		r->out_of_memory = true;
		return NULL;
	}
	int error = mbedtls_base64_decode(bytes, size, length, body.at, (size_t)(body.end - body.at));
	if (error == 0 && *length > 0) return bytes;
	free_bytes(bytes, size);
	return NULL;
}

/* Mbed TLS calls this for an unknown extension. A critical one is rejected. */
static int check_extension(void *context, const mbedtls_x509_crt *certificate, const mbedtls_x509_buf *type, int critical,
	const unsigned char *at, const unsigned char *end)
{
	(void)context, (void)certificate, (void)type, (void)at, (void)end;
	return critical ? MBEDTLS_ERR_X509_FEATURE_UNAVAILABLE : 0;
}

static bool is_unsupported(int error)
{
	switch (-(-error & 0x7f80)) {
	case MBEDTLS_ERR_X509_FEATURE_UNAVAILABLE:
	case MBEDTLS_ERR_X509_UNKNOWN_OID:
	case MBEDTLS_ERR_X509_UNKNOWN_SIG_ALG:
	case MBEDTLS_ERR_PK_UNKNOWN_PK_ALG:
	case MBEDTLS_ERR_PK_UNKNOWN_NAMED_CURVE:
	case MBEDTLS_ERR_PK_FEATURE_UNAVAILABLE:
		return true;
	default:
		// Without a code of ASN.1, the key is complete, but Mbed TLS refuses it. Version 4 refuses long RSA keys so.
		return error == MBEDTLS_ERR_PK_INVALID_PUBKEY;
	}
}

static bool fingerprint(const mbedtls_x509_buf *der, char *text)
{
	static const char digits[] = "0123456789ABCDEF";
	digest hash;
	uint8_t sum[DIGEST_SIZE];
	if (!digest_start(&hash)) return false;
	if (!digest_update(&hash, der->p, der->len) || !digest_finish(&hash, sum)) {
		digest_abort(&hash);
		return false;
	}
	for (size_t i = 0; i < DIGEST_SIZE; i++) {
		*text++ = digits[sum[i] >> 4];
		*text++ = digits[sum[i] & 15];
		*text++ = i + 1 < DIGEST_SIZE ? ':' : 0;
	}
	return true;
}

static bool describe(const mbedtls_x509_crt *certificate, certificate_details *details)
{
	details->valid_from_ms = certificate_time_s(&certificate->valid_from) * 1000;
	details->valid_to_ms = certificate_time_s(&certificate->valid_to) * 1000;
	details->key_bits = (unsigned)mbedtls_pk_get_bitlen(&certificate->pk);
	details->issued_by_next = false;
	const mbedtls_x509_buf *subject = &certificate->subject_raw, *issuer = &certificate->issuer_raw;
	return certificate_name_text(subject->p, subject->len, details->subject) &&
		certificate_name_text(issuer->p, issuer->len, details->issuer) &&
		fingerprint(&certificate->raw, details->fingerprint);
}

/* Returns true if `issuer` is an authority and has signed the certificate. Ignores validity times. */
static bool is_issued_by(mbedtls_x509_crt *certificate, mbedtls_x509_crt *issuer)
{
	// This profile allows all algorithms and lengths, because clients check the algorithms, and the upload route checks
	// the length of the key.
	static const mbedtls_x509_crt_profile anything = {
		.allowed_mds = 0xffffffff, .allowed_pks = 0xffffffff, .allowed_curves = 0xffffffff, .rsa_min_bitlen = 0
	};
	if (!compat_is_authority(issuer)) return false;
	uint32_t flags = 0;
	mbedtls_x509_crt_verify_with_profile(certificate, issuer, NULL, &anything, NULL, &flags, NULL, NULL);
	return !(flags & (uint32_t)~(MBEDTLS_X509_BADCERT_EXPIRED | MBEDTLS_X509_BADCERT_FUTURE));
}

static bool has_short_exponent(const mbedtls_x509_crt *certificate)
{
	const int sequence = MBEDTLS_ASN1_CONSTRUCTED | MBEDTLS_ASN1_SEQUENCE;
	unsigned char *at = certificate->pk_raw.p;
	const unsigned char *end = at + certificate->pk_raw.len;
	size_t length;
	if (mbedtls_asn1_get_tag(&at, end, &length, sequence) != 0) return false;
	if (mbedtls_asn1_get_tag(&at, end, &length, sequence) != 0) return false;
	at += length;
	if (mbedtls_asn1_get_bitstring_null(&at, end, &length) != 0) return false;
	if (mbedtls_asn1_get_tag(&at, end, &length, sequence) != 0) return false;
	if (mbedtls_asn1_get_tag(&at, end, &length, MBEDTLS_ASN1_INTEGER) != 0) return false;
	at += length;
	if (mbedtls_asn1_get_tag(&at, end, &length, MBEDTLS_ASN1_INTEGER) != 0) return false;
	for (; length > 0 && *at == 0; length--) at++;
	return length <= EXPONENT_SIZE;
}

static mbedtls_x509_crt *slot(reader *r, size_t index)
{
	return &r->parsed[index == 0 ? 0 : 1 + index % 2];
}

static certificates_problem add_certificate(reader *r, const uint8_t *der, size_t length)
{
	certificate_file *file = r->file;
	mbedtls_x509_crt *certificate = slot(r, file->count);
	mbedtls_x509_crt_free(certificate);
	mbedtls_x509_crt_init(certificate);
	int error = mbedtls_x509_crt_parse_der_with_ext_cb(certificate, der, length, 1, check_extension, NULL);
	if (error == MBEDTLS_ERR_X509_ALLOC_FAILED) r->out_of_memory = true;
	if (error != 0) return is_unsupported(error) ? CERTIFICATES_UNSUPPORTED : CERTIFICATES_DAMAGED;
	bool is_rsa = compat_kind_of(&certificate->pk) == COMPAT_KEY_RSA;
	if (is_rsa ? !has_short_exponent(certificate) : compat_kind_of(&certificate->pk) != COMPAT_KEY_NIST)
		return CERTIFICATES_UNSUPPORTED;
	certificate_details beyond, *details = &file->certificates[file->count];
	r->too_many = file->count == CERTIFICATE_CHAIN_LIMIT;
	if (r->too_many) details = &beyond;
	details->key_type = is_rsa ? KEY_TYPE_RSA : KEY_TYPE_EC;
	if (!describe(certificate, details)) return CERTIFICATES_DAMAGED;
	if (r->too_many) return CERTIFICATES_WELL;
	if (file->count > 0)
		details[-1].issued_by_next = is_issued_by(slot(r, file->count - 1), certificate);
	file->count++;
	return CERTIFICATES_WELL;
}

static void read_certificate(reader *r, text_range body)
{
	size_t length = 0;
	uint8_t *der = body.at ? decode(r, body, &length) : NULL;
	r->file->problem = der ? add_certificate(r, der, length) : CERTIFICATES_DAMAGED;
	free(der);
}

static bool is_key_label(const char *label)
{
	return strcmp(label, "PRIVATE KEY") == 0 || strcmp(label, "EC PRIVATE KEY") == 0 ||
		strcmp(label, "RSA PRIVATE KEY") == 0 || strcmp(label, "ENCRYPTED PRIVATE KEY") == 0;
}

static bool is_key_of_any(reader *r, text_range text, const mbedtls_pk_context *key)
{
	pem_block block;
	bool found = false;
	while (!found && next_block(&text, &block)) {
		size_t length = 0;
		uint8_t *der = strcmp(block.label, "CERTIFICATE") == 0 && block.body.at ? decode(r, block.body, &length) : NULL;
		mbedtls_x509_crt *certificate = slot(r, 1);
		mbedtls_x509_crt_free(certificate);
		mbedtls_x509_crt_init(certificate);
		found = der && mbedtls_x509_crt_parse_der(certificate, der, length) == 0 &&
			compat_kind_of(&certificate->pk) == compat_kind_of(key) && mbedtls_pk_check_pair(&certificate->pk, key) == 0;
		free(der);
	}
	return found;
}

static private_key_state read_key(reader *r, text_range text, const pem_block *block)
{
	if (!block->body.at) return PRIVATE_KEY_UNREADABLE;
	// An encrypted key has its own PEM label (RFC 5958) or a header line (RFC 1421, 4.6.1.1).
	if (strncmp(block->label, "ENCRYPTED", 9) == 0 || find(block->body, "4,ENCRYPTED")) return PRIVATE_KEY_ENCRYPTED;
	size_t length = 0;
	uint8_t *der = decode(r, block->body, &length);
	if (!der) return PRIVATE_KEY_UNREADABLE;
	mbedtls_pk_context key;
	mbedtls_pk_init(&key);
	private_key_state state = PRIVATE_KEY_UNREADABLE;
	if (mbedtls_pk_parse_key(&key, der, length, NULL, 0) == 0 && compat_kind_of(&key) != COMPAT_KEY_OTHER) {
		bool matches = r->file->count > 0 && mbedtls_pk_check_pair(&r->parsed[0].pk, &key) == 0;
		bool is_later = !matches && r->file->problem == CERTIFICATES_WELL && is_key_of_any(r, text, &key);
		state = matches ? PRIVATE_KEY_MATCHES : is_later ? PRIVATE_KEY_LATER : PRIVATE_KEY_FOREIGN;
	}
	mbedtls_pk_free(&key);
	free_bytes(der, length);
	return state;
}

static void read_blocks(reader *r, text_range text)
{
	pem_block block, key = { .label = "" };
	const text_range whole = text;
	bool any = false;
	while (next_block(&text, &block)) {
		any = true;
		if (strcmp(block.label, "CERTIFICATE") == 0) {
			if (r->file->problem == CERTIFICATES_WELL) read_certificate(r, block.body);
		} else if (!key.label[0] && is_key_label(block.label)) {
			key = block;
		}
	}
	// The key is read after all certificates, because in the file it may precede the certificate that it belongs to.
	if (key.label[0]) r->file->key = read_key(r, whole, &key);
	bool is_der = !any && text.at < text.end && *text.at == (MBEDTLS_ASN1_CONSTRUCTED | MBEDTLS_ASN1_SEQUENCE);
	if (is_der) r->file->problem = add_certificate(r, text.at, (size_t)(text.end - text.at));
	if (r->file->problem == CERTIFICATES_WELL && r->too_many) r->file->problem = CERTIFICATES_TOO_MANY;
}

certificate_status certificate_read(const uint8_t *bytes, size_t length, certificate_file *file)
{
	memset(file, 0, sizeof *file);
	if (length > CERTIFICATE_FILE_LIMIT) return CERTIFICATE_RANGE;
	reader *r = compat_start() == 0 ? calloc(1, sizeof *r) : NULL;
	if (!r) return CERTIFICATE_FAILED;
	r->file = file;
	for (size_t i = 0; i < 3; i++) mbedtls_x509_crt_init(&r->parsed[i]);
	if (length > 0) read_blocks(r, (text_range){ bytes, bytes + length });
	for (size_t i = 0; i < 3; i++) mbedtls_x509_crt_free(&r->parsed[i]);
	certificate_status status = r->out_of_memory ? CERTIFICATE_FAILED : CERTIFICATE_OK;
	free(r);
	return status;
}
