/* Bytes outside the machine's chunks, as a buffer that typed arrays can look at, for memory.ts. */
#include <stdlib.h>

#include "mc.xs.h"
#include "xsmc.h"

void xs_heap_bytes_destructor(void *data)
{
	free(data);
}

/* (length): the buffer, of zeros. It has no bytes where the heap has too few. */
void xs_heap_bytes(xsMachine *the)
{
	xsIntegerValue length = xsmcToInteger(xsArg(0));
	void *bytes = calloc(1, (size_t)length);
	xsmcSetHostBuffer(xsThis, bytes, bytes ? length : 0);
}

/* The buffer has no bytes from now on, and neither have the arrays that look at it. */
void xs_heap_bytes_drop(xsMachine *the)
{
	free(xsmcGetHostData(xsThis));
	xsmcSetHostBuffer(xsThis, NULL, 0);
}

void xs_heap_bytes_is_there(xsMachine *the)
{
	xsResult = xsBoolean(xsmcGetHostData(xsThis) != NULL);
}
