#ifndef MACHINE_POST_H
#define MACHINE_POST_H

#include "xsmc.h"

/*
 * Calls `deliver(context)` soon in the machine's thread, outside of any other call into the machine. May be called in
 * any thread. Never waits, because the machine's thread may be waiting for the caller.
 */
void machine_post(xsMachine *the, void (*deliver)(void *context), void *context);

#endif
