/* Whether the machine's own memory suffices for something, for memory.ts. */
#include "xsAll.h"

#include "mc.xs.h"
#include "xs.h"

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
