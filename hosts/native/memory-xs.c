#include <stdint.h>

#include "xsAll.h"

#include "free-heap.h"

#include "mc.xs.h"
#include "xs.h"

/* Room for twenty tasks, each with a name of 15 characters and 5 digits. */
enum { STACKS_SIZE = 480 };

static bool suffices(xsMachine *the, xsIntegerValue slots, xsIntegerValue bytes)
{
	return the->maximumHeapCount - the->currentHeapCount >= slots && the->maximumChunksSize - the->currentChunksSize >= bytes;
}

/* (slots, bytes of chunks): true if so much is free, if necessary after collecting garbage. */
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

/* (0: slots, 1: bytes of chunks, 2: heap bytes, 3: minimum of heap bytes): free amount; -1 if there is no limit. */
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

void xs_memory_stacks(xsMachine *the)
{
	char text[STACKS_SIZE];
	xsResult = xsStringBuffer(text, (xsIntegerValue)task_stacks(text, sizeof(text)));
}
