/*
 * Writes a distinguished name as text (RFC 4514). As in hosts/node/distinguished-name.ts, the last part comes first,
 * and each comma is followed by a space. Limits: 32 parts, 28 bits per number of an object identifier,
 * CERTIFICATE_NAME_LIMIT bytes of text.
 *
 * Name ::= SEQUENCE OF SET OF SEQUENCE { type OBJECT IDENTIFIER, value DirectoryString }
 */
#include "certificate-name.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <mbedtls/asn1.h>

enum { PARTS_LIMIT = 32, TYPE_SIZE = 160 };

static const char ELLIPSIS[] = "\xe2\x80\xa6";

/* Short names of RFC 4514, 3, and two others that are common in device certificates. */
static const struct {
	const char *type, *name;
} TYPE_NAMES[] = {
	{ "2.5.4.3", "CN" },
	{ "2.5.4.5", "serialNumber" },
	{ "2.5.4.6", "C" },
	{ "2.5.4.7", "L" },
	{ "2.5.4.8", "ST" },
	{ "2.5.4.9", "STREET" },
	{ "2.5.4.10", "O" },
	{ "2.5.4.11", "OU" },
	{ "0.9.2342.19200300.100.1.1", "UID" },
	{ "0.9.2342.19200300.100.1.25", "DC" },
	{ "1.2.840.113549.1.9.1", "emailAddress" },
};

typedef struct {
	char *text;
	size_t length;
	/* Longest length of the text so far after which an ellipsis still fits. */
	size_t cut;
	bool full;
} writer;

static void put(writer *out, const char *piece, size_t length)
{
	if (out->full) return;
	if (out->length + length > CERTIFICATE_NAME_LIMIT) {
		memcpy(out->text + out->cut, ELLIPSIS, sizeof ELLIPSIS - 1);
		out->length = out->cut + sizeof ELLIPSIS - 1;
		out->full = true;
		return;
	}
	memcpy(out->text + out->length, piece, length);
	out->length += length;
	if (out->length <= CERTIFICATE_NAME_LIMIT - (sizeof ELLIPSIS - 1)) out->cut = out->length;
}

static void put_text(writer *out, const char *text)
{
	put(out, text, strlen(text));
}

static size_t encode_utf8(uint32_t code, char bytes[4])
{
	if (code < 0x80) {
		bytes[0] = (char)code;
		return 1;
	}
	size_t length = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
	static const uint8_t LEADS[] = { 0, 0, 0xc0, 0xe0, 0xf0 };
	for (size_t i = length - 1; i > 0; i--, code >>= 6) bytes[i] = (char)(0x80 | (code & 0x3f));
	bytes[0] = (char)(LEADS[length] | code);
	return length;
}

typedef struct {
	const uint8_t *at, *end;
} bytes_range;

enum { MALFORMED = -1, LAST_CODE = 0x10ffff };

static int32_t next_utf8(bytes_range *from)
{
	uint8_t lead = *from->at++;
	if (lead < 0x80) return lead;
	int more = lead >= 0xf0 ? 3 : lead >= 0xe0 ? 2 : 1;
	if (lead < 0xc2 || lead > 0xf4 || from->end - from->at < more) return MALFORMED;
	int32_t code = lead & (0x3f >> more);
	for (int i = 0; i < more; i++) {
		uint8_t next = *from->at++;
		if ((next & 0xc0) != 0x80) return MALFORMED;
		code = code << 6 | (next & 0x3f);
	}
	static const int32_t SMALLEST[] = { 0, 0x80, 0x800, 0x10000 };
	return code < SMALLEST[more] || code > LAST_CODE ? MALFORMED : code;
}

static int32_t next_wide(bytes_range *from, int width)
{
	if (from->end - from->at < width) return MALFORMED;
	uint32_t code = 0;
	for (int i = 0; i < width; i++) code = code << 8 | *from->at++;
	return code > LAST_CODE ? MALFORMED : (int32_t)code;
}

static int32_t next_code(int tag, bytes_range *from)
{
	int32_t code;
	switch (tag) {
	case MBEDTLS_ASN1_UTF8_STRING:
		code = next_utf8(from);
		break;
	case MBEDTLS_ASN1_BMP_STRING:
		code = next_wide(from, 2);
		break;
	case MBEDTLS_ASN1_UNIVERSAL_STRING:
		code = next_wide(from, 4);
		break;
	case MBEDTLS_ASN1_T61_STRING:
		// Teletex strings in real certificates contain Latin-1 characters beyond ASCII.
		code = *from->at++;
		break;
	case MBEDTLS_ASN1_PRINTABLE_STRING:
	case MBEDTLS_ASN1_IA5_STRING:
		code = *from->at < 0x80 ? *from->at : MALFORMED;
		from->at++;
		break;
	default:
		return MALFORMED;
	}
	return code >= 0xd800 && code <= 0xdfff ? MALFORMED : code;
}

