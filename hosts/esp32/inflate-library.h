/* tinfl of miniz is in the chip's ROM. */
#include "miniz.h"
#include "tls-memory.h"

#define inflate_memory(size) tls_memory_take(1, size)
