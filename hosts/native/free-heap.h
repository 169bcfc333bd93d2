/* Memory available for connections; each host defines these functions. */
#ifndef FREE_HEAP_H
#define FREE_HEAP_H

#include <stddef.h>

/* Free bytes in total, and in the largest free block. Both are SIZE_MAX on a computer. May be called in any thread. */
size_t free_heap(void);
size_t free_heap_piece(void);

/*
 * Free bytes in total, and in the largest free block, of the memory that Mbed TLS uses before the heap. Both are 0 if
 * the host has no such memory. May be called in any thread.
 */
size_t free_tls_memory(void);
size_t free_tls_piece(void);

/* Minimum of free_heap() since the start, or SIZE_MAX on a computer. */
size_t least_free_heap(void);

/*
 * Writes for each task a line "name bytes" with the unused part of its stack. Writes "" on a computer or if memory is
 * short. Omits lines that do not fit into `size`.
 */
size_t task_stacks(char *text, size_t size);

#endif
