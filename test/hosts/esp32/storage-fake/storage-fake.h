/*
 * Fake of NVS for storage-peer.c: a few values in memory. Uncommitted values are lost at a power cut. The program ends
 * if it is used in a way that NVS forbids.
 */
#ifndef STORAGE_FAKE_H
#define STORAGE_FAKE_H

#include "nvs.h"

typedef enum { FAKE_INIT, FAKE_ERASE, FAKE_OPEN, FAKE_GET, FAKE_SET, FAKE_DELETE, FAKE_COMMIT, FAKE_CALLS } fake_call;

/* Result of each call from now on instead of its work; ESP_OK means that it works. */
extern esp_err_t fake_errors[FAKE_CALLS];
extern unsigned fake_counts[FAKE_CALLS];

/* Result of nvs_flash_init until the partition is erased. */
extern esp_err_t fake_damage;

/* The power is cut, and NVS is to be started again. No handle may be open. */
void fake_cut_power(void);

/* Puts a value where it would be committed, of any length. */
void fake_put(const char *key, size_t length);

#endif
