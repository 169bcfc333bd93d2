/* The SDK has miniz in one file, and no header. */
#define MINIZ_HEADER_FILE_ONLY
#include "miniz.c"
