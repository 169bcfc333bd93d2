/*
 * Debounces a button: after the first change of level it waits for the bounce time, then samples.
 *
 * Limit: DEBOUNCE_UNREPORTED changes; beyond that a press and its release are dropped together.
 */
#ifndef POWER_DEBOUNCE_H
#define POWER_DEBOUNCE_H

#include <stdbool.h>

enum { DEBOUNCE_MS = 30, DEBOUNCE_UNREPORTED = 8 };

typedef struct {
	bool pressed;
	unsigned unreported;
	/* A post to the listener's thread has not taken all changes yet. */
	bool posted;
} power_debounce;

/* Call it after the bounce time. True if the caller must post to the listener's thread, which then takes all changes. */
bool power_debounce_sample(power_debounce *button, bool pressed);
bool power_debounce_next(power_debounce *button, bool *pressed);

#endif
