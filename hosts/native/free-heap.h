/* Memory available for connections. Each host defines these functions. */
#ifndef FREE_HEAP_H
#define FREE_HEAP_H

#include <stddef.h>

/* Bytes of the heap that are free now, in all and in the largest piece; SIZE_MAX on a computer. In any thread. */
size_t free_heap(void);
size_t free_heap_piece(void);

/*
 * Bytes of memory that Mbed TLS alone takes, and takes first: in all and in the largest piece. 0 where it takes the heap's.
 * In any thread.
 */
size_t free_tls_memory(void);
size_t free_tls_piece(void);

/* The least of free_heap() since the start; SIZE_MAX on a computer. */
size_t least_free_heap(void);

/*
 * Lines "name bytes": of each task, how many bytes of its stack it has never used. Empty on a computer, and where there is
 * no memory for the list. Returns the length; what `size` has no room for is left out, a whole line at a time.
 */
size_t task_stacks(char *text, size_t size);

#endif
