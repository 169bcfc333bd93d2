/* The slot for firmware that does not run, as partition.c has it. */
#ifndef UPDATE_SLOT_H
#define UPDATE_SLOT_H

#include <stdbool.h>

#include "esp_partition.h"
#include "update.h"

/* The slot for new firmware; NULL without one. */
const esp_partition_t *update_slot(void);
/* Before it is changed: nothing in it starts from now on. False, and a sentence: it must stay as it is. */
bool update_slot_is_free(char text[UPDATE_TEXT_SIZE]);

#endif
