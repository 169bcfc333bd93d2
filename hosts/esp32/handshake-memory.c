/* See hosts/native/handshake-memory.h: what the heap has now, in all and in one piece. */
#include "handshake-memory.h"

#include "esp_heap_caps.h"

bool handshake_memory_suffices(void)
{
	return heap_caps_get_free_size(MALLOC_CAP_8BIT) >= HANDSHAKE_MEMORY
		&& heap_caps_get_largest_free_block(MALLOC_CAP_8BIT) >= HANDSHAKE_MEMORY_PIECE;
}
