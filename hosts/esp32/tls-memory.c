/*
 * On an ESP32, Mbed TLS and the unpacker of firmware images use the heap only when 75 KB of the code memory (IRAM;
 * sdkconfig/esp32.defaults) are full. This saves 10 KB of heap per connection, 30 KB during a handshake, and 11 KB
 * during an update. Access to single bytes in code memory is slow: unpacking an image takes about 3 s longer
 * (estimated: 4 accesses per symbol).
 */
#include "tls-memory.h"

#include "free-heap.h"
#include "esp_heap_caps.h"
#include "sdkconfig.h"

#ifdef CONFIG_MBEDTLS_CUSTOM_MEM_ALLOC

#include "mbedtls/platform.h"

enum {
	CODE_MEMORY = MALLOC_CAP_INTERNAL | MALLOC_CAP_IRAM_8BIT,
	DATA_MEMORY = MALLOC_CAP_INTERNAL | MALLOC_CAP_8BIT,
};

void *tls_memory_take(size_t count, size_t size)
{
	return heap_caps_calloc_prefer(count, size, 2, CODE_MEMORY, DATA_MEMORY);
}

void tls_memory_start(void)
{
	mbedtls_platform_set_calloc_free(tls_memory_take, heap_caps_free);
}

size_t free_tls_memory(void)
{
	return heap_caps_get_free_size(MALLOC_CAP_IRAM_8BIT);
}

size_t free_tls_piece(void)
{
	return heap_caps_get_largest_free_block(MALLOC_CAP_IRAM_8BIT);
}

#else

#include <stdlib.h>

void *tls_memory_take(size_t count, size_t size)
{
	return calloc(count, size);
}

void tls_memory_start(void)
{
}

size_t free_tls_memory(void)
{
	return 0;
}

size_t free_tls_piece(void)
{
	return 0;
}

#endif
