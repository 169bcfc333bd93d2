/* The SDK has miniz as one file without a header; zlib's names must not be exported. */
#define MINIZ_HEADER_FILE_ONLY
#define MINIZ_NO_ZLIB_COMPATIBLE_NAMES
#include "miniz.c"
