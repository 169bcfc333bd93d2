/*
 * The key-value store of the host contract in NVS (ESP-IDF 6.0, "Non-Volatile Storage Library"): blobs in the partition
 * "nvs". A write takes a few milliseconds, or about 50 ms if NVS must erase a page.
 *
 * Each key is in one of two namespaces. A new value is written to the namespace that lacks the key; then the old value
 * is deleted from the other one. After a power cut, the old or the new value therefore remains. A write needs room for
 * both values. If both namespaces have the key, the value in the first one is valid. NVS alone would lose both values:
 * a power cut between the data and the index of a new blob leaves the data as the last item of a page, and at the next
 * start NVS (Page::mLoadEntryTable) mistakes the data of the old blob for a duplicate and erases them.
 */
#ifndef STORAGE_NVS_H
#define STORAGE_NVS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { STORAGE_KEY_LIMIT = 15, STORAGE_VALUE_LIMIT = 4500, STORAGE_MESSAGE_SIZE = 96 };

enum { STORAGE_ABSENT = -1, STORAGE_FAILED = -2 };

/*
 * Call once, before any use of NVS. Erases an unreadable partition, which was written by a later version of NVS or has
 * no free page after a power cut. Returns false if the partition is still unusable.
 */
bool storage_nvs_start(void);

bool storage_nvs_was_erased(void);

bool storage_nvs_is_key(const char *key);

/* On failure `message` contains a text for the user. */
int storage_nvs_size(const char *key, char message[STORAGE_MESSAGE_SIZE]);
bool storage_nvs_get(const char *key, void *value, size_t size, char message[STORAGE_MESSAGE_SIZE]);
bool storage_nvs_set(const char *key, const void *value, size_t size, char message[STORAGE_MESSAGE_SIZE]);
bool storage_nvs_delete(const char *key, char message[STORAGE_MESSAGE_SIZE]);

#endif
