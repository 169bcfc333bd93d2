/* The SDK has miniz in one file, and no header; zlib's names would be ours too. */
#define MINIZ_HEADER_FILE_ONLY
#define MINIZ_NO_ZLIB_COMPATIBLE_NAMES
#include "miniz.c"
