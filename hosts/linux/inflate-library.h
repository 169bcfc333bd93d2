/* The SDK has miniz as one file without a header; it must not export zlib's names. */
#define MINIZ_HEADER_FILE_ONLY
#define MINIZ_NO_ZLIB_COMPATIBLE_NAMES
#include "miniz.c"

#define inflate_memory(size) calloc(1, size)
