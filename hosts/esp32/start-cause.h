/* Cause of the chip's start, from its reset reason (ESP-IDF 6.0, "Miscellaneous System APIs"). */
#ifndef START_CAUSE_H
#define START_CAUSE_H

#include <stdbool.h>

#include "esp_system.h"

typedef struct {
	const char *text;
	/* False after a power cut, an external reset or a sleep, because these are no faults. */
	bool is_fault;
} start_cause;

/*
 * Returns the cause of the chip's start. `kept` is the text that the previous program stored for this start, or NULL.
 * It is used only if software restarted the chip. If the restart was requested, the text is START_ASKED_FOR.
 */
start_cause start_cause_of(esp_reset_reason_t reason, const char *kept);

/* Returns true if the chip's detectors for low voltage restarted it: the supply is too weak. */
bool start_cause_is_low_voltage(esp_reset_reason_t reason);

extern const char START_ASKED_FOR[];

#endif