/* Escapes the character if necessary (RFC 4514, 2.4). */
static void put_code(writer *out, int32_t code, bool first, bool last)
{
	char piece[4];
	size_t length;
	if (code < 0x20 || code == 0x7f) {
		length = (size_t)snprintf(piece, sizeof piece, "\\%02x", (unsigned)code);
	} else if ((code < 0x80 && strchr("\"+,;<>\\", (int)code)) || (code == ' ' && (first || last)) || (code == '#' && first)) {
		piece[0] = '\\';
		piece[1] = (char)code;
		length = 2;
	} else {
		length = encode_utf8((uint32_t)code, piece);
	}
	put(out, piece, length);
}

enum { ANY_TAG = -1 };

static bool take(bytes_range *from, int *tag, bytes_range *contents)
{
	if (from->at >= from->end || (*tag != ANY_TAG && *from->at != *tag)) return false;
	*tag = *from->at;
	// The cast removes const, because Mbed TLS's functions take a pointer to bytes that they do not change.
	unsigned char *at = (unsigned char *)(uintptr_t)(from->at + 1);
	size_t length;
	if (mbedtls_asn1_get_len(&at, from->end, &length) != 0) return false;
	contents->at = at;
	contents->end = from->at = at + length;
	return true;
}

static bool read_type(bytes_range from, char type[TYPE_SIZE])
{
	size_t used = 0;
	uint32_t number = 0;
	if (from.at == from.end || (from.end[-1] & 0x80)) return false;
	while (from.at < from.end) {
		if (number >> 21) return false;
		number = number << 7 | (*from.at & 0x7f);
		if (*from.at++ & 0x80) continue;
		int written;
		if (used == 0) {
			uint32_t root = number < 80 ? number / 40 : 2;
			written = snprintf(type, TYPE_SIZE, "%" PRIu32 ".%" PRIu32, root, number - root * 40);
		} else {
			written = snprintf(type + used, TYPE_SIZE - used, ".%" PRIu32, number);
		}
		used += (size_t)written;
		if (used >= TYPE_SIZE) return false;
		number = 0;
	}
	return true;
}

static bool put_attribute(writer *out, bytes_range attribute)
{
	char type[TYPE_SIZE];
	bytes_range contents, value;
	int tag = MBEDTLS_ASN1_OID;
	if (!take(&attribute, &tag, &contents) || !read_type(contents, type)) return false;
	tag = ANY_TAG;
	if (!take(&attribute, &tag, &value) || attribute.at != attribute.end) return false;
	const char *name = type;
	for (size_t i = 0; i < sizeof TYPE_NAMES / sizeof TYPE_NAMES[0]; i++)
		if (strcmp(TYPE_NAMES[i].type, type) == 0) name = TYPE_NAMES[i].name;
	put_text(out, name);
	put_text(out, "=");
	bool first = true;
	while (value.at < value.end) {
		int32_t code = next_code(tag, &value);
		if (code == MALFORMED) return false;
		put_code(out, code, first, value.at == value.end);
		first = false;
	}
	return true;
}

static bool put_part(writer *out, bytes_range part)
{
	const char *before = "";
	while (part.at < part.end) {
		int tag = MBEDTLS_ASN1_CONSTRUCTED | MBEDTLS_ASN1_SEQUENCE;
		bytes_range attribute;
		if (!take(&part, &tag, &attribute)) return false;
		put_text(out, before);
		if (!put_attribute(out, attribute)) return false;
		before = "+";
	}
	return true;
}

bool certificate_name_text(const uint8_t *der, size_t length, char text[CERTIFICATE_NAME_LIMIT + 1])
{
	bytes_range whole = { der, der + length }, rest, parts[PARTS_LIMIT];
	int tag = MBEDTLS_ASN1_CONSTRUCTED | MBEDTLS_ASN1_SEQUENCE;
	size_t count = 0;
	if (!take(&whole, &tag, &rest)) return false;
	while (rest.at < rest.end) {
		tag = MBEDTLS_ASN1_CONSTRUCTED | MBEDTLS_ASN1_SET;
		if (count == PARTS_LIMIT || !take(&rest, &tag, &parts[count])) return false;
		count++;
	}
	writer out = { .text = text };
	for (size_t i = count; i > 0; i--) {
		if (i < count) put_text(&out, ", ");
		if (!put_part(&out, parts[i - 1])) return false;
	}
	text[out.length] = 0;
	return true;
}
