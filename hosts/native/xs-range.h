#ifndef XS_RANGE_H
#define XS_RANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mc.xs.h"
#include "xsmc.h"

/*
 * Returns the place of the bytes that three arguments name: a buffer at `index`, then start and end within it. `*count`
 * becomes their number. Throws a RangeError if they are not all in the buffer.
 */
static inline uint8_t *xs_range(xsMachine *the, xsIntegerValue index, bool writable, size_t *count)
{
	void *bytes;
	xsUnsignedValue length;
	xsIntegerValue start = xsmcToInteger(xsArg(index + 1)), end = xsmcToInteger(xsArg(index + 2));
	if (writable) xsmcGetBufferWritable(xsArg(index), &bytes, &length);
	else xsmcGetBufferReadable(xsArg(index), &bytes, &length);
	if (start < 0 || end < start || (xsUnsignedValue)end > length) xsRangeError("beyond the buffer");
	*count = (size_t)(end - start);
	return (uint8_t *)bytes + start;
}

#endif
