/* What differs between the worlds: how much memory there is for connections. Each host defines it. */
#ifndef FREE_HEAP_H
#define FREE_HEAP_H

#include <stddef.h>

/* Bytes of the heap that are free now, in all and in the largest piece; SIZE_MAX on a computer. In any thread. */
size_t free_heap(void);
size_t free_heap_piece(void);

#endif
