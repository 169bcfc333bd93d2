/* Memory available for connections; each host defines these functions. */
#ifndef FREE_HEAP_H
#define FREE_HEAP_H

#include <stddef.h>

/* Bytes in total and in the largest block; SIZE_MAX on a computer. Any thread may call. */
size_t free_heap(void);
size_t free_heap_piece(void);

/*
 * Bytes in total and in the largest block of the memory that Mbed TLS uses first; 0 if the host has none. Any thread
 * may call.
 */
size_t free_tls_memory(void);
size_t free_tls_piece(void);

/* Minimum of free_heap() since the start; SIZE_MAX on a computer. */
size_t least_free_heap(void);

/*
 * A line "name bytes" of unused stack for each task; "" on a computer or if memory is short. Omits lines beyond `size`.
 */
size_t task_stacks(char *text, size_t size);

#endif
