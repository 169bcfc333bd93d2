/* See hosts/native/handshake-memory.h. A computer has enough, unless GATEWAY_HANDSHAKE_MEMORY says how many bytes it has. */
#include "handshake-memory.h"

#include <stdlib.h>

bool handshake_memory_suffices(void)
{
	const char *bytes = getenv("GATEWAY_HANDSHAKE_MEMORY");
	return !bytes || strtoul(bytes, NULL, 10) >= HANDSHAKE_MEMORY;
}
