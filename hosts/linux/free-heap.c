/* See hosts/native/free-heap.h. */
#include "free-heap.h"

#include <stdint.h>

size_t free_heap(void)
{
	return SIZE_MAX;
}

size_t free_heap_piece(void)
{
	return SIZE_MAX;
}
