/*
 * X.509 v3 (RFC 5280), ECDSA on P-256 with SHA-256:
 *
 *   subject, issuer   O= the organization, OU= its unit, if given; CN= the first name
 *   extensions        basicConstraints (critical): no authority; keyUsage (critical): digitalSignature;
 *                     extKeyUsage: serverAuth, clientAuth; subjectAltName: every name and address
 */
#include <stdio.h>
#include <string.h>

#include <mbedtls/asn1write.h>
#include <mbedtls/oid.h>
#include <mbedtls/platform_util.h>

#include "certificate.h"
#include "digest.h"
#include "ipv4.h"
#include "mbedtls-compat.h"

enum {
	SERIAL_SIZE = 16,
	TIME_SIZE = sizeof "YYYYMMDDhhmmss",
	/*
	 * Each name has a tag and up to two bytes of length. The sequence that contains all names has up to four bytes of
	 * header.
	 */
	NAMES_SIZE = CERTIFICATE_NAMES_LIMIT * (CERTIFICATE_DNS_NAME_LIMIT + 3) + 4,
};

static const int64_t FIRST_MS = 946684800000, END_MS = 253402300800000;

#define NAME_CHARACTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.-_"
/* Mbed TLS accepts these characters without an escape in the text of a name. */
#define ORGANIZATION_CHARACTERS NAME_CHARACTERS " &'()/:"

static bool is_name(const char *name, size_t limit)
{
	size_t length = strspn(name, NAME_CHARACTERS);
	return length > 0 && length <= limit && name[length] == 0;
}

static bool is_organization(const char *text)
{
	size_t length = strspn(text, ORGANIZATION_CHARACTERS);
	return length <= CERTIFICATE_ORGANIZATION_LIMIT && text[length] == 0;
}

static bool is_in_range(const certificate_options *options)
{
	if (options->name_count < 1 || options->name_count > CERTIFICATE_NAMES_LIMIT) return false;
	if (options->organization && !is_organization(options->organization)) return false;
	if (options->unit && !is_organization(options->unit)) return false;
	for (size_t i = 0; i < options->name_count; i++)
		if (!is_name(options->names[i], i == 0 ? CERTIFICATE_COMMON_NAME_LIMIT : CERTIFICATE_DNS_NAME_LIMIT)) return false;
	return options->valid_from_ms >= FIRST_MS && options->valid_from_ms <= options->valid_to_ms &&
		options->valid_to_ms < END_MS;
}

