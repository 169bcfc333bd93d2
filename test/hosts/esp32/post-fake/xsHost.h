/* The queue of the JavaScript task, as machine-post.c calls it, implemented in machine-post-peer.c. */
#ifndef XSHOST_H
#define XSHOST_H

#include <stdint.h>

#include "xsmc.h"

typedef void (*modMessageDeliver)(void *the, void *refcon, uint8_t *message, uint16_t length);

int modMessagePostToMachine(xsMachine *the, uint8_t *message, uint16_t length, modMessageDeliver deliver, void *refcon);

#endif
