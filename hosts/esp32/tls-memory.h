/* Memory that Mbed TLS uses. */
#ifndef TLS_MEMORY_H
#define TLS_MEMORY_H

/* Call before any use of Mbed TLS. Memory that was allocated earlier can still be freed. */
void tls_memory_start(void);

#endif
