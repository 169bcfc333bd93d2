/*
 * The key-value store of the host contract in NVS (ESP-IDF 6.0, "Non-Volatile Storage Library"): blobs of the namespace
 * "gateway", in the partition "nvs". NVS writes the new value before it drops the old one. Therefore one of the two
 * remains after a power cut, and a write needs room for both. With CONFIG_NVS_ENCRYPTION, ESP-IDF encrypts everything.
 * For storage-xs.c. Limits are those of the contract. A write takes a few milliseconds, or about 50 ms if NVS must
 * erase a page.
 */
#ifndef STORAGE_NVS_H
#define STORAGE_NVS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { STORAGE_KEY_LIMIT = 15, STORAGE_VALUE_LIMIT = 4000, STORAGE_MESSAGE_SIZE = 96 };

/* Results of storage_nvs_size for a key without a value, and for a value that cannot be read. */
enum { STORAGE_ABSENT = -1, STORAGE_FAILED = -2 };

/*
 * Call once, before any use of NVS. If the partition is unreadable (written by a later version of NVS, or without a
 * free page after a power cut), it is erased. Returns false if it is still unusable.
 */
bool storage_nvs_start(void);

/* Returns true if storage_nvs_start has erased the partition. */
bool storage_nvs_was_erased(void);

bool storage_nvs_is_key(const char *key);

/* These functions write a text for the user to `message` if they fail. */
int storage_nvs_size(const char *key, char message[STORAGE_MESSAGE_SIZE]);
bool storage_nvs_get(const char *key, void *value, size_t size, char message[STORAGE_MESSAGE_SIZE]);
bool storage_nvs_set(const char *key, const void *value, size_t size, char message[STORAGE_MESSAGE_SIZE]);
/* Also succeeds for a key without a value. */
bool storage_nvs_delete(const char *key, char message[STORAGE_MESSAGE_SIZE]);

#endif
