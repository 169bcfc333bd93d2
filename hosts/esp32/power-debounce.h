/*
 * A button without its bounces: after the first change of level it is looked at again when it has had time to come to
 * rest, and what it shows then counts. Plain C; power-button.c has the pin, the time and the lock.
 *
 * Limit: DEBOUNCE_UNTOLD changes wait to be told; beyond, a press and its release are left out together.
 */
#ifndef POWER_DEBOUNCE_H
#define POWER_DEBOUNCE_H

#include <stdbool.h>

enum { DEBOUNCE_MS = 30, DEBOUNCE_UNTOLD = 8 };

typedef struct {
	/* State of the button after its last rest. */
	bool pressed;
	unsigned untold;
	/* The listener's thread was called and has not taken all changes yet. */
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
