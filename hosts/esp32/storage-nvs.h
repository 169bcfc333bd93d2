/*
 * The key-value store of the host contract in NVS (ESP-IDF 6.0, "Non-Volatile Storage Library"): blobs in the partition
 * "nvs". A write takes a few milliseconds, or about 50 ms if NVS must erase a page.
 *
 * A new value is written to the one of two namespaces that lacks the key, and then deleted from the other. Thus the old
 * or the new value remains after a power cut, and a write needs room for both. If both namespaces have the key, the
 * first one counts. NVS alone would lose both values: a power cut between the data and the index of a new blob leaves
 * the data as the last item of a page, and the next start (Page::mLoadEntryTable) takes the data of the old blob there
 * for a duplicate of it and erases them.
 */
#ifndef STORAGE_NVS_H
#define STORAGE_NVS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { STORAGE_KEY_LIMIT = 15, STORAGE_VALUE_LIMIT = 4500, STORAGE_MESSAGE_SIZE = 96 };

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
