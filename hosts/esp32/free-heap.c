/* See hosts/native/free-heap.h. */
#include "free-heap.h"

#include "esp_heap_caps.h"

size_t free_heap(void)
{
	return heap_caps_get_free_size(MALLOC_CAP_8BIT);
}

size_t free_heap_piece(void)
{
	return heap_caps_get_largest_free_block(MALLOC_CAP_8BIT);
}
