/*
 * The key-value store of the host contract in NVS (ESP-IDF 6.0, "Non-Volatile Storage Library"): blobs of the namespace
 * "gateway", in the partition "nvs". NVS writes the new value before it drops the old one: a power cut leaves one of
 * them, and there must be room for both. With CONFIG_NVS_ENCRYPTION, ESP-IDF encrypts everything. For storage-xs.c.
 * Limits are those of the contract. Writes wait for the flash: milliseconds, about 50 if a page is erased.
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
 * Call once, before any use of NVS. It erases an unreadable partition (from a later version of NVS, or without a free
 * page after a power cut). Returns false if it is still unusable.
 */
bool storage_nvs_start(void);

/* Returns true if storage_nvs_start has erased the partition. */
bool storage_nvs_was_erased(void);

bool storage_nvs_is_key(const char *key);

/* On failure these functions write a text for the user to `message`. */
int storage_nvs_size(const char *key, char message[STORAGE_MESSAGE_SIZE]);
bool storage_nvs_get(const char *key, void *value, size_t size, char message[STORAGE_MESSAGE_SIZE]);
bool storage_nvs_set(const char *key, const void *value, size_t size, char message[STORAGE_MESSAGE_SIZE]);
/* Succeeds also for a key without a value. */
bool storage_nvs_delete(const char *key, char message[STORAGE_MESSAGE_SIZE]);

#endif
