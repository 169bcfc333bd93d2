/*
 * A fake of NVS for storage-peer.c: a few values in memory. What was not committed is gone when the power is cut. It ends
 * the program when it is used in a way that NVS forbids.
 */
#ifndef STORAGE_FAKE_H
#define STORAGE_FAKE_H

#include "nvs.h"

typedef enum { FAKE_INIT, FAKE_ERASE, FAKE_OPEN, FAKE_GET, FAKE_SET, FAKE_DELETE, FAKE_COMMIT, FAKE_CALLS } fake_call;

/* What each call gives from now on instead of doing its work; ESP_OK: it works. */
extern esp_err_t fake_errors[FAKE_CALLS];
extern unsigned fake_counts[FAKE_CALLS];

/* What nvs_flash_init gives until the partition is erased. */
extern esp_err_t fake_damage;

/* The power is cut, and NVS is to be started again. No handle may be open. */
void fake_cut_power(void);

/* Puts a value where it would be committed, of any length. */
void fake_put(const char *key, size_t length);

#endif
