/* The chip's ROM contains tinfl of miniz; ESP-IDF has its header. */
#include "miniz.h"
