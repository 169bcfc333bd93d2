/*
 * Lets another thread call into the thread of the XS machine. Each host defines it: on Linux by the GLib main loop, on
 * the ESP32 by the queue of the JavaScript task.
 */
#ifndef MACHINE_POST_H
#define MACHINE_POST_H

#include "xsmc.h"

/*
 * Calls `deliver(context)` soon in the machine's thread, outside of any call into it. Any thread; never waits, because
 * the machine's thread may be waiting for the caller.
 */
void machine_post(xsMachine *the, void (*deliver)(void *context), void *context);

#endif
