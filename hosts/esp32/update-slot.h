#ifndef UPDATE_SLOT_H
#define UPDATE_SLOT_H

#include <stdbool.h>

#include "esp_partition.h"
#include "update.h"

const esp_partition_t *update_slot(void);
/*
 * Call before changing the slot. From then on the boot loader will not boot from it. False, with `text` for the user,
 * if the slot must not be changed.
 */
bool update_slot_is_free(char text[UPDATE_TEXT_SIZE]);

#endif
