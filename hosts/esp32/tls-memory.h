/* Memory of Mbed TLS. */
#ifndef TLS_MEMORY_H
#define TLS_MEMORY_H

/* Call before any use of Mbed TLS. Memory allocated before can still be freed. */
void tls_memory_start(void);

#endif
