#include "certificate-match.h"

#include <string.h>

#include "ipv4.h"

enum { TAG_OID = 0x06, TAG_OCTETS = 0x04, TAG_BOOLEAN = 0x01, TAG_SEQUENCE = 0x30, TAG_DNS = 0x82, TAG_ADDRESS = 0x87 };

static const uint8_t ALTERNATIVE_NAME[] = { 0x55, 0x1d, 0x11 };
static const uint8_t COMMON_NAME[] = { 0x55, 0x04, 0x03 };

typedef struct {
	const uint8_t *at;
	size_t left;
} der;

static int take(der *from, der *contents)
{
	if (from->left < 2) return -1;
	int tag = from->at[0];
	size_t length = from->at[1], header = 2;
	if (length > 0x80) {
		size_t digits = length - 0x80;
		if (digits > 3 || from->left < 2 + digits) return -1;
		length = 0;
		for (; header < 2 + digits; header++) length = length << 8 | from->at[header];
	} else if (length == 0x80) return -1;
	if (length > from->left - header) return -1;
	*contents = (der){ from->at + header, length };
	from->at += header + length;
	from->left -= header + length;
	return tag;
}

static bool equals(der value, const uint8_t *bytes, size_t size)
{
	return value.left == size && memcmp(value.at, bytes, size) == 0;
}

static bool find_names(const mbedtls_x509_crt *certificate, der *names)
{
	der all = { certificate->v3_ext.p, certificate->v3_ext.len }, list, extension, part;
	if (!all.at || take(&all, &list) != TAG_SEQUENCE) return false;
	while (take(&list, &extension) == TAG_SEQUENCE) {
		if (take(&extension, &part) != TAG_OID || !equals(part, ALTERNATIVE_NAME, sizeof(ALTERNATIVE_NAME))) continue;
		int tag = take(&extension, &part);
		if (tag == TAG_BOOLEAN) tag = take(&extension, &part);
		return tag == TAG_OCTETS && take(&part, names) == TAG_SEQUENCE;
	}
	return false;
}

static char small(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c + 'a' - 'A') : c;
}

static bool same_name(const uint8_t *bytes, size_t length, const char *name, size_t name_length)
{
	if (length != name_length) return false;
	for (size_t i = 0; i < length; i++)
		if (small((char)bytes[i]) != small(name[i])) return false;
	return true;
}

bool certificate_pattern_covers(const uint8_t *pattern, size_t length, const char *name)
{
	size_t name_length = strlen(name);
	if (name_length > 0 && name[name_length - 1] == '.') name_length--;
	if (name_length == 0) return false;
	if (length < 2 || pattern[0] != '*' || pattern[1] != '.') return same_name(pattern, length, name, name_length);
	const char *rest = memchr(name, '.', name_length);
	if (!rest || rest == name || !memchr(pattern + 2, '.', length - 2)) return false;
	return same_name(pattern + 1, length - 1, rest, name_length - (size_t)(rest - name));
}

static bool common_name_covers(const mbedtls_x509_crt *certificate, const char *name)
{
	for (const mbedtls_x509_name *each = &certificate->subject; each; each = each->next) {
		bool common = each->oid.p && equals((der){ each->oid.p, each->oid.len }, COMMON_NAME, sizeof(COMMON_NAME));
		if (common && certificate_pattern_covers(each->val.p, each->val.len, name)) return true;
	}
	return false;
}

bool certificate_is_for(const mbedtls_x509_crt *certificate, const char *name)
{
	uint32_t address;
	bool by_address = ipv4_parse(name, &address), named = false;
	der names = { NULL, 0 }, each;
	if (find_names(certificate, &names))
		for (int tag; (tag = take(&names, &each)) >= 0;) {
			if (tag == TAG_ADDRESS && by_address && equals(each, (const uint8_t *)&address, sizeof(address))) return true;
			if (tag != TAG_DNS) continue;
			named = true;
			if (!by_address && certificate_pattern_covers(each.at, each.left, name)) return true;
		}
	return !by_address && !named && common_name_covers(certificate, name);
}
