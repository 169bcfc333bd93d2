#include <stdlib.h>

#include "mc.xs.h"
#include "xsmc.h"

void xs_heap_bytes_destructor(void *data)
{
	free(data);
}

/* Argument: length. Returns a zeroed buffer in the heap, or an empty one if the heap is short. */
void xs_heap_bytes(xsMachine *the)
{
	xsIntegerValue length = xsmcToInteger(xsArg(0));
	void *bytes = calloc(1, (size_t)length);
	xsmcSetHostBuffer(xsThis, bytes, bytes ? length : 0);
}

/* Frees the buffer's memory. The buffer and all typed arrays on it become empty. */
void xs_heap_bytes_drop(xsMachine *the)
{
	free(xsmcGetHostData(xsThis));
	xsmcSetHostBuffer(xsThis, NULL, 0);
}

void xs_heap_bytes_is_there(xsMachine *the)
{
	xsResult = xsBoolean(xsmcGetHostData(xsThis) != NULL);
}
