/*
 * Slots for firmware (Update in modules/io/flash.ts). The slot that does not run is the partition UPDATE_SLOT of
 * partition.h. None of these calls throws; they wait for the flash.
 */
#ifndef UPDATE_H
#define UPDATE_H

#include <stdbool.h>
#include <stddef.h>

#include "partition.h"

#define UPDATE_SLOT "update"
enum { UPDATE_TEXT_SIZE = PARTITION_MESSAGE_SIZE };
/* FIRMWARE_… of modules/io/flash.ts. */
enum { UPDATE_CONFIRMED = 0, UPDATE_ON_TRIAL = 1 };

/* UPDATE_… of the running firmware. */
int update_state(void);
/* Reason why the firmware of the previous start was rolled back, in a few words; empty: it was not. */
void update_given_up(char text[UPDATE_TEXT_SIZE]);

/* False: `text` is a sentence, and nothing has changed. */
bool update_activate(size_t length, char text[UPDATE_TEXT_SIZE]);
bool update_confirm(char text[UPDATE_TEXT_SIZE]);
/* The running firmware is given up: the next start, for which the caller sees, takes the one before. */
bool update_roll_back(char text[UPDATE_TEXT_SIZE]);

#endif
