/*
 * Fake of NVS for storage-peer.c: a few values in memory. A power cut loses uncommitted values. A use that NVS forbids
 * ends the program.
 */
#ifndef STORAGE_FAKE_H
#define STORAGE_FAKE_H

#include <stdbool.h>

#include "nvs.h"

typedef enum { FAKE_INIT, FAKE_ERASE, FAKE_OPEN, FAKE_GET, FAKE_SET, FAKE_DELETE, FAKE_COMMIT, FAKE_CALLS } fake_call;

/* Result of each call from now on, which then has no effect; ESP_OK: it works. */
extern esp_err_t fake_errors[FAKE_CALLS];
extern unsigned fake_counts[FAKE_CALLS];

/* Result of nvs_flash_init until the partition is erased. */
extern esp_err_t fake_damage;

/* If true, each written blob is cut between its data and its index, as by a power cut. */
extern bool fake_is_cut;

/* Cuts the power; NVS must be started again. No handle may be open. */
void fake_cut_power(void);

/* Stores a committed value of any length. */
void fake_put(const char *key, size_t length);

#endif
