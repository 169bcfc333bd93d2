#include <stdint.h>

#include "xsAll.h"

#include "free-heap.h"

#include "mc.xs.h"
#include "xs.h"

/* Size of the text about stacks: twenty tasks, each with a name of 15 characters and 5 digits. */
enum { STACKS_SIZE = 480 };

static bool suffices(xsMachine *the, xsIntegerValue slots, xsIntegerValue bytes)
{
	return the->maximumHeapCount - the->currentHeapCount >= slots && the->maximumChunksSize - the->currentChunksSize >= bytes;
}

/* Arguments: slots, bytes of chunks. Returns true if so much is free, if necessary after a garbage collection. */
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

/*
 * Argument: 0 for slots, 1 for bytes of chunks, 2 for heap bytes, 3 for the minimum of free heap bytes since the start.
 * Returns the free amount, or -1 if there is no limit.
 */
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
