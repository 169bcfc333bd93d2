/*
 * Cause of the chip's start, from its reset reason (ESP-IDF 6.0, "Miscellaneous System APIs"). Plain C, for system.c.
 */
#ifndef START_CAUSE_H
#define START_CAUSE_H

#include <stdbool.h>

#include "esp_system.h"

typedef struct {
	/* In a few words. */
	const char *text;
	/* The firmware, or the chip under it, has failed: no power cut, no reset from outside, no sleep. */
	bool is_fault;
} start_cause;

/*
 * `kept` is what the program before has kept for this start, NULL: nothing; it counts where a restart by software is the
 * reason. One that was asked for has kept START_ASKED_FOR.
 */
start_cause start_cause_of(esp_reset_reason_t reason, const char *kept);

extern const char START_ASKED_FOR[];

#endif
