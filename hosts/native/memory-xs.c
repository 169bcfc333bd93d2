/* XS binding for memory.ts: free memory of the machine, and whether it suffices for a need. */
#include <stdint.h>

#include "xsAll.h"

#include "free-heap.h"

#include "mc.xs.h"
#include "xs.h"

/* Room for the lines of twenty tasks: 15 characters of a name, 5 digits. */
enum { STACKS_SIZE = 480 };

static bool suffices(xsMachine *the, xsIntegerValue slots, xsIntegerValue bytes)
{
	return the->maximumHeapCount - the->currentHeapCount >= slots && the->maximumChunksSize - the->currentChunksSize >= bytes;
}

/* (slots, bytes of chunks): whether so many are free, if need be after a collection. */
void xs_memory_suffices(xsMachine *the)
{
	xsIntegerValue slots = xsToInteger(xsArg(0)), bytes = xsToInteger(xsArg(1));
	bool enough = suffices(the, slots, bytes);
	if (!enough) {
		fxCollectGarbage(the);
		enough = suffices(the, slots, bytes);
	}
	xsResult = xsBoolean(enough);
}

/* (0: slots, 1: bytes of chunks, 2: bytes of the heap of C, 3: the least of these): how many are free; -1: there is no limit. */
void xs_memory_free(xsMachine *the)
{
	xsIntegerValue what = xsToInteger(xsArg(0));
	if (what == 0) xsResult = xsInteger(the->maximumHeapCount - the->currentHeapCount);
	else if (what == 1) xsResult = xsInteger(the->maximumChunksSize - the->currentChunksSize);
	else {
		size_t heap = what == 2 ? free_heap() : least_free_heap();
		xsResult = xsInteger(heap > INT32_MAX ? -1 : (xsIntegerValue)heap);
	}
}

/* task_stacks of free-heap.h as text. */
void xs_memory_stacks(xsMachine *the)
{
	char text[STACKS_SIZE];
	xsResult = xsStringBuffer(text, (xsIntegerValue)task_stacks(text, sizeof(text)));
}
