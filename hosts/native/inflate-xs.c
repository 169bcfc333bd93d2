/*
 * XS binding for unpacking zlib streams (RFC 1950; inflater.ts) with miniz's tinfl. The output ring is also the
 * library's dictionary, so only the library may change its bytes.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "mc.xs.h"
#include "xsmc.h"

#include "inflate-library.h"
#include "xs-range.h"

/*
 * Size of the ring, as INFLATE_WINDOW of modules/io/flash.ts. tinfl requires a power of two and rejects streams with a
 * larger window.
 */
enum { RING_SIZE = 4096 };

typedef struct {
	size_t filled;
	bool done, failed;
	tinfl_decompressor library;
} inflate;

void xs_inflate_destructor(void *data)
{
	free(data);
}

static inflate *state_of(xsMachine *the)
{
	inflate *state = xsmcGetHostData(xsThis);
	if (!state) xsUnknownError("the inflater is closed");
	return state;
}

static void begin(inflate *state)
{
	state->filled = 0;
	state->done = state->failed = false;
	tinfl_init(&state->library);
}

void xs_inflate(xsMachine *the)
{
	inflate *state = inflate_memory(sizeof(inflate));
	if (!state) xsUnknownError("there is no memory to unpack");
	begin(state);
	xsmcSetHostData(xsThis, state);
}

/* Arguments: bytes, start, end, ring. Returns the number of consumed bytes. */
void xs_inflate_write(xsMachine *the)
{
	inflate *state = state_of(the);
	void *ring;
	xsUnsignedValue ring_length;
	size_t taken;
	const uint8_t *bytes = xs_range(the, 0, false, &taken);
	xsmcGetBufferWritable(xsArg(3), &ring, &ring_length);
	if (ring_length != RING_SIZE) xsRangeError("another ring");
	if (state->failed) xsUnknownError("the packed data is damaged");
	xsmcSetInteger(xsResult, 0);
	if (state->done || state->filled == RING_SIZE) return;
	size_t made = RING_SIZE - state->filled;
	tinfl_status status = tinfl_decompress(&state->library, bytes, &taken, ring,
		(uint8_t *)ring + state->filled, &made, TINFL_FLAG_PARSE_ZLIB_HEADER | TINFL_FLAG_HAS_MORE_INPUT);
	state->filled += made;
	state->done = status == TINFL_STATUS_DONE;
	// A 64-bit build of the library reads beyond the end of the stream and keeps those bytes. A 32-bit build, as on the
	// chip, does not.
	if (state->done) taken -= state->library.m_num_bits / 8;
	state->failed = status < TINFL_STATUS_DONE;
	if (status == TINFL_STATUS_ADLER32_MISMATCH) xsUnknownError("the packed data does not match its checksum");
	if (state->failed) xsUnknownError("the packed data is damaged, or has a larger window");
	xsmcSetInteger(xsResult, (xsIntegerValue)taken);
}

void xs_inflate_filled(xsMachine *the)
{
	xsmcSetInteger(xsResult, (xsIntegerValue)state_of(the)->filled);
}

void xs_inflate_is_done(xsMachine *the)
{
	xsmcSetBoolean(xsResult, state_of(the)->done);
}

void xs_inflate_empty(xsMachine *the)
{
	state_of(the)->filled = 0;
}

void xs_inflate_reset(xsMachine *the)
{
	begin(state_of(the));
}

void xs_inflate_close(xsMachine *the)
{
	xs_inflate_destructor(xsmcGetHostData(xsThis));
	xsmcSetHostData(xsThis, NULL);
}
