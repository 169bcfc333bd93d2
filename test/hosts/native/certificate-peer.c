/*
 * Runs hosts/native/certificate*.c and digest.c for certificate.test.ts.
 *
 *   read FILE…                       contents of each file as a line of JSON (CertificateFile)
 *   make FROM TO [O=…] NAME…         a certificate and its key as PEM; FROM and TO in ms; `refused` when out of range
 *   remake FILE FROM TO NAME…        the same with the key of a file
 *   fuzz SEED ROUNDS FILE…           reads damaged copies of the files; counts the outcomes
 *   digest PARTS KEY FILE            SHA-256 and HMAC of a file in that many parts
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mbedtls/base64.h>

#include "../../../hosts/native/certificate.h"
#include "../../../hosts/native/digest.h"

static uint8_t *load(const char *path, size_t *length)
{
	FILE *file = fopen(path, "rb");
	if (!file) exit(2);
	fseek(file, 0, SEEK_END);
	*length = (size_t)ftell(file);
	rewind(file);
	// The buffer has the exact size, so that the sanitizer detects a read beyond the end.
	uint8_t *bytes = malloc(*length ? *length : 1);
	if (!bytes || fread(bytes, 1, *length, file) != *length) exit(2);
	fclose(file);
	return bytes;
}

static void print_text(const char *text)
{
	putchar('"');
	for (; *text; text++) {
		if (*text == '"' || *text == '\\') putchar('\\');
		putchar(*text);
	}
	putchar('"');
}

static void print_file(const certificate_file *file)
{
	printf("{\"certificates\":[");
	for (size_t i = 0; i < file->count; i++) {
		const certificate_details *each = &file->certificates[i];
		printf("%s{\"subject\":", i ? "," : "");
		print_text(each->subject);
		printf(",\"issuer\":");
		print_text(each->issuer);
		printf(",\"validFromMs\":%" PRId64 ",\"validToMs\":%" PRId64, each->valid_from_ms, each->valid_to_ms);
		printf(",\"keyType\":%d,\"keyBits\":%u", each->key_type, each->key_bits);
		printf(",\"fingerprint\":\"%s\"", each->fingerprint);
		printf(",\"issuedByNext\":%s}", each->issued_by_next ? "true" : "false");
	}
	printf("],\"problem\":%d,\"key\":%d}\n", file->problem, file->key);
}

static int read_files(int count, char **paths)
{
	static certificate_file file;
	for (int i = 0; i < count; i++) {
		size_t length;
		uint8_t *bytes = load(paths[i], &length);
		certificate_status status = certificate_read(bytes, length, &file);
		if (status == CERTIFICATE_OK) print_file(&file);
		else printf("{\"status\":%d}\n", status);
		free(bytes);
	}
	return 0;
}

static int make(int count, char **arguments, const char *own_key)
{
	certificate_options options = { .valid_from_ms = strtoll(arguments[0], NULL, 10), .own_key = own_key };
	options.valid_to_ms = strtoll(arguments[1], NULL, 10);
	for (; count > 2 && strchr(arguments[2], '='); arguments++, count--) {
		const char *text = strchr(arguments[2], '=') + 1;
		if (arguments[2][1] == 'U') options.unit = text;
		else options.organization = text;
	}
	options.name_count = (size_t)(count - 2);
	for (size_t i = 0; i < options.name_count && i < CERTIFICATE_NAMES_LIMIT; i++) options.names[i] = arguments[2 + i];
	char certificate[CERTIFICATE_PEM_SIZE], key[PRIVATE_KEY_PEM_SIZE];
	certificate_status status = certificate_make(&options, certificate, key);
	if (status == CERTIFICATE_OK) printf("%s%s", certificate, key);
	else printf(status == CERTIFICATE_RANGE ? "refused\n" : "failed\n");
	return 0;
}

static int remake(int count, char **arguments)
{
	size_t length;
	uint8_t *bytes = load(arguments[0], &length);
	char *text = malloc(length + 1);
	if (!text) exit(2);
	memcpy(text, bytes, length);
	text[length] = 0;
	int status = make(count - 1, arguments + 1, text);
	free(text);
	free(bytes);
	return status;
}

static uint32_t seed;

/* Pseudo-random numbers (xorshift32) from 0 to limit - 1. */
static size_t chance(size_t limit)
{
	seed ^= seed << 13;
	seed ^= seed >> 17;
	seed ^= seed << 5;
	return limit ? seed % limit : 0;
}

