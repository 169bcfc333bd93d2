/*
 * The key-value store of the host contract in NVS (ESP-IDF 6.0, "Non-Volatile Storage Library"): blobs of the namespace
 * "gateway", in the partition "nvs". NVS writes a value anew beside the old one, and drops that one afterwards: a power
 * cut leaves one or the other; the room for both is needed. With CONFIG_NVS_ENCRYPTION all is encrypted, by ESP-IDF.
 * For storage-xs.c. Limits: of the contract. Writing waits for the flash: milliseconds, some 50 when a page is erased.
 */
#ifndef STORAGE_NVS_H
#define STORAGE_NVS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { STORAGE_KEY_LIMIT = 15, STORAGE_VALUE_LIMIT = 4000, STORAGE_MESSAGE_SIZE = 96 };

/* Results of storage_nvs_size for a key without a value, and for an unreadable one. */
enum { STORAGE_ABSENT = -1, STORAGE_FAILED = -2 };

/*
 * Before anything else that uses NVS, and once: where the partition can't be read at all (it is of a later version of
 * NVS, or has no free page, since it was cut off) it is erased. False: it can't be used even so.
 */
bool storage_nvs_start(void);

/* storage_nvs_start has erased the partition. */
bool storage_nvs_was_erased(void);

bool storage_nvs_is_key(const char *key);

/* Each function writes a sentence to `message` when it fails. */
int storage_nvs_size(const char *key, char message[STORAGE_MESSAGE_SIZE]);
bool storage_nvs_get(const char *key, void *value, size_t size, char message[STORAGE_MESSAGE_SIZE]);
bool storage_nvs_set(const char *key, const void *value, size_t size, char message[STORAGE_MESSAGE_SIZE]);
/* A key that has no value is deleted. */
bool storage_nvs_delete(const char *key, char message[STORAGE_MESSAGE_SIZE]);

#endif
