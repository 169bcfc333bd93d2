/*
 * The SDK has miniz as a single file without a header. This file includes it in a way that exports none of zlib's
 * names.
 */
#define MINIZ_HEADER_FILE_ONLY
#define MINIZ_NO_ZLIB_COMPATIBLE_NAMES
#include "miniz.c"

#define inflate_memory(size) calloc(1, size)
