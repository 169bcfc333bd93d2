/* Memory available for connections; each host defines these functions. */
#ifndef FREE_HEAP_H
#define FREE_HEAP_H

#include <stddef.h>

/* Free bytes of the heap, in total and in the largest block; SIZE_MAX on a computer. May be called in any thread. */
size_t free_heap(void);
size_t free_heap_piece(void);

/*
 * Free bytes of the memory that Mbed TLS uses first, in total and in the largest block; 0 without such memory. May be
 * called in any thread.
 */
size_t free_tls_memory(void);
size_t free_tls_piece(void);

/* Minimum of free_heap() since the start; SIZE_MAX on a computer. */
size_t least_free_heap(void);

/*
 * Writes a line "name bytes" with the unused stack of each task; "" on a computer or if memory is short. Lines beyond
 * `size` are omitted.
 */
size_t task_stacks(char *text, size_t size);

#endif
