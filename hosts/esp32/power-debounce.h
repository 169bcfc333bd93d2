/*
 * Debounces a button: after the first change of level it waits for the bounce time and then samples the level. Plain C;
 * power-button.c has pin, time and lock.
 *
 * Limit: DEBOUNCE_UNTOLD unreported changes; beyond that a press and its release are dropped together.
 */
#ifndef POWER_DEBOUNCE_H
#define POWER_DEBOUNCE_H

#include <stdbool.h>

enum { DEBOUNCE_MS = 30, DEBOUNCE_UNTOLD = 8 };

typedef struct {
	/* State after the last sample. */
	bool pressed;
	unsigned untold;
	/* The listener's thread was called but has not taken all changes. */
	bool posted;
} power_debounce;

/*
 * Samples the level after the bounce time. Returns true if the caller must call the listener's thread once; that thread
 * takes all changes.
 */
bool power_debounce_see(power_debounce *button, bool pressed);
/* Takes the next change; returns false without one. */
bool power_debounce_tell(power_debounce *button, bool *pressed);

#endif
