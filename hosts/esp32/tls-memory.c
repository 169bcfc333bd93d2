/*
 * An ESP32 keeps all of Mbed TLS in the 75 KB that only its own memory for code has (sdkconfig/esp32.defaults), and takes from
 * the heap what finds no room there. The heap keeps 10 KB more for each connection, and 30 KB while a handshake runs.
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

static void *take(size_t count, size_t size)
{
	return heap_caps_calloc_prefer(count, size, 2, CODE_MEMORY, DATA_MEMORY);
}

void tls_memory_start(void)
{
	mbedtls_platform_set_calloc_free(take, heap_caps_free);
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
