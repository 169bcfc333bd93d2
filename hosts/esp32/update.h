/* Firmware slots (Update in modules/io/flash.ts). No function throws. Each function waits for the flash. */
#ifndef UPDATE_H
#define UPDATE_H

#include <stdbool.h>
#include <stddef.h>

#include "partition.h"

#define UPDATE_SLOT "update"
enum { UPDATE_TEXT_SIZE = PARTITION_MESSAGE_SIZE };
/* States of the running firmware, as FIRMWARE_… in modules/io/flash.ts. */
enum { UPDATE_CONFIRMED = 0, UPDATE_ON_TRIAL = 1 };

int update_state(void);
/* Writes the reason why the previous firmware was rolled back, in a few words, or an empty text. */
void update_given_up(char text[UPDATE_TEXT_SIZE]);

/* Returns false on failure; `text` then has a message for the user, and nothing was changed. */
bool update_activate(size_t length, char text[UPDATE_TEXT_SIZE]);
bool update_confirm(char text[UPDATE_TEXT_SIZE]);
/* Makes the next start run the previous firmware. The caller must cause that start. */
bool update_roll_back(char text[UPDATE_TEXT_SIZE]);

#endif
