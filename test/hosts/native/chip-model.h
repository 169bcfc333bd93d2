/*
 * A model of a chip's heap for stream-server-peer.c, between the server and the system's sockets: buffers as in lwIP
 * and the radio driver, and a network of fixed speed. Sizes are those of docs/performance.md. Before chip_begin it has
 * no effect, and heap is plentiful.
 */
#ifndef CHIP_MODEL_H
#define CHIP_MODEL_H

#include <stdbool.h>
#include <stddef.h>

/* Starts the model. If not `visible`, the server sees plenty of heap, but the model still counts. */
void chip_begin(bool visible);

/* Free heap as the server sees it. */
size_t chip_free_heap(void);

/* The smallest free heap so far, bytes; negative if more was taken than exists. */
long chip_lowest(void);

#endif
