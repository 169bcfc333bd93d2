/*
 * Debounces a button: after the first change of level it waits for the bounce time, then samples the level.
 *
 * At most DEBOUNCE_UNREPORTED changes wait to be reported. If there are more, a press and its release are dropped
 * together.
 */
#ifndef POWER_DEBOUNCE_H
#define POWER_DEBOUNCE_H

#include <stdbool.h>

enum { DEBOUNCE_MS = 30, DEBOUNCE_UNREPORTED = 8 };

typedef struct {
	bool pressed;
	unsigned unreported;
	/* True while a post to the listener's thread is under way, which will report all changes. */
	bool posted;
} power_debounce;

/*
 * Call it after the bounce time. Returns true if the caller must post to the listener's thread, which then reports all
 * changes.
 */
bool power_debounce_sample(power_debounce *button, bool pressed);
bool power_debounce_next(power_debounce *button, bool *pressed);

#endif