/* Writes a UTC time as YYYYMMDDhhmmss. The time must be in range. */
static void write_time(int64_t ms, char text[TIME_SIZE])
{
	static const int DAYS_OF_MONTH[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
	int64_t seconds = (ms - FIRST_MS) / 1000;
	int days = (int)(seconds / 86400), year = 2000, month = 0;
	int second = (int)(seconds % 86400);
	for (;; year++) {
		int leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
		if (days < 365 + leap) {
			for (; days >= DAYS_OF_MONTH[month] + (month == 1 && leap); month++)
				days -= DAYS_OF_MONTH[month] + (month == 1 && leap);
			break;
		}
		days -= 365 + leap;
	}
	snprintf(text, TIME_SIZE, "%04u%02u%02u%02u%02u%02u", (unsigned)year % 10000, (unsigned)(month + 1) % 100,
		(unsigned)(days + 1) % 100, (unsigned)second / 3600 % 100, (unsigned)second / 60 % 60, (unsigned)second % 60);
}

/* Sets subjectAltName (RFC 5280, 4.2.1.6). Each name is a dNSName [2] or an iPAddress [7]. */
static int set_alternative_names(mbedtls_x509write_cert *writer, const certificate_options *options)
{
	enum { DNS_NAME = MBEDTLS_ASN1_CONTEXT_SPECIFIC | 2, ADDRESS = MBEDTLS_ASN1_CONTEXT_SPECIFIC | 7 };
	unsigned char der[NAMES_SIZE], *at = der + sizeof der;
	int length = 0;
	for (size_t i = options->name_count; i > 0; i--) {
		const char *name = options->names[i - 1];
		uint32_t address;
		bool is_address = ipv4_parse(name, &address);
		int size = is_address ? (int)sizeof address : (int)strlen(name);
		at -= size;
		memcpy(at, is_address ? (const void *)&address : name, (size_t)size);
		length += size + mbedtls_asn1_write_len(&at, der, (size_t)size);
		length += mbedtls_asn1_write_tag(&at, der, is_address ? ADDRESS : DNS_NAME);
	}
	mbedtls_asn1_write_len(&at, der, (size_t)length);
	mbedtls_asn1_write_tag(&at, der, MBEDTLS_ASN1_CONSTRUCTED | MBEDTLS_ASN1_SEQUENCE);
	return mbedtls_x509write_crt_set_extension(writer, MBEDTLS_OID_SUBJECT_ALT_NAME,
		MBEDTLS_OID_SIZE(MBEDTLS_OID_SUBJECT_ALT_NAME), 0, at, (size_t)(der + sizeof der - at));
}

static int set_extensions(mbedtls_x509write_cert *writer, const certificate_options *options)
{
	// These extensions are encoded here, because the two versions of Mbed TLS encode them differently by default.
	// NO_AUTHORITY is an empty SEQUENCE; BOTH_SIDES is a SEQUENCE of the object identifiers of serverAuth and clientAuth.
	static const unsigned char NO_AUTHORITY[] = { 0x30, 0 };
	static const unsigned char BOTH_SIDES[] = {
		0x30, 20, 0x06, 8, 0x2b, 6, 1, 5, 5, 7, 3, 1, 0x06, 8, 0x2b, 6, 1, 5, 5, 7, 3, 2
	};
	int error = mbedtls_x509write_crt_set_extension(writer, MBEDTLS_OID_BASIC_CONSTRAINTS,
		MBEDTLS_OID_SIZE(MBEDTLS_OID_BASIC_CONSTRAINTS), 1, NO_AUTHORITY, sizeof NO_AUTHORITY);
	if (error == 0) error = mbedtls_x509write_crt_set_key_usage(writer, MBEDTLS_X509_KU_DIGITAL_SIGNATURE);
	if (error == 0)
		error = mbedtls_x509write_crt_set_extension(writer, MBEDTLS_OID_EXTENDED_KEY_USAGE,
			MBEDTLS_OID_SIZE(MBEDTLS_OID_EXTENDED_KEY_USAGE), 0, BOTH_SIDES, sizeof BOTH_SIDES);
	return error != 0 ? error : set_alternative_names(writer, options);
}

static int set_serial(mbedtls_x509write_cert *writer)
{
	unsigned char serial[SERIAL_SIZE];
	if (!random_bytes(serial, sizeof serial)) return MBEDTLS_ERR_X509_FATAL_ERROR;
	// The serial number must be positive and gets its full length (RFC 5280, 4.1.2.2).
	serial[0] = (unsigned char)((serial[0] & 0x7f) | 0x40);
	return compat_set_serial(writer, serial, sizeof serial);
}

static int set_up(mbedtls_x509write_cert *writer, const certificate_options *options, mbedtls_pk_context *key)
{
	char name[CERTIFICATE_COMMON_NAME_LIMIT + 2 * CERTIFICATE_ORGANIZATION_LIMIT + sizeof "O=,OU=,CN="];
	char from[TIME_SIZE], to[TIME_SIZE];
	const char *organization = options->organization ? options->organization : "";
	const char *unit = options->unit ? options->unit : "";
	snprintf(name, sizeof name, "%s%s%s%s%s%sCN=%s", organization[0] ? "O=" : "", organization, organization[0] ? "," : "",
		unit[0] ? "OU=" : "", unit, unit[0] ? "," : "", options->names[0]);
	write_time(options->valid_from_ms, from);
	write_time(options->valid_to_ms, to);
	mbedtls_x509write_crt_set_version(writer, MBEDTLS_X509_CRT_VERSION_3);
	mbedtls_x509write_crt_set_md_alg(writer, MBEDTLS_MD_SHA256);
	mbedtls_x509write_crt_set_subject_key(writer, key);
	mbedtls_x509write_crt_set_issuer_key(writer, key);
	int error = set_serial(writer);
	if (error == 0) error = mbedtls_x509write_crt_set_subject_name(writer, name);
	if (error == 0) error = mbedtls_x509write_crt_set_issuer_name(writer, name);
	if (error == 0) error = mbedtls_x509write_crt_set_validity(writer, from, to);
	return error != 0 ? error : set_extensions(writer, options);
}

/* Uses the key in `text` if it is on P-256; otherwise makes a new key. Returns 0 or an error. */
static int take_key(mbedtls_pk_context *pair, const char *text)
{
	if (text && mbedtls_pk_parse_key(pair, (const unsigned char *)text, strlen(text) + 1, NULL, 0) == 0 &&
		compat_kind_of(pair) == COMPAT_KEY_NIST && mbedtls_pk_get_bitlen(pair) == 256)
		return 0;
	mbedtls_pk_free(pair);
	mbedtls_pk_init(pair);
	return compat_generate_p256(pair);
}

certificate_status certificate_make(
	const certificate_options *options, char certificate[CERTIFICATE_PEM_SIZE], char key[PRIVATE_KEY_PEM_SIZE])
{
	if (!is_in_range(options)) return CERTIFICATE_RANGE;
	if (compat_start() != 0) return CERTIFICATE_FAILED;
	mbedtls_pk_context pair;
	mbedtls_x509write_cert writer;
	mbedtls_pk_init(&pair);
	mbedtls_x509write_crt_init(&writer);
	int error = take_key(&pair, options->own_key);
	if (error == 0) error = set_up(&writer, options, &pair);
	if (error == 0) error = compat_write_certificate(&writer, (unsigned char *)certificate, CERTIFICATE_PEM_SIZE);
	if (error == 0) error = mbedtls_pk_write_key_pem(&pair, (unsigned char *)key, PRIVATE_KEY_PEM_SIZE);
	mbedtls_x509write_crt_free(&writer);
	mbedtls_pk_free(&pair);
	if (error == 0) return CERTIFICATE_OK;
	mbedtls_platform_zeroize(key, PRIVATE_KEY_PEM_SIZE);
	return CERTIFICATE_FAILED;
}
