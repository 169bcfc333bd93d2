/* Memory available for connections. Each host defines these functions. */
#ifndef FREE_HEAP_H
#define FREE_HEAP_H

#include <stddef.h>

/* Free bytes of the heap, total and largest block; SIZE_MAX on a computer. Any thread. */
size_t free_heap(void);
size_t free_heap_piece(void);

/* Free bytes of the memory that Mbed TLS uses first, total and largest block; 0 without such memory. Any thread. */
size_t free_tls_memory(void);
size_t free_tls_piece(void);

/* Minimum of free_heap() since the start; SIZE_MAX on a computer. */
size_t least_free_heap(void);

/*
 * Lines "name bytes" with the unused stack of each task. Empty on a computer, and if memory is short. Returns the
 * length; lines beyond `size` are omitted.
 */
size_t task_stacks(char *text, size_t size);

#endif
