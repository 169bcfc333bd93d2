/*
 * The key-value store of the host contract in NVS (ESP-IDF 6.0, "Non-Volatile Storage Library"): blobs of the namespace
 * "gateway", in the partition "nvs". NVS writes the new value before it drops the old one. So one of the two remains
 * after a power cut, and a write needs room for both. A write takes a few milliseconds, or about 50 ms if NVS must
 * erase a page.
 */
#ifndef STORAGE_NVS_H
#define STORAGE_NVS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { STORAGE_KEY_LIMIT = 15, STORAGE_VALUE_LIMIT = 4000, STORAGE_MESSAGE_SIZE = 96 };

enum { STORAGE_ABSENT = -1, STORAGE_FAILED = -2 };

/*
 * Call once, before any use of NVS. An unreadable partition (written by a later NVS, or without a free page after a
 * power cut) is erased. False if it is still unusable.
 */
bool storage_nvs_start(void);

bool storage_nvs_was_erased(void);

bool storage_nvs_is_key(const char *key);

/* On failure `message` has a text for the user. */
int storage_nvs_size(const char *key, char message[STORAGE_MESSAGE_SIZE]);
bool storage_nvs_get(const char *key, void *value, size_t size, char message[STORAGE_MESSAGE_SIZE]);
bool storage_nvs_set(const char *key, const void *value, size_t size, char message[STORAGE_MESSAGE_SIZE]);
bool storage_nvs_delete(const char *key, char message[STORAGE_MESSAGE_SIZE]);

#endif
