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
	/* As last seen at rest. */
	bool pressed;
	unsigned untold;
	/* The owner's thread was called, and has not told all yet. */
	bool posted;
} power_debounce;

/* At rest. True: call the owner's thread, once; there it tells all. */
bool power_debounce_see(power_debounce *button, bool pressed);
/* The next change to tell; false when all were told. */
bool power_debounce_tell(power_debounce *button, bool *pressed);

#endif
