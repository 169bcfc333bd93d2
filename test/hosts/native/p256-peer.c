/*
 * Runs P-256 for p256.test.ts. Every file is read into memory of exactly its size, so that the sanitizer detects a read
 * beyond the end.
 *
 *   verify POINT MESSAGE SIGNATURE   `good` or `bad`
 *   agree POINT                      a new public key and the secret, as hex; `no point`
 *   hashes MESSAGE                   SHA-256 of the file, while a second calculation is abandoned
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../hosts/native/digest.h"
#include "../../../hosts/native/p256.h"
#include "../must.h"

static uint8_t *load(const char *path, size_t *length)
{
	FILE *file = fopen(path, "rb");
	MUST(file && fseek(file, 0, SEEK_END) == 0);
	*length = (size_t)ftell(file);
	rewind(file);
	uint8_t *bytes = malloc(*length ? *length : 1);
	MUST(bytes && fread(bytes, 1, *length, file) == *length);
	fclose(file);
	return bytes;
}

static void print_hex(const uint8_t *bytes, size_t length)
{
	for (size_t i = 0; i < length; i++) printf("%02x", bytes[i]);
	putchar('\n');
}

static void verify(char **paths)
{
	size_t point_length, length, signature_length;
	uint8_t *point = load(paths[0], &point_length), *message = load(paths[1], &length);
	uint8_t *signature = load(paths[2], &signature_length);
	MUST(point_length == P256_POINT_SIZE && signature_length == P256_SIGNATURE_SIZE);
	puts(p256_verify(point, message, length, signature) ? "good" : "bad");
	free(point);
	free(message);
	free(signature);
}

static void agree(const char *path)
{
	size_t length;
	uint8_t *point = load(path, &length);
	uint8_t *own = malloc(P256_POINT_SIZE), *secret = malloc(P256_SECRET_SIZE);
	MUST(own && secret && length == P256_POINT_SIZE);
	p256_status status = p256_agree(point, own, secret);
	MUST(status != P256_FAILED);
	if (status == P256_OK) {
		print_hex(own, P256_POINT_SIZE);
		print_hex(secret, P256_SECRET_SIZE);
	} else {
		puts("no point");
	}
	free(point);
	free(own);
	free(secret);
}

static void hashes(const char *path)
{
	size_t length;
	digest whole, given_up;
	uint8_t *bytes = load(path, &length), result[DIGEST_SIZE];
	MUST(digest_start(&whole) && digest_start(&given_up));
	for (size_t at = 0; at < length; at++) MUST(digest_update(&whole, bytes + at, 1));
	MUST(digest_update(&given_up, bytes, length) && digest_finish(&whole, result));
	digest_abort(&given_up);
	print_hex(result, sizeof result);
	free(bytes);
}

int main(int count, char **arguments)
{
	MUST(count >= 3);
	if (strcmp(arguments[1], "verify") == 0 && count == 5) verify(arguments + 2);
	else if (strcmp(arguments[1], "agree") == 0) agree(arguments[2]);
	else if (strcmp(arguments[1], "hashes") == 0) hashes(arguments[2]);
	else return 2;
	return 0;
}
