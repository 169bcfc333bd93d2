/* Firmware slots (Update in modules/io/flash.ts). No function throws; each waits for the flash. */
#ifndef UPDATE_H
#define UPDATE_H

#include <stdbool.h>
#include <stddef.h>

#include "partition.h"

#define UPDATE_SLOT "update"
enum { UPDATE_TEXT_SIZE = PARTITION_MESSAGE_SIZE };
/* FIRMWARE_… of modules/io/flash.ts. */
enum { UPDATE_CONFIRMED = 0, UPDATE_ON_TRIAL = 1 };

int update_state(void);
/* Writes the reason why the previous firmware was rolled back, in a few words, or an empty text. */
void update_given_up(char text[UPDATE_TEXT_SIZE]);

/* False on failure, with `text` for the user and nothing changed. */
bool update_activate(size_t length, char text[UPDATE_TEXT_SIZE]);
bool update_confirm(char text[UPDATE_TEXT_SIZE]);
/* The next start, which the caller must cause, runs the previous firmware. */
bool update_roll_back(char text[UPDATE_TEXT_SIZE]);

#endif
