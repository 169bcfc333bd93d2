/*
 * A model of what the connections of a chip take of its heap, for stream-server-peer.c: it stands between the server and
 * the system's sockets, as lwIP and the radio would, with their buffers and a network of a fixed pace. Sizes are those of
 * docs/performance.md. Without chip_begin it does nothing, and there is plenty of heap.
 */
#ifndef CHIP_MODEL_H
#define CHIP_MODEL_H

#include <stdbool.h>
#include <stddef.h>

/* From now on; `told` is false: the server is told that there is plenty, and the model counts all the same. */
void chip_begin(bool told);

/* Free heap as the server sees it. */
size_t chip_free_heap(void);

/* The least that there was, bytes; below zero: more was taken than there is. */
long chip_lowest(void);

#endif
