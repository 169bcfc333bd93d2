#ifndef UPDATE_SLOT_H
#define UPDATE_SLOT_H

#include <stdbool.h>

#include "esp_partition.h"
#include "update.h"

const esp_partition_t *update_slot(void);
/*
 * Call this before changing the slot. From then on the boot loader does not start from the slot. Returns false, with
 * `text` for the user, if the slot must not be changed.
 */
bool update_slot_is_free(char text[UPDATE_TEXT_SIZE]);

#endif
