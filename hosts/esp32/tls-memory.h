#ifndef TLS_MEMORY_H
#define TLS_MEMORY_H

#include <stddef.h>

/* Call before any use of Mbed TLS. Memory that was allocated earlier can still be freed. */
void tls_memory_start(void);

/* Returns memory set to 0, or NULL. It is freed by free(). */
void *tls_memory_take(size_t count, size_t size);

#endif