/* Damages the bytes in place, 1 to 3 times; the buffer has twice the length. */
static size_t mutate(uint8_t *bytes, size_t length)
{
	for (size_t times = 1 + chance(3); times > 0 && length > 0; times--) {
		size_t at = chance(length), size = 1 + chance(length - at < 40 ? length - at : 40);
		switch (chance(6)) {
		case 0:
			bytes[at] ^= (uint8_t)(1u << chance(8));
			break;
		case 1:
			bytes[at] = (uint8_t)chance(256);
			break;
		case 2:
			length = at;
			break;
		case 3:
			memmove(bytes + at, bytes + at + size, length - at - size);
			length -= size;
			break;
		case 4:
			memmove(bytes + at + size, bytes + at, length - at);
			length += size;
			break;
		default:
			bytes[at] = (uint8_t[]){ 0, 0x7f, 0x80, 0x81, 0x82, 0x84, 0xff }[chance(7)];
		}
	}
	return length;
}

/* Damages the decoded bytes of one block; returns the new length of the text. */
static size_t mutate_inside(char *text, size_t length)
{
	char *line = text;
	for (size_t skip = chance(4); skip < 4; skip++) {
		char *next = strstr(line, "-----BEGIN ");
		if (!next || !(next = strchr(next, '\n'))) break;
		line = next + 1;
	}
	char *end = strstr(line, "-----END ");
	if (line == text || !end) return mutate((uint8_t *)text, length);
	static uint8_t der[2 * CERTIFICATE_FILE_LIMIT];
	static char digits[4 * CERTIFICATE_FILE_LIMIT], rest[2 * CERTIFICATE_FILE_LIMIT];
	size_t size = 0, digit_count = 0;
	mbedtls_base64_decode(der, sizeof der / 2, &size, (unsigned char *)line, (size_t)(end - line));
	size = mutate(der, size);
	mbedtls_base64_encode((unsigned char *)digits, sizeof digits, &digit_count, der, size);
	strcpy(rest, end);
	return (size_t)(line - text) + (size_t)sprintf(line, "%.*s\n%s", (int)digit_count, digits, rest);
}

static int fuzz(int count, char **arguments)
{
	static certificate_file file;
	static char text[8 * CERTIFICATE_FILE_LIMIT];
	unsigned problems[4] = { 0 }, keys[5] = { 0 };
	seed = (uint32_t)strtoul(arguments[0], NULL, 10);
	for (long rounds = strtol(arguments[1], NULL, 10); rounds > 0; rounds--) {
		size_t length;
		uint8_t *original = load(arguments[2 + chance((size_t)count - 2)], &length);
		memcpy(text, original, length);
		text[length] = 0;
		free(original);
		length = chance(2) ? mutate((uint8_t *)text, length) : mutate_inside(text, length);
		if (length > CERTIFICATE_FILE_LIMIT) length = CERTIFICATE_FILE_LIMIT;
		uint8_t *copy = malloc(length ? length : 1);
		if (!copy) return 2;
		memcpy(copy, text, length);
		if (certificate_read(copy, length, &file) != CERTIFICATE_OK) return 3;
		free(copy);
		for (size_t i = 0; i < file.count; i++)
			if (strlen(file.certificates[i].subject) > CERTIFICATE_NAME_LIMIT) return 4;
		problems[file.problem]++;
		keys[file.key]++;
	}
	printf("problems %u %u %u %u, keys", problems[0], problems[1], problems[2], problems[3]);
	for (size_t i = 0; i < 5; i++) printf(" %u", keys[i]);
	putchar('\n');
	return 0;
}

static void print_hex(const uint8_t *bytes)
{
	for (size_t i = 0; i < DIGEST_SIZE; i++) printf("%02x", bytes[i]);
	putchar('\n');
}

static int digests(char **arguments)
{
	size_t parts = strtoul(arguments[0], NULL, 10), length;
	uint8_t *bytes = load(arguments[2], &length), result[DIGEST_SIZE];
	for (int with_key = 0; with_key < 2; with_key++) {
		digest d;
		if (!(with_key ? digest_hmac_start(&d, arguments[1], strlen(arguments[1])) : digest_start(&d))) return 2;
		for (size_t i = 0, at = 0; i < parts; i++) {
			size_t next = i + 1 == parts ? length : length * (i + 1) / parts;
			if (!digest_update(&d, bytes + at, next - at)) return 2;
			at = next;
		}
		if (!(with_key ? digest_hmac_finish(&d, result) : digest_finish(&d, result))) return 2;
		print_hex(result);
	}
	free(bytes);
	if (!random_bytes(result, sizeof result)) return 2;
	print_hex(result);
	return 0;
}

int main(int count, char **arguments)
{
	const char *command = count > 1 ? arguments[1] : "";
	if (strcmp(command, "read") == 0) return read_files(count - 2, arguments + 2);
	if (strcmp(command, "make") == 0 && count > 3) return make(count - 2, arguments + 2, NULL);
	if (strcmp(command, "remake") == 0 && count > 4) return remake(count - 2, arguments + 2);
	if (strcmp(command, "fuzz") == 0 && count > 4) return fuzz(count - 2, arguments + 2);
	if (strcmp(command, "digest") == 0 && count == 5) return digests(arguments + 2);
	return 1;
}
