/* Memory of Mbed TLS. */
#ifndef TLS_MEMORY_H
#define TLS_MEMORY_H

/* Before anything of Mbed TLS is used. Memory that was taken before is given back as well as any other. */
void tls_memory_start(void);

#endif
